/** The outage rule of the product, and variants of it that differ in one thing each. */
import { Outage, TestSet } from "@lazaret/domain"
import { fileOf } from "./Scenario.ts"
import type { JobRun } from "./World.ts"

/** Judges the runs of the main branch in the order of time, and compares runs of other branches with them. */
export interface OutageJudge {
  readonly onMain: (run: JobRun) => Outage.Judgement
  readonly isOutage: (run: JobRun) => boolean
}

/**
 * The numbers with which a variant judges a run.
 *
 * **Details**
 *
 * `hit` are the tests that passed on the reference commit and fail in the run; `isRepeated` says whether an earlier run of
 * the commit was an outage that failed nine tenths of them, or of its own.
 */
export type Variant = (
  run: JobRun,
  found: { readonly hit: ReadonlyArray<number>; readonly isRepeated: boolean },
  policy: Outage.OutagePolicy
) => Outage.OutagePolicy

/** The rule of the product. */
export const landed: Variant = (_run, _found, policy) => policy

/** A second run of a commit that fails the same tests ends the excuse. */
export const repetitionEnds: Variant = (_run, { isRepeated }, policy) => (isRepeated ? counted(policy) : policy)

/** Tests of as many files that fail with one message are an outage, however small their share. */
export const sharedMessage =
  (files: number): Variant =>
  (run, { hit }, policy) =>
    groupsOf(run, hit).some((tests) => new Set(tests.map(fileOf)).size >= files) ? always(policy) : policy

/** Only failures of which half share their message with tests of other files are excused. */
export const onlySharedMessage: Variant = (run, { hit }, policy) => {
  const shared = groupsOf(run, hit).filter((tests) => new Set(tests.map(fileOf)).size >= 2)
  return shared.reduce((sum, { length }) => sum + length, 0) * 2 >= hit.length ? policy : counted(policy)
}

/** Two tests that fail in one of several sibling jobs are an outage, however small their share. */
export const oneSibling: Variant = (run, { hit }, policy) =>
  hit.length >= 2 && hasSiblings(run) && hit.every((test) => failedSiblings(run, test) === 0) ? always(policy) : policy

/** Failures in every sibling job are not excused. */
export const everySiblingEnds: Variant = (run, { hit }, policy) => {
  const others = run.together.length - 1
  const everywhere = hit.filter((test) => failedSiblings(run, test) === others)
  return hasSiblings(run) && everywhere.length >= 0.9 * hit.length ? counted(policy) : policy
}

/** A judge without knowledge: one state for each job. */
export const start = (variant: Variant, policy: Outage.OutagePolicy): OutageJudge => {
  const states = new Map<number, Outage.State>()
  const outages = new Map<string, ReadonlySet<number>>()
  const step = (run: JobRun) => {
    const state = states.get(run.job) ?? Outage.initial()
    const hit = hitsOf(run, state)
    const before = outages.get(`${run.job} ${run.commit}`)
    const isRepeated = before !== undefined && isSame(before, new Set(hit))
    const chosen = variant(run, { hit, isRepeated }, policy)
    if (chosen.excusedCommits === policy.excusedCommits) return { hit, next: Outage.step(state, jobRunOf(run), chosen) }
    // An earlier run may have excused the commit already, so judge it with an empty `row`.
    const { judgement, state: after } = Outage.step({ ...state, row: [] }, jobRunOf(run), chosen)
    return { hit, next: { judgement, state: { ...after, row: state.row } } }
  }
  return {
    isOutage: (run) => step(run).next.judgement.outage,
    onMain: (run) => {
      const { hit, next } = step(run)
      states.set(run.job, next.state)
      if (next.judgement.outage) outages.set(`${run.job} ${run.commit}`, new Set(hit))
      return next.judgement
    }
  }
}

/** The same thresholds without an excuse: the failures count, and are no evidence of flakiness. */
const counted = (policy: Outage.OutagePolicy): Outage.OutagePolicy => ({ ...policy, excusedCommits: 0 })

const always = (policy: Outage.OutagePolicy): Outage.OutagePolicy => ({ ...policy, failedTests: 1, failedShare: 0 })

const hitsOf = (run: JobRun, state: Outage.State): ReadonlyArray<number> => {
  // A step without thresholds counts nothing: it only finds the reference.
  const { references } = Outage.step(state, jobRunOf(run), Outage.defaults).state
  const reference = references.find(({ commit }) => commit !== run.commit)
  return run.tests.filter(
    (test, index) => run.outcomes[index] === "failed" && reference !== undefined && TestSet.has(reference.passed, test)
  )
}

const groupsOf = (run: JobRun, hit: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const of = new Set(hit)
  const failed = run.tests.flatMap((test, index) => (of.has(test) ? [{ test, signature: run.signatures[index] }] : []))
  return [...Map.groupBy(failed, ({ signature }) => signature).values()].map((group) => group.map(({ test }) => test))
}

const hasSiblings = (run: JobRun): boolean => run.together.length > 1

/** In how many sibling jobs of the round a test fails: the tests of each job are in the same order. */
const failedSiblings = (run: JobRun, test: number): number => {
  const place = run.tests.indexOf(test)
  return run.together.filter(({ job, outcomes }) => job !== run.job && outcomes[place] === "failed").length
}

const jobRunOf = (run: JobRun): Outage.Run => {
  const tests = (isFailed: boolean) =>
    TestSet.of(run.tests.filter((_, index) => (run.outcomes[index] === "failed") === isFailed))
  return {
    key: `${run.runId}/${run.attempt}`,
    at: run.at,
    commit: run.commit,
    passed: tests(false),
    failed: tests(true),
    ownShare: 0
  }
}

/** Whether the smaller of two sets lies in the other one for nine tenths. */
const isSame = (a: ReadonlySet<number>, b: ReadonlySet<number>): boolean =>
  [...a].filter((test) => b.has(test)).length >= 0.9 * Math.max(1, Math.min(a.size, b.size))
