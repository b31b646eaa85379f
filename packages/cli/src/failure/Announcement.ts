/** Shows a CI system the failures of a job: annotations, and a summary on the page of the run. */
import { Console, Effect, FileSystem, Option, Path } from "effect"
import { Flag } from "effect/cli"
import * as Annotations from "./Annotations.ts"
import * as Environment from "../terminal/Environment.ts"
import { plain, Unescaped } from "../terminal/Terminal.ts"
import * as JobSummary from "./JobSummary.ts"
import type { ShownFailure } from "./ShownFailure.ts"

/**
 * Files that a caller asks for.
 *
 * **Details**
 *
 * - `summary`: gets the summary as Markdown; without it, the summary of the step where GitHub Actions has one.
 * - `annotations`: gets the links as GitLab CI takes them (`artifacts:reports:annotations`).
 */
export interface Files {
  readonly summary: Option.Option<string>
  readonly annotations: Option.Option<string>
}

/** The flags of {@link Files}. */
export const flags = {
  summary: Flag.String("summary").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("File that gets a summary in Markdown (GitHub Actions: the summary of the step)"),
    Flag.optional
  ),
  annotations: Flag.String("annotations").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("File that gets a link for each failure, for artifacts:reports:annotations of GitLab CI"),
    Flag.optional
  )
}

const isGitHub = Effect.map(Environment.variable("GITHUB_ACTIONS"), (value) => value === "true")

/** The names of the tests whose failures the log shows as annotations: a line for each of them would repeat it. */
export const annotated = Effect.fnUntraced(function* (failures: ReadonlyArray<ShownFailure>) {
  const shown = (yield* isGitHub) ? Annotations.shown(failures) : []
  const hidden = new Set(failures.filter((each) => !shown.includes(each)).map(({ testName }) => testName))
  return new Set(shown.map(({ testName }) => testName).filter((name) => !hidden.has(name)))
})

/** Writes annotations and summary. */
export const write = Effect.fnUntraced(function* (
  failures: ReadonlyArray<ShownFailure>,
  repositoryUrl: string,
  files: Files
) {
  if (yield* isGitHub) {
    const raw = yield* Unescaped
    const placeOf = yield* placesBelow(yield* Environment.variable("GITHUB_WORKSPACE"), failures)
    for (const command of Annotations.ofGitHub(failures, placeOf)) raw.log(command)
  }
  const step = yield* Environment.variable("GITHUB_STEP_SUMMARY")
  const summary = Option.getOrElse(files.summary, () => step)
  if (summary !== null) {
    const isNew = Option.isSome(files.summary)
    const room = isNew ? JobSummary.mostBytes : JobSummary.mostBytes - (yield* sizeOf(summary))
    yield* written(summary, JobSummary.of(failures, repositoryUrl, room), isNew ? "w" : "a")
  }
  if (Option.isSome(files.annotations)) yield* written(files.annotations.value, Annotations.ofGitLab(failures), "w")
})

/** The bytes of a file; 0 when it does not exist. */
const sizeOf = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(
    Effect.map(files.stat(file), ({ size }) => Number(size)),
    () => 0
  )
})

const written = Effect.fnUntraced(function* (file: string, text: string, flag: "a" | "w") {
  const files = yield* FileSystem.FileSystem
  // A summary that cannot be written must not change the result of the tests.
  yield* Effect.catchTag(files.writeFileString(file, text, { flag }), "PlatformError", ({ reason }) =>
    Console.error(`lazaret: ${plain(file)} cannot be written (${reason._tag}): the summary is missing.`)
  )
})

/** The paths of files that exist below the current folder, relative to the checkout. */
const placesBelow = Effect.fnUntraced(function* (checkout: string | null, failures: ReadonlyArray<ShownFailure>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const places = new Map<string, string>()
  for (const file of new Set(failures.flatMap((each) => each.file ?? []))) {
    const place = path.relative(checkout ?? ".", path.resolve(file))
    const isWithin = !place.startsWith("..") && !path.isAbsolute(place)
    if (isWithin && (yield* Effect.orElseSucceed(files.exists(file), () => false))) places.set(file, place)
  }
  return (file: string): string | null => places.get(file) ?? null
})
