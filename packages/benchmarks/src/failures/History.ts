/** Reads real history: one line per run of the main branch, in files `*.jsonl` or `*.jsonl.gz` of a folder. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { Schema } from "effect"

/** One test in one job: name, passed or failed, and the message of the failure. */
export type HistoryResult = readonly [test: string, outcome: "p" | "f", message: string | null]

const Line = Schema.Struct({
  at: Schema.String,
  commit: Schema.String,
  jobs: Schema.Record(Schema.String, Schema.Array(Schema.Array(Schema.Unknown)))
})

/** One run of the main branch: when it ended, its commit, and the results of its jobs. */
export interface HistoryRun extends Omit<typeof Line.Type, "jobs"> {
  readonly jobs: { readonly [job: string]: ReadonlyArray<HistoryResult> }
}

const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..")

/** The folder of the history when none is named: `shared/data/history` next to the repository. */
const defaultFolder = resolve(repository, "../shared/data/history")

/** The folder that is named by the options (`--history=`) or the environment, else the default one. */
export const folderOf = (options: ReadonlyArray<string>): string =>
  option(options, "history") ?? process.env["LAZARET_FAILURE_HISTORY"] ?? defaultFolder

/** The value of an option `--name=value`, undefined when it is not given. */
export const option = (options: ReadonlyArray<string>, name: string): string | undefined =>
  options.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3)

/**
 * Every run of a folder in order of time, null when the folder has no history.
 *
 * **Details**
 *
 * Unknown fields, further elements of a result, results that neither passed nor failed, and empty lines are ignored.
 */
export const read = (folder: string): ReadonlyArray<HistoryRun> | null => {
  if (!existsSync(folder)) return null
  const files = readdirSync(folder)
    .filter((name) => /\.jsonl(?:\.gz)?$/u.test(name))
    .sort()
  if (files.length === 0) return null
  return files
    .flatMap((name) => textOf(join(folder, name)).split("\n"))
    .filter((line) => line.trim() !== "")
    .map((line) => runOf(decode(JSON.parse(line))))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

const decode = Schema.decodeUnknownSync(Line)

const textOf = (path: string): string => {
  const bytes = readFileSync(path)
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
}

const runOf = (line: typeof Line.Type): HistoryRun => ({
  at: line.at,
  commit: line.commit,
  jobs: Object.fromEntries(Object.entries(line.jobs).map(([job, results]) => [job, results.flatMap(resultOf)]))
})

const resultOf = ([test, outcome, message]: ReadonlyArray<unknown>): ReadonlyArray<HistoryResult> =>
  typeof test === "string" && test !== "" && (outcome === "p" || outcome === "f")
    ? [[test, outcome, typeof message === "string" ? message : null]]
    : []
