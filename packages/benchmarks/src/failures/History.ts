/** Reads real history: one line per run of the main branch, in files `*.jsonl.gz` of a folder, in the order of their names. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { Schema } from "effect"

/** Schema of one test in one job: name, passed or failed, and the message of the failure. */
const Result = Schema.Tuple([Schema.String, Schema.Literals(["p", "f"]), Schema.NullOr(Schema.String)])

/** Schema of one run: when it ended, its commit, and the results of its jobs. */
export const HistoryRun = Schema.Struct({
  at: Schema.String,
  commit: Schema.String,
  jobs: Schema.Record(Schema.String, Schema.Array(Result))
})

/** One run of the main branch. */
export type HistoryRun = typeof HistoryRun.Type

const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..")

/** Where the history is looked for when no folder is named: `shared/data/history` next to the repository. */
const defaultFolder = resolve(repository, "../shared/data/history")

/** The folder that is named by the options (`--history=`) or the environment, else the default one. */
export const folderOf = (options: ReadonlyArray<string>): string =>
  option(options, "history") ?? process.env["LAZARET_FAILURE_HISTORY"] ?? defaultFolder

/** The value of an option `--name=value`, undefined when it is not given. */
export const option = (options: ReadonlyArray<string>, name: string): string | undefined =>
  options.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3)

/** Every run of a folder in order of time, null when the folder has no history. */
export const read = (folder: string): ReadonlyArray<HistoryRun> | null => {
  if (!existsSync(folder)) return null
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl.gz"))
    .sort()
  if (files.length === 0) return null
  return files
    .flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString("utf8")
        .trim()
        .split("\n")
    )
    .map((line) => decode(JSON.parse(line)))
    .map((run, index) => ({ run, index }))
    .sort((a, b) => (a.run.at < b.run.at ? -1 : a.run.at > b.run.at ? 1 : a.index - b.index))
    .map(({ run }) => run)
}

const decode = Schema.decodeUnknownSync(HistoryRun)
