/** A repository in a story, run by run: records each run, and answers with the verdicts on its failures. */
import { Ingestion, Triages, type Upload } from "@lazaret/services"
import { type FailureVerdict, Instant, Report } from "@lazaret/domain"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { noon, ref } from "../builders.ts"

/** The tests of the suite; those of `session.test.ts` are in one file. */
export const suite: ReadonlyArray<string> = [
  ...Array.from({ length: 16 }, (_, index) => `cart.test.ts › case ${index}`),
  ...Array.from({ length: 4 }, (_, index) => `session.test.ts › case ${index}`)
]

/**
 * A run; without a branch it is a push to main.
 *
 * **Details**
 *
 * - `fails`: the message of each test that fails, in every job or in those of `failsIn`.
 * - `hours`: how long after the run before.
 */
export interface Run {
  readonly commit: string
  readonly branch?: string
  readonly attempt?: number
  readonly jobs?: ReadonlyArray<string>
  readonly tests?: ReadonlyArray<string>
  readonly fails?: { readonly [test: string]: string }
  readonly failsIn?: ReadonlyArray<string>
  readonly hours?: number
}

/** The verdict on a failed test. */
export type Answer = FailureVerdict.FailureVerdict

/** Records the jobs of a run, and yields the verdicts on the failures of its commit. */
export const run = Effect.fnUntraced(function* (given: Run) {
  yield* TestClock.adjust((given.hours ?? 3) * Instant.hour)
  const ingestion = yield* Ingestion
  for (const job of given.jobs ?? ["unit"]) {
    yield* ingestion.record(ref, yield* uploadOf(given, job))
  }
  return yield* verdictsOn(given.commit)
})

/** Begins the story at a time that is not special. */
export const begin = TestClock.setTime(noon)

/** The verdicts on the failures of a commit. */
export const verdictsOn = Effect.fnUntraced(function* (commit: string) {
  const { listing } = yield* (yield* Triages).list(ref, { _tag: "Commit", commit }, {})
  return listing.rows
})

/** Thirty runs of main, each on a commit of its own; `fails` says what fails in the run of an index, and a rerun passes. */
export const green = Effect.fnUntraced(function* (
  rest: Omit<Run, "commit" | "fails"> = {},
  fails: (index: number) => Run["fails"] = () => undefined
) {
  for (let index = 0; index < 30; index++) {
    const failing = fails(index)
    const commit = `main-${index}`
    yield* run({ ...rest, commit, ...(failing === undefined ? {} : { fails: failing }) })
    if (failing !== undefined) yield* run({ ...rest, commit, attempt: 2, hours: 0.5 })
  }
})

const uploadOf = Effect.fnUntraced(function* (given: Run, job: string) {
  const at = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const { attempt = 1, branch = "main", commit, failsIn, tests = suite } = given
  const fails = failsIn === undefined || failsIn.includes(job) ? (given.fails ?? {}) : {}
  const context = Report.contextOf({
    pipelineName: "CI",
    jobName: job,
    commit,
    branch,
    baseBranch: branch === "main" ? null : "main",
    runId: `run of ${commit}`,
    runAttempt: attempt
  })
  const upload: Upload = {
    digest: JSON.stringify([given, job]),
    finishedAt: at,
    run: context,
    cases: [...new Set([...tests, ...Object.keys(fails)])].map((name) => caseOf(name, fails[name]))
  }
  return upload
})

const caseOf = (testName: string, message: string | undefined): Report.Case =>
  Report.caseOf({
    testName,
    filepath: testName.split(" › ")[0] ?? null,
    conclusion: message === undefined ? "passed" : "failed",
    exception: message === undefined ? null : { type: "Error", message, stacktrace: null }
  })
