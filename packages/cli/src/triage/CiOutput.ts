/** Writes verdicts to where a CI system shows them: job summary and annotations of GitHub Actions, sections of GitLab CI. */
import { Clock, Console, Effect, FileSystem } from "effect"
import * as Environment from "../Environment.ts"
import * as Terminal from "../Terminal.ts"
import * as Verdicts from "./Verdicts.ts"

/** Verdicts, what they add up to, and where people read more. */
export interface Judged {
  readonly failures: ReadonlyArray<Verdicts.Failure>
  readonly summary: Verdicts.Summary
  readonly place: Verdicts.Place
}

/** The output of the process: lines that are commands of the CI system go there as they are. */
export interface Output {
  readonly write: (text: string) => unknown
}

/**
 * Prints one line for each failure, and writes what the CI system at hand shows.
 *
 * **Details**
 *
 * - GitHub Actions (`GITHUB_STEP_SUMMARY`): a table in the summary of the job, and annotations.
 * - GitLab CI (`GITLAB_CI`): the lines are a section of the log; `LAZARET_CODE_QUALITY` names a file for a code quality
 *   report.
 * - A file that cannot be written is a warning: it changes no exit code.
 */
export const write = Effect.fnUntraced(function* (
  { failures, place, summary }: Judged,
  output: Output = process.stdout
) {
  const text = Verdicts.lines(yield* Terminal.current, place, { failures, summary })
  const isGitLab = (yield* Environment.variable("GITLAB_CI")) !== null
  if (isGitLab && failures.length > 0) {
    const at = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    yield* print(output, Verdicts.gitLabSection(Terminal.harmless(text), at))
  } else yield* Console.log(text)
  const summaryFile = yield* Environment.variable("GITHUB_STEP_SUMMARY")
  if (summaryFile !== null && failures.length > 0) {
    yield* append(summaryFile, `${Verdicts.markdown(place, failures, summary)}\n`)
    for (const line of Verdicts.annotations(failures)) yield* print(output, line)
  }
  const quality = isGitLab ? yield* Environment.variable("LAZARET_CODE_QUALITY") : null
  if (quality !== null) yield* replace(quality, JSON.stringify(Verdicts.codeQuality(failures)))
})

const print = (output: Output, text: string): Effect.Effect<void> => Effect.sync(() => void output.write(`${text}\n`))

const append = (path: string, text: string) => toFile(path, text, "a")

const replace = (path: string, text: string) => toFile(path, text, "w")

const toFile = (path: string, text: string, flag: "a" | "w") =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(path, text, { flag })).pipe(
    Effect.catch((error) => Console.error(`lazaret: ${path} cannot be written: ${error.message}`))
  )
