/** The formats of reports that are read. */

/**
 * How a report is written: XML, one JSON value, or lines of JSON.
 *
 * A report of the first two is read by the format's reader in `XmlReport` or `JsonReport`, one of lines by `GoTest`.
 */
export type Notation = "xml" | "json" | "lines"

/** A format that is read. */
export interface ReadFormat {
  /** Its name in messages. */
  readonly name: string
  readonly notation: Notation
  /** The endings of its files, without the dot. */
  readonly endings: ReadonlyArray<string>
}

/** The formats by the key that names them in options. Everything that lists formats reads them here. */
export const all = {
  junit: { name: "JUnit XML", notation: "xml", endings: ["xml"] },
  trx: { name: "TRX", notation: "xml", endings: ["trx"] },
  ctrf: { name: "CTRF", notation: "json", endings: ["json"] },
  playwright: { name: "Playwright JSON", notation: "json", endings: ["json"] },
  jest: { name: "Jest JSON", notation: "json", endings: ["json"] },
  vitest: { name: "Vitest JSON", notation: "json", endings: ["json"] },
  go: { name: "`go test -json`", notation: "lines", endings: ["json", "jsonl", "ndjson"] }
} as const satisfies Record<string, ReadFormat>

/** The key of a format. */
export type Key = keyof typeof all

/** The keys of the formats in a notation. */
export type KeyOf<N extends Notation> = {
  readonly [K in Key]: (typeof all)[K]["notation"] extends N ? K : never
}[Key]

/** All keys, in the order of the table. */
export const keys = Object.keys(all) as ReadonlyArray<Key>

/** The names of the formats, of those in one notation where it is given. */
export const names = (notation?: Notation): ReadonlyArray<string> =>
  keys.filter((key) => notation === undefined || all[key].notation === notation).map((key) => all[key].name)

/** The endings of files with reports, each once. */
export const endings: ReadonlyArray<string> = [...new Set(keys.flatMap((key) => all[key].endings))]
