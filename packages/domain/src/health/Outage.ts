/**
 * Outages: job runs in which many tests fail that passed on an earlier commit, so that the failures say nothing about
 * single tests.
 *
 * The failures of an outage count in statistics. On the first commits of a row of outages they are excused: health does
 * not count them. From the third commit on they count, because the default branch really is broken. A failure in an
 * outage is never evidence of flakiness. All of it is our choice; see `docs/explanation/outages.md`.
 */
import type { Instant } from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import * as Policy from "../policy/Policy.ts"
import * as TestSet from "./TestSet.ts"

/** The numbers of the outage rule, each with its default and its reason. */
export const fields = {
  failedTests: Policy.count(
    3,
    [1, 1_000_000],
    "Tests that passed on the reference commit and fail, from which a run may be an outage",
    "Two tests that break with one commit are an ordinary change; three that break at once are wrongly quarantined otherwise."
  ),
  failedShare: Policy.share(
    0.05,
    "Share of the tests that passed on the reference commit that must fail",
    "99 % of 12,953 failed suite runs of ten large projects have less than 5.5 % failing classes."
  ),
  ownShare: Policy.share(
    0.5,
    "Share of the failures with an error of their own up to which a run may be an outage",
    "Assertions and missing code say that the code is wrong, however many tests it breaks. With 1 messages make no difference."
  ),
  excusedCommits: Policy.count(
    2,
    [0, 10],
    "Commits in a row whose outages are excused",
    "With two, an outage that lasts is not taken for a break; a real break of many tests is called broken at its third commit."
  ),
  fewTests: Policy.count(
    4,
    [1, 1_000_000],
    "Failed tests from which the failures of a run are no single failures",
    "99 % of the failures on one commit with fewer than 4 next to them were flakes, 85 % with more."
  ),
  fewShare: Policy.share(
    0.01,
    "Share of the tests of a run below which its failures are single failures all the same",
    "Four failures among a thousand tests are as isolated as one among a hundred."
  )
}

/** Schema of the outage policy. */
export const OutagePolicy = Policy.schema(fields)

/** The thresholds of an outage. */
export type OutagePolicy = typeof OutagePolicy.Type

/** The outage policy with every default. */
export const defaults: OutagePolicy = Policy.defaultsOf(fields)

/**
 * One job run of the default branch, over all its uploads.
 *
 * **Details**
 *
 * `key` identifies the run (`JobRun.key` of the store), `at` is the finish of its last execution. `passed` and `failed`
 * are the tests with a passed or a failed execution in it; a test with both is in both. `ownShare` is the share of its failures that
 * are those of the code ({@link ownShareOf}). Runs that are compared belong to one pipeline and job.
 */
export interface Run<Commit = string> {
  readonly key: string
  readonly at: Instant
  readonly commit: Commit
  readonly passed: TestSet.TestSet
  readonly failed: TestSet.TestSet
  readonly ownShare: number
}

/** The share of the failed executions of a run that have an error of their own (`FailureMessage.isOwn`); 0 without failures. */
export const ownShareOf = ({ failed, ownFailed }: { readonly failed: number; readonly ownFailed: number }): number =>
  failed === 0 ? 0 : ownFailed / failed

/**
 * The judgement on a run.
 *
 * **Details**
 *
 * - `outage`: it is one; `excused`: its failures do not count in health.
 * - `many`: too many of its tests failed for one of them to be a single failure.
 * - `hit` tests of the `passedBefore` that passed on the reference commit fail; both 0 without a reference.
 */
export interface Judgement {
  readonly outage: boolean
  readonly excused: boolean
  readonly many: boolean
  readonly hit: number
  readonly passedBefore: number
}

/** A run about which nothing is to be said. */
export const calm: Judgement = { outage: false, excused: false, many: false, hit: 0, passedBefore: 0 }

/**
 * The sum of the runs of one commit that follow each other, excused ones left out.
 *
 * **Details**
 *
 * `run` is the key of the last of the runs, excused or not. `ran` has the tests that passed or failed, `passed` those
 * whose last run passed. `expected` is how many tests ran on the reference of the commit.
 */
export interface Tally<Commit = string> {
  readonly run: string
  readonly commit: Commit
  readonly passed: TestSet.TestSet
  readonly ran: TestSet.TestSet
  readonly expected: number
}

/**
 * The state on which the judgement of the next run depends.
 *
 * **Details**
 *
 * - `current`: the commit of the last run.
 * - `references`: the latest earlier commits that can be a reference, latest first: two, since a commit that is run
 *   again after a newer one is not compared with itself.
 * - `row`: the commits with outages since the last run without, up to the number that is excused.
 */
export interface State<Commit = string> {
  readonly current: Tally<Commit> | null
  readonly references: ReadonlyArray<Tally<Commit>>
  readonly row: ReadonlyArray<Commit>
}

const unnamed: State<never> = { current: null, references: [], row: [] }

/** The state before any run. */
export const initial = <Commit = string>(): State<Commit> => unnamed

/** The order of runs: by finish, then key. */
export const order = (
  a: { readonly at: Instant; readonly key: string },
  b: { readonly at: Instant; readonly key: string }
): number => a.at - b.at || Text.compare(a.key, b.key)

/** The judgement on a run, and the state after it. */
export interface Step<Commit = string> {
  readonly judgement: Judgement
  readonly state: State<Commit>
}

/**
 * Judges the next run of a job.
 *
 * **Details**
 *
 * - The reference is the latest earlier commit that has a run that was not excused. A commit on which less than half as
 *   many tests ran as on its own reference is not used.
 * - A run is an outage when at least `failedTests` tests that passed on the reference fail in it, and at least
 *   `failedShare` of all that passed there, unless more than `ownShare` of its failures have an error of their own. Without a reference nothing is an outage.
 * - A run without an outage ends the row, when at least half as many tests ran in it as on the reference.
 *
 * @example
 * ```ts
 * import { Outage, TestSet } from "@lazaret/domain"
 *
 * const tests = TestSet.of([0, 1, 2])
 * const good = { key: "1", at: 1, commit: "c1", passed: tests, failed: TestSet.empty, ownShare: 0 }
 * const bad = { key: "2", at: 2, commit: "c2", passed: TestSet.empty, failed: tests, ownShare: 0 }
 * const before = Outage.step(Outage.initial(), good, Outage.defaults)
 * before.judgement.outage // => false
 * Outage.step(before.state, bad, Outage.defaults).judgement
 * // => { outage: true, excused: true, many: false, hit: 3, passedBefore: 3 }
 * ```
 */
export const step = <Commit>(state: State<Commit>, run: Run<Commit>, policy: OutagePolicy): Step<Commit> => {
  const { current, references, row } = enter(state, run)
  const reference = references.find(({ commit }) => commit !== run.commit)
  const hit = reference === undefined ? 0 : TestSet.common(run.failed, reference.passed)
  const passedBefore = reference === undefined ? 0 : TestSet.size(reference.passed)
  const outage =
    run.ownShare <= policy.ownShare && hit >= policy.failedTests && hit / passedBefore >= policy.failedShare
  const ran = TestSet.union(run.passed, run.failed)
  const after = outage ? rowWith(row, run.commit, policy) : TestSet.size(ran) * 2 >= current.expected ? [] : row
  const excused = outage && after.includes(run.commit)
  return {
    judgement: { outage, excused, many: isMany(run.failed, ran, policy), hit, passedBefore },
    state: { current: excused ? { ...current, run: run.key } : count(current, run, ran), references, row: after }
  }
}

/**
 * The judgements of runs given in any order, from the state before them, each with the state after it; in the order of
 * runs.
 */
export const judge = <R extends Run<Commit>, Commit>(
  start: State<Commit>,
  runs: Iterable<R>,
  policy: OutagePolicy
): ReadonlyArray<Step<Commit> & { readonly run: R }> => {
  let state = start
  return [...runs].sort(order).map((run) => {
    const next = step(state, run, policy)
    state = next.state
    return { ...next, run }
  })
}

/** The tests that passed in a run and did not fail in it. */
export const passedIn = ({ failed, passed }: Pick<Run, "failed" | "passed">): TestSet.TestSet =>
  TestSet.without(passed, failed)

/** The keys of the runs that a state names: what a store must keep to go on from it. */
export const keysOf = <Commit>({ current, references }: State<Commit>): ReadonlyArray<string> =>
  [current, ...references].flatMap((tally) => (tally === null ? [] : [tally.run]))

/** Whether two states lead to the same judgements. */
export const isSame = <Commit>(a: State<Commit>, b: State<Commit>): boolean =>
  isSameTally(a.current, b.current) &&
  a.references.length === b.references.length &&
  a.references.every((tally, index) => isSameTally(tally, b.references[index] ?? null)) &&
  a.row.length === b.row.length &&
  a.row.every((commit, index) => commit === b.row[index])

const isSameTally = <Commit>(a: Tally<Commit> | null, b: Tally<Commit> | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.run === b.run &&
    a.commit === b.commit &&
    a.expected === b.expected &&
    TestSet.isSame(a.passed, b.passed) &&
    TestSet.isSame(a.ran, b.ran))

interface Entered<Commit> extends State<Commit> {
  readonly current: Tally<Commit>
}

/** The state in which a run finds its job: its own commit is the current one. */
const enter = <Commit>({ current, references, row }: State<Commit>, run: Run<Commit>): Entered<Commit> => {
  if (current !== null && current.commit === run.commit) return { current, references, row }
  const known = current !== null && isUsable(current) ? withReference(references, current) : references
  const reference = known.find(({ commit }) => commit !== run.commit)
  const expected = reference === undefined ? 0 : TestSet.size(reference.ran)
  const { commit, key } = run
  return { current: { run: key, commit, passed: TestSet.empty, ran: TestSet.empty, expected }, references: known, row }
}

const isUsable = ({ expected, ran }: Tally<unknown>): boolean => {
  const size = TestSet.size(ran)
  return size > 0 && size * 2 >= expected
}

const withReference = <Commit>(references: ReadonlyArray<Tally<Commit>>, latest: Tally<Commit>) =>
  [latest, ...references.filter(({ commit }) => commit !== latest.commit)].slice(0, 2)

const rowWith = <Commit>(row: ReadonlyArray<Commit>, commit: Commit, policy: OutagePolicy): ReadonlyArray<Commit> =>
  row.includes(commit) || row.length >= policy.excusedCommits ? row : [...row, commit]

const count = <Commit>(tally: Tally<Commit>, run: Run<Commit>, ran: TestSet.TestSet): Tally<Commit> => ({
  ...tally,
  run: run.key,
  passed: TestSet.union(TestSet.without(tally.passed, run.failed), passedIn(run)),
  ran: TestSet.union(tally.ran, ran)
})

const isMany = (failed: TestSet.TestSet, ran: TestSet.TestSet, policy: OutagePolicy): boolean => {
  const failures = TestSet.size(failed)
  return failures >= policy.fewTests && failures / TestSet.size(ran) >= policy.fewShare
}
