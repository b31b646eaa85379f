/** The slower tests of a repository, and which changes were reported. */
import { Schema } from "effect"
import * as TestId from "../report/TestId.ts"
import * as Instant from "../time/Instant.ts"
import type { Slower } from "./Slower.ts"
import type { SlowerPolicy } from "./SlowerPolicy.ts"

/** Schema of a growth (`Slower`). */
export const Line = Schema.Struct({
  kind: Schema.Literals(["job", "test", "started"]),
  testName: Schema.NullOr(Schema.String),
  pipelineName: Schema.String,
  jobName: Schema.String,
  tests: Schema.Int,
  beforeMs: Schema.Finite,
  afterMs: Schema.Finite,
  at: Schema.Int,
  lastCommit: Schema.String,
  firstCommit: Schema.String,
  confidence: Schema.Literals(["medium", "high"]),
  executionsPerWeek: Schema.Finite,
  addedPerWeekMs: Schema.Finite,
  latestMs: Schema.Array(Schema.Finite)
})

/** Schema of the last growth of a test or job that was listed: the duration that is known to people, and when it was last listed. */
export const Reported = Schema.Struct({
  testName: Schema.NullOr(Schema.String),
  pipelineName: Schema.String,
  jobName: Schema.String,
  afterMs: Schema.Finite,
  listedAt: Schema.Int
})

/** A reported growth. */
export type Reported = typeof Reported.Type

/**
 * Schema of what is known.
 *
 * **Details**
 *
 * - `days`, `tests`: how far back was read, and how many tests were compared.
 * - `lines`: the growths that last, those that add most time each week first; at most {@link bounds.lines}.
 * - `reported`: at most {@link bounds.reported}, the last listed first.
 */
export const SlowerKnown = Schema.Struct({
  days: Schema.Int,
  tests: Schema.Int,
  lines: Schema.Array(Line),
  reported: Schema.Array(Reported)
})

/** The slower tests that are known. */
export type SlowerKnown = typeof SlowerKnown.Type

/** The growths that a computation found. */
export interface Found extends Pick<SlowerKnown, "days" | "tests"> {
  readonly lines: ReadonlyArray<Slower>
}

/**
 * How much is kept, and what is news (our choice).
 *
 * **Details**
 *
 * - `newsDays`: a growth that began earlier is listed and not reported, as all of a repository are that is computed for the first time.
 * - `memoryDays`: for how long a growth is known that is not listed any more; one that comes and goes is reported once.
 */
export const bounds = { lines: 500, reported: 2000, newsDays: 14, memoryDays: 30 } as const

/** The result of a round: the slower tests now, and the growths that were not reported before. */
export interface Round {
  readonly known: SlowerKnown
  readonly news: ReadonlyArray<Slower>
}

/**
 * The round after `before`.
 *
 * **Details**
 *
 * A growth is news when the same test or job was not listed within the last days, or when its duration has grown since by as much as a
 * growth needs (`growth`, for a job `jobGrowth`). Whether its commit is named differently now does not matter.
 */
export const of = (
  { days, lines, tests }: Found,
  before: Pick<SlowerKnown, "reported">,
  now: Instant.Instant,
  policy: SlowerPolicy
): Round => {
  const reported = new Map(
    before.reported
      .filter(({ listedAt }) => listedAt > now - bounds.memoryDays * Instant.day)
      .map((each) => [keyOf(each), each])
  )
  const news: Array<Slower> = []
  for (const line of lines.slice(0, bounds.lines)) {
    const key = keyOf(line)
    const known = reported.get(key)
    const growth = line.kind === "job" ? policy.jobGrowth : policy.growth
    const isKnown = known !== undefined && line.afterMs < (1 + growth) * known.afterMs
    if (!isKnown && line.at > now - bounds.newsDays * Instant.day) news.push(line)
    const afterMs = isKnown ? known.afterMs : line.afterMs
    const { jobName, pipelineName, testName } = line
    reported.set(key, { testName, pipelineName, jobName, afterMs, listedAt: now })
  }
  const kept = [...reported.values()].sort((a, b) => b.listedAt - a.listedAt).slice(0, bounds.reported)
  return { known: { days, tests, lines: lines.slice(0, bounds.lines), reported: kept }, news }
}

/** The slower tests without one that was deleted. */
export const withoutTest = (known: SlowerKnown, testId: TestId.TestId): SlowerKnown => {
  const isOther = ({ testName }: { readonly testName: string | null }) =>
    testName === null || TestId.of(testName) !== testId
  return { ...known, lines: known.lines.filter(isOther), reported: known.reported.filter(isOther) }
}

const keyOf = ({ jobName, pipelineName, testName }: Pick<Slower, "jobName" | "pipelineName" | "testName">): string =>
  [pipelineName, jobName, ...(testName === null ? [] : [testName])].join("\0")
