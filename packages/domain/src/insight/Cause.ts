/** A cause of failures: the tests that fail for one reason, what is known of it, and what people decided about it. */
import { Schema } from "effect"
import * as Instant from "../time/Instant.ts"
import * as Steps from "./Steps.ts"
import * as Text from "../text/Text.ts"
import type { FailedRun, Exception } from "./CauseFacts.ts"
import type { CauseGroup } from "./CauseGroups.ts"
import * as CauseName from "./CauseName.ts"
import { type FailingTest, mostFrequent, numbersOf } from "./FailingTest.ts"

/**
 * Schema of the kinds of causes.
 *
 * **Details**
 *
 * - `tests`: the tests fail together at different times. `change`: they failed on one branch alone, which is not the default branch.
 * - `outage`: excused outages with one message.
 */
export const Kind = Schema.Literals(["tests", "change", "outage"])

/** A kind of causes. */
export type Kind = typeof Kind.Type

/** Schema of a test of a cause: in how many job runs it failed with it, and when for the last time. */
export const CauseTest = Schema.Struct({ testName: Schema.String, runs: Schema.Int, lastAt: Schema.Int })

/** A test of a cause. */
export type CauseTest = typeof CauseTest.Type

/** Schema of a job in which a cause made job runs red, and in how many. */
export const CauseJob = Schema.Struct({ pipelineName: Schema.String, jobName: Schema.String, runs: Schema.Int })

/** Schema of a job run that a cause made red, and how many of its tests failed in it. */
export const CauseRun = Schema.Struct({
  at: Schema.Int,
  pipelineName: Schema.String,
  jobName: Schema.String,
  commit: Schema.String,
  branch: Schema.NullOr(Schema.String),
  testName: Schema.String,
  failed: Schema.Int
})

/**
 * Schema of what is known of a cause.
 *
 * **Details**
 *
 * - `tests`: those with most failing job runs first, at most {@link mostTests}; `testCount`: all of them.
 * - `signature`, `exceptionType`, `message`: those of most failures; null where failures differ or say nothing. `messageShare`: the share
 *   of the failures with this signature.
 * - `firstAt`, `lastAt`: its first and its last failure. `runs`: the job runs in which one of its tests failed; `weeks`: of them those
 *   of the last {@link weeks} weeks, the oldest first.
 * - `jobs`: most job runs first, at most {@link mostJobs}. `examples`: the latest job runs.
 */
export const CauseKnown = Schema.Struct({
  kind: Kind,
  name: Schema.String,
  tests: Schema.Array(CauseTest),
  testCount: Schema.Int,
  signature: Schema.NullOr(Schema.String),
  exceptionType: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  messageShare: Schema.Finite,
  firstAt: Schema.Int,
  lastAt: Schema.Int,
  runs: Schema.Int,
  weeks: Schema.Array(Schema.Int),
  jobs: Schema.Array(CauseJob),
  examples: Schema.Array(CauseRun)
})

/** The facts on a cause. */
export type CauseKnown = typeof CauseKnown.Type

/** How many tests of a cause are kept, those with most failing job runs. */
export const mostTests = 5000

/** How many jobs of a cause are kept. */
export const mostJobs = 20

/** How many weeks are counted. */
export const weeks = 12

const mostExamples = 3

/** The facts on a group of failures as of an instant. */
export const known = (
  group: CauseGroup,
  exceptions: ReadonlyMap<string, Exception>,
  now: Instant.Instant
): CauseKnown => Steps.finish(knowing(group, exceptions, now))

/** The same in steps of some thousand tests. */
export function* knowing(
  { isOutage, runs, tests }: CauseGroup,
  exceptions: ReadonlyMap<string, Exception>,
  now: Instant.Instant
): Steps.Steps<CauseKnown> {
  const signatures = tests.flatMap((test) => test.signatures)
  const signature = mostFrequent(signatures) ?? null
  const share =
    signature === null ? 0 : signatures.filter((each) => each === signature).length / Math.max(1, signatures.length)
  const isCommon = signature !== null && share >= commonShare
  const words = isCommon ? (exceptions.get(signature) ?? null) : null
  const isSilent = signatures.every((each) => each === null)
  const isLarge = tests.length > testsAtOnce
  if (isLarge) yield
  const name = CauseName.of({
    isOutage,
    testNames: tests.map(({ testName }) => testName),
    tests: tests.length,
    exception: isSilent ? { exceptionType: null, message: null } : words,
    frame: frameOf(tests)
  })
  if (isLarge) yield
  const ranked = yield* causeTests(tests, runs)
  if (isLarge) yield
  const examples = yield* examplesOf(tests, runs)
  return {
    kind: isOutage ? "outage" : kindOf(runs),
    name,
    tests: ranked,
    testCount: tests.length,
    signature: isCommon ? signature : null,
    exceptionType: words?.exceptionType ?? null,
    message: words?.message ?? null,
    messageShare: share,
    firstAt: runs[0]?.at ?? now,
    lastAt: runs.at(-1)?.at ?? now,
    runs: runs.length,
    weeks: weeksOf(runs, now),
    jobs: jobsOf(runs),
    examples
  }
}

/**
 * The place of a failed test among the tests of its cause, in words.
 *
 * @example
 * ```ts
 * import { Cause } from "@lazaret/domain"
 *
 * Cause.membership(12, 9) // => "one of 12 tests with this cause, 9 failed in this run"
 * Cause.membership(1, 1) // => "the only test with this cause"
 * ```
 */
export const membership = (tests: number, failedHere: number): string =>
  tests === 1
    ? "the only test with this cause"
    : `one of ${tests} tests with this cause, ${failedHere} failed in this run`

/** A group with more tests is evaluated in several steps. */
const testsAtOnce = 2000

/** A message names a cause when at least this share of the failures say it. */
const commonShare = 0.4

const kindOf = (runs: ReadonlyArray<FailedRun>): Kind => {
  const branches = new Set(runs.map(({ branch }) => branch))
  return runs.every(({ isOnDefault }) => !isOnDefault) && branches.size === 1 ? "change" : "tests"
}

const frameOf = (tests: ReadonlyArray<FailingTest>): string | null => {
  const frames = tests.flatMap((test) => test.frames)
  const frame = mostFrequent(frames) ?? null
  return frames.filter((each) => each === frame).length >= commonShare * frames.length ? frame : null
}

function* causeTests(
  tests: ReadonlyArray<FailingTest>,
  runs: ReadonlyArray<FailedRun>
): Steps.Steps<ReadonlyArray<CauseTest>> {
  const instants = new Map(numbersOf(tests).map((number, index) => [number, runs[index]?.at ?? 0]))
  const found = tests.map((test) => ({
    testName: test.testName,
    runs: test.runs.length,
    lastAt: instants.get(test.runs.at(-1) ?? -1) ?? 0
  }))
  const ranked = yield* Steps.sorted(found, (a, b) => b.runs - a.runs || Text.compare(a.testName, b.testName))
  return ranked.slice(0, mostTests)
}

const weeksOf = (runs: ReadonlyArray<FailedRun>, now: Instant.Instant): ReadonlyArray<number> => {
  const counts = Array.from({ length: weeks }, () => 0)
  for (const { at } of runs) {
    const ago = Math.max(0, Math.floor((now - at) / (7 * Instant.day)))
    if (ago < weeks) counts[weeks - 1 - ago] = (counts[weeks - 1 - ago] ?? 0) + 1
  }
  return counts
}

const jobsOf = (runs: ReadonlyArray<FailedRun>): CauseKnown["jobs"] =>
  [...Map.groupBy(runs, ({ jobName, pipelineName }) => `${pipelineName}\0${jobName}`).values()]
    .flatMap((list) => {
      const [first] = list
      return first === undefined
        ? []
        : [{ pipelineName: first.pipelineName, jobName: first.jobName, runs: list.length }]
    })
    .sort(
      (a, b) => b.runs - a.runs || Text.compare(a.pipelineName, b.pipelineName) || Text.compare(a.jobName, b.jobName)
    )
    .slice(0, mostJobs)

function* examplesOf(
  tests: ReadonlyArray<FailingTest>,
  runs: ReadonlyArray<FailedRun>
): Steps.Steps<CauseKnown["examples"]> {
  const members = new Set(tests.map(({ testName }) => testName))
  const examples: Array<CauseKnown["examples"][number]> = []
  for (const { at, branch, commit, failed, jobName, pipelineName } of runs.slice(-mostExamples).toReversed()) {
    const names = new Set<string>()
    let least = ""
    yield* Steps.map(failed, perFailure, ({ testName }) => {
      if (!members.has(testName)) return
      if (names.size === 0 || Text.compare(testName, least) < 0) least = testName
      names.add(testName)
    })
    examples.push({ at, pipelineName, jobName, commit, branch, testName: least, failed: names.size })
  }
  return examples
}

const perFailure = Steps.ofItems(10_000)
