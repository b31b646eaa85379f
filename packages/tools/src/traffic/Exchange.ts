/** Exchanges with the simulated platforms, as the tests of the adapters recorded them. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A request and the answer to it. */
export interface Exchange {
  readonly method: string
  /** The path with its query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The text of the request; "" without one. */
  readonly body: string
  readonly status: number
  /** The headers of the answer, in small letters. */
  readonly answered: Readonly<Record<string, string | undefined>>
  /** The text of the answer; "" for archives and without one. */
  readonly answer: string
}

/** The exchanges that the workers wrote into a folder. */
export const read = (folder: string): ReadonlyArray<Exchange> => {
  const lines = globSync("*.jsonl", { cwd: folder }).flatMap((name) =>
    readFileSync(join(folder, name), "utf8").split("\n")
  )
  // The recorder writes lines of this shape.
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Exchange)
}

/** The media type of a header, without its parameters. */
export const mediaType = (header: string | undefined): string => (header ?? "").split(";")[0]?.trim() ?? ""
