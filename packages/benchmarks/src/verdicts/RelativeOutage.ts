/**
 * The relative outage rule: a job run is an outage when many tests fail in it that passed on an earlier commit.
 *
 * It has a part that the product does not have: a repetition that fails the same tests can end the excuse.
 */
import type { JobRun } from "./World.ts"

/** The numbers of the rule. */
export interface RelativeOutagePolicy {
  readonly failedTests: number
  readonly failedShare: number
  /** On this many commits in a row the failures of an outage are excused; then the main branch is broken. */
  readonly excusedCommits: number
  /** Whether a second run of a commit that fails the same tests ends the excuse. */
  readonly repetitionEnds: boolean
}

/** The numbers that the model proposes. */
export const proposed: RelativeOutagePolicy = {
  failedTests: 3,
  failedShare: 0.05,
  excusedCommits: 2,
  repetitionEnds: false
}

/** The judgement of the rule on a job run. */
export interface Judgement {
  readonly outage: boolean
  readonly excused: boolean
}

/** Judges the job runs of one pipeline and job, given in the order of time. */
export interface OutageJudge {
  readonly judge: (run: JobRun) => Judgement
}

interface Commit {
  readonly commit: string
  readonly passed: Set<number>
  readonly ran: Set<number>
  /** How many tests ran on the reference of this commit. */
  readonly expected: number
}

const calm: Judgement = { outage: false, excused: false }

/** A judge without knowledge. */
export const start = (policy: RelativeOutagePolicy): OutageJudge => {
  let reference: Commit | null = null
  let current: Commit | null = null
  let row: Array<{ readonly commit: string; readonly hits: Set<number> }> = []

  const enter = (commit: string): void => {
    if (current?.commit === commit) return
    // A commit without a counted run, or with few executed tests, is not used as a reference.
    if (current !== null && current.ran.size > 0 && current.ran.size * 2 >= current.expected) reference = current
    current = { commit, passed: new Set(), ran: new Set(), expected: reference?.ran.size ?? 0 }
  }

  const hitsOf = (run: JobRun): Set<number> =>
    new Set(run.tests.filter((test, index) => run.outcomes[index] === "failed" && reference?.passed.has(test) === true))

  const excuse = (run: JobRun, hits: Set<number>): boolean => {
    const known = row.find(({ commit }) => commit === run.commit)
    const isRepeated = known !== undefined && isSame(known.hits, hits)
    if (known === undefined) row.push({ commit: run.commit, hits })
    const place = row.findIndex(({ commit }) => commit === run.commit)
    return place < policy.excusedCommits && !(policy.repetitionEnds && isRepeated)
  }

  const count = (run: JobRun): void => {
    run.tests.forEach((test, index) => {
      current?.ran.add(test)
      if (run.outcomes[index] === "failed") current?.passed.delete(test)
      else current?.passed.add(test)
    })
  }

  const isOutage = (hits: Set<number>): boolean =>
    reference !== null && hits.size >= policy.failedTests && hits.size >= policy.failedShare * reference.passed.size

  return {
    judge: (run) => {
      if (run.branch !== null) return isOutage(hitsOf(run)) ? { outage: true, excused: false } : calm
      enter(run.commit)
      const hits = hitsOf(run)
      const outage = isOutage(hits)
      if (!outage && run.tests.length * 2 >= (current?.expected ?? 0)) row = []
      const excused = outage && excuse(run, hits)
      if (!excused) count(run)
      return { outage, excused }
    }
  }
}

/** Whether the smaller of two sets lies in the other one for nine tenths. */
const isSame = (a: Set<number>, b: Set<number>): boolean =>
  [...a].filter((each) => b.has(each)).length >= 0.9 * Math.max(1, Math.min(a.size, b.size))
