/** The page on the formats that are recognised and not read. */
import * as Markdown from "./Markdown.ts"

/** A format, as far as the page shows it. */
export interface Format {
  readonly name: string
  readonly advice: string
}

/** The page on these formats, in the order of their names. */
export const make = (formats: ReadonlyArray<Format>): string => {
  const rows = formats.map(({ advice, name }) => [name.replace(/^(?:a|an|the) /, ""), advice])
  return Markdown.page([
    "# Formats that are not read",
    Markdown.generated,
    `[Uploads](uploads.md) lists the formats that are read. The formats below are recognised by their content: an upload of
one of them is refused with 422, and \`lazaret ingest\` with exit code 2. Both answers name the format and what to do instead.`,
    Markdown.table(
      ["Format", "What to do"],
      rows.toSorted(([a = ""], [b = ""]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    )
  ])
}
