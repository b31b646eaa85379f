/** Histories of durations: the durations of all tests of a repository, version by version. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { Schema } from "effect"

const Version = Schema.Struct({
  at: Schema.String,
  tests: Schema.Array(Schema.Int),
  seconds: Schema.Array(Schema.Finite)
})

/** The durations at one version: `tests` are numbers of names, `seconds` the duration of each. */
export type Version = typeof Version.Type

/** The names of the tests, and the versions, the earliest first. */
export interface History {
  readonly names: ReadonlyArray<string>
  readonly versions: ReadonlyArray<Version>
}

/** Reads a history: its first line has the names, each other one a version; plain or compressed with gzip. */
export const read = (path: string): History => {
  const bytes = readFileSync(path)
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
  const [head = "{}", ...lines] = text.trim().split("\n")
  return {
    names: Schema.decodeUnknownSync(Schema.Struct({ tests: Schema.Array(Schema.String) }))(JSON.parse(head)).tests,
    versions: lines.map((line) => Schema.decodeUnknownSync(Version)(JSON.parse(line)))
  }
}
