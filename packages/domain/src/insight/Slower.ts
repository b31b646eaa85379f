/** Tests and jobs that became slower, and by how much each week. */
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import type { TestIdentity } from "../report/TestIdentity.ts"
import * as DurationSeries from "./DurationSeries.ts"
import * as DurationShift from "./DurationShift.ts"
import type { SlowerPolicy } from "./SlowerPolicy.ts"
import * as Steps from "./Steps.ts"

/** The points of one test in one job, and how many executions it had in the time that they span. */
export interface TimedTest {
  readonly identity: TestIdentity
  readonly points: ReadonlyArray<DurationSeries.Point>
  readonly executions: number
}

/**
 * A growth of duration that lasts until now.
 *
 * **Details**
 *
 * - `kind`: `job` for a job in which most tests took longer from the same time on; `started` for a test that did nothing before.
 * - `testName`: null for a job. `tests`: how many tests of the job were compared, 1 for a test.
 * - `beforeMs`, `afterMs`: of one execution; for a job of all its tests together.
 * - The change is after `lastCommit`, and in `firstCommit` or before it. `at` is the time of the first duration after it.
 * - `confidence`: `high` with ten measurements and more after the change, of which nine in ten are above the middle.
 * - `addedPerWeekMs`: the growth, times the executions of a week.
 * - `latestMs`: the latest durations, the oldest first, at most {@link mostLatest}.
 */
export interface Slower {
  readonly kind: "job" | "test" | "started"
  readonly testName: string | null
  readonly pipelineName: string
  readonly jobName: string
  readonly tests: number
  readonly beforeMs: number
  readonly afterMs: number
  readonly at: Instant.Instant
  readonly lastCommit: string
  readonly firstCommit: string
  readonly confidence: "medium" | "high"
  readonly executionsPerWeek: number
  readonly addedPerWeekMs: number
  readonly latestMs: ReadonlyArray<number>
}

/** The most durations of a line. */
export const mostLatest = 60

/**
 * The lasting growths of tests and jobs, those that add most time each week first.
 *
 * **Details**
 *
 * The pace of a job at a commit is the median, over its tests, of their duration relative to their own median. Where the pace grows, the
 * job has one line, and each of its tests is compared as if it had run at the pace of before: a test has a line of its own only for what
 * it grew more. A growth that has ended since has no line. The order of the tests changes nothing.
 */
export const of = (tests: ReadonlyArray<TimedTest>, policy: SlowerPolicy): ReadonlyArray<Slower> =>
  Steps.finish(found(tests, policy))

/** The same in steps. */
export function* found(tests: ReadonlyArray<TimedTest>, policy: SlowerPolicy): Steps.Steps<ReadonlyArray<Slower>> {
  const lines: Array<Slower> = []
  for (const ofJob of Map.groupBy(tests, ({ identity }) => `${identity.pipelineName}\0${identity.jobName}`).values()) {
    lines.push(...(yield* linesOfJob(ofJob, policy)))
  }
  return lines.filter(({ addedPerWeekMs }) => addedPerWeekMs >= policy.leastPerWeekMs).sort(order)
}

const order = (a: Slower, b: Slower): number =>
  b.addedPerWeekMs - a.addedPerWeekMs ||
  Text.compare(a.pipelineName, b.pipelineName) ||
  Text.compare(a.jobName, b.jobName) ||
  Text.compare(a.testName ?? "", b.testName ?? "") ||
  a.at - b.at

function* linesOfJob(tests: ReadonlyArray<TimedTest>, policy: SlowerPolicy): Steps.Steps<ReadonlyArray<Slower>> {
  const job = paceOf(tests, policy)
  yield
  const paces = job === null ? [] : growthsOf(job, { policy, growth: policy.jobGrowth })
  const ofJob = job === null ? [] : paces.map((growth) => lineOf(job, growth))
  const weighed = { most: pointsAtOnce, weightOf: ({ points }: TimedTest) => 1 + points.length }
  const ofTests = yield* Steps.map(tests, weighed, (test) => {
    const series = { ...seriesOf(test, policy), paces }
    return growthsOf(series, { policy, growth: policy.growth }).map((growth) => lineOf(series, growth))
  })
  return [...ofJob, ...ofTests.flat()]
}

/** Points between two steps: some milliseconds. */
const pointsAtOnce = 2000

/** The points of a test or a job; `paces` are the growths of the job that its points are freed from. */
interface Series extends Pick<Slower, "testName" | "pipelineName" | "jobName" | "tests"> {
  readonly points: ReadonlyArray<DurationSeries.Point>
  readonly executions: number
  readonly nothingMs: number
  readonly paces: ReadonlyArray<Growth>
}

const seriesOf = (
  { executions, identity, points }: TimedTest,
  { nothingMs }: Pick<SlowerPolicy, "nothingMs">
): Series => ({
  testName: identity.testName,
  pipelineName: identity.pipelineName,
  jobName: identity.jobName,
  tests: 1,
  points,
  executions,
  nothingMs,
  paces: []
})

/** The pace of a job in milliseconds of all its tests, null with too few of them. */
const paceOf = (tests: ReadonlyArray<TimedTest>, { before, jobTests, nothingMs }: SlowerPolicy): Series | null => {
  const usual = tests
    .filter(({ points }) => points.length >= before)
    .map((test) => ({ ...test, ms: DurationShift.median(test.points.map(({ ms }) => ms)) }))
    .filter(({ ms }) => ms > nothingMs)
    .sort((a, b) => Text.compare(a.identity.testName, b.identity.testName))
  const [first] = usual
  if (first === undefined || usual.length < jobTests) return null
  const commits = new Map<string, { at: number; readonly ratios: Array<number> }>()
  for (const { ms, points } of usual) {
    for (const point of points) {
      const known = commits.get(point.commit)
      if (known === undefined) commits.set(point.commit, { at: point.at, ratios: [point.ms / ms] })
      else {
        known.at = Math.min(known.at, point.at)
        known.ratios.push(point.ms / ms)
      }
    }
  }
  const all = usual.reduce((sum, { ms }) => sum + ms, 0)
  const points = [...commits]
    .filter(([, { ratios }]) => ratios.length >= jobTests)
    .map(([commit, { at, ratios }]) => ({ at, commit, lastCommit: commit, ms: all * DurationShift.median(ratios) }))
    .sort((a, b) => a.at - b.at || Text.compare(a.commit, b.commit))
  const executions = Math.max(...usual.map((test) => test.executions))
  return { ...seriesOf(first, { nothingMs }), testName: null, tests: usual.length, points, executions }
}

/** A growth that lasts until now: the last point before it and the first with it, among all points of the series. */
interface Growth {
  readonly before: number
  readonly after: number
  readonly last: DurationSeries.Point
  readonly first: DurationSeries.Point
  readonly isSure: boolean
}

const growthsOf = (
  { paces, points, ...series }: Series,
  { growth, policy }: { readonly policy: SlowerPolicy; readonly growth: number }
): ReadonlyArray<Growth> => {
  const freed = points.map((point) => ({ ...point, ms: point.ms / factorOf(paces, point.at) }))
  const thinned = DurationSeries.thinned(freed, policy.points)
  const values = thinned.map(({ ms }) => ms)
  return DurationShift.find(values, policy, growth).flatMap((shift): ReadonlyArray<Growth> => {
    const { after, before, start } = shift
    const middle = Math.sqrt(Math.max(before, series.nothingMs) * after)
    const since = values.slice(start)
    const isOver = DurationShift.median(since.slice(-policy.wait)) <= middle
    const edge = edgeOf(freed, thinned, shift)
    if (isOver || edge === null) return []
    const above = since.filter((value) => value > middle).length
    // A test of a job that became slower shows its own durations: those of the reports.
    const factor = factorOf(paces, edge.first.at)
    const isSure = since.length >= sure && above >= 0.9 * since.length
    return [{ before: before * factor, after: after * factor, ...edge, isSure }]
  })
}

/** Ten measurements are what an offline method looks at on each side of a change. */
const sure = 10

const factorOf = (paces: ReadonlyArray<Growth>, at: Instant.Instant): number =>
  paces.reduce((factor, { after, before, first }) => (at >= first.at ? (factor * after) / before : factor), 1)

/** The last point before a shift and the first one after it, among all points: an hour may have many commits. */
const edgeOf = (
  points: ReadonlyArray<DurationSeries.Point>,
  thinned: ReadonlyArray<DurationSeries.Point>,
  { after, before, start }: DurationShift.Shift
): Pick<Growth, "last" | "first"> | null => {
  const from = thinned[start - 1]?.at ?? 0
  const until = thinned[start + 1]?.at ?? Infinity
  const near = points.filter(({ at }) => at >= from && at < until)
  let best: { readonly cut: number; readonly cost: number } | null = null
  for (let cut = 1; cut < near.length; cut++) {
    const cost = near.reduce((sum, { ms }, index) => sum + Math.abs(ms - (index < cut ? before : after)), 0)
    if (best === null || cost < best.cost) best = { cut, cost }
  }
  const last = best === null ? undefined : near[best.cut - 1]
  const first = best === null ? undefined : near[best.cut]
  return last === undefined || first === undefined ? null : { last, first }
}

const lineOf = (
  { executions, jobName, nothingMs, pipelineName, points, testName, tests }: Series,
  { after, before, first, isSure, last }: Growth
): Slower => {
  const weeks = Math.max(Instant.day, (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)) / (7 * Instant.day)
  const executionsPerWeek = executions / weeks
  return {
    kind: testName === null ? "job" : before <= nothingMs ? "started" : "test",
    testName,
    pipelineName,
    jobName,
    tests,
    beforeMs: before,
    afterMs: after,
    at: first.at,
    lastCommit: last.commit,
    firstCommit: first.commit,
    confidence: isSure ? "high" : "medium",
    executionsPerWeek,
    addedPerWeekMs: (after - before) * executionsPerWeek,
    latestMs: points.slice(-mostLatest).map(({ ms }) => ms)
  }
}
