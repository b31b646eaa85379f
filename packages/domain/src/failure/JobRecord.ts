/**
 * The record of a job: how its latest runs ended, and the rates that follow from them.
 *
 * Everything is selected from job runs that are stored, so that it is the same in any order of arrival.
 */
import type { Instant } from "../time/Instant.ts"

/**
 * How much of a record is selected.
 *
 * **Details**
 *
 * - `runs`: job runs of the default branch. Ten a day for three weeks are enough to know how often tests flake here.
 * - `failuresOfRun`: a run in which more tests failed lists none of them: it says nothing about single tests.
 * - `others`: runs on other branches. `outages`, `signatures`: outages of the repository, and messages of each.
 * - `outageFailures`: failed executions of an outage that are counted, the first in the order of their signatures.
 * - `seen`: job runs that showed a message before. One is enough to know it, sixteen make it common.
 */
export const bounds = {
  runs: 200,
  failuresOfRun: 50,
  others: 200,
  outages: 16,
  signatures: 8,
  outageFailures: 1000,
  seen: 16
}

/**
 * A run of a job on the default branch.
 *
 * **Details**
 *
 * - `passed`, `failed`: how many executions did; `failures` names the failed tests that did not pass in the same run, in
 *   code-point order, null when `failed` is above `bounds.failuresOfRun`.
 * - `isOutage`: as health judges the run by all of its uploads (`Outage.Judgement`).
 */
export interface BaseRun {
  readonly at: Instant
  readonly commit: string
  readonly passed: number
  readonly failed: number
  readonly isOutage: boolean
  readonly failures: ReadonlyArray<string> | null
}

/**
 * The record of one pipeline and job, as of a run of it.
 *
 * **Details**
 *
 * - `base`: its latest `bounds.runs` runs on the default branch that finished before that run, within the memory of failures,
 *   on other commits; in any order.
 * - `others`: of its latest `bounds.others` runs on other branches in the same time, those of forks and of the failure's own branch left out,
 *   first attempts alone: how many there are, and in how many of them a test failed.
 */
export interface JobRecord {
  readonly base: ReadonlyArray<BaseRun>
  readonly others: { readonly runs: number; readonly red: number }
}

/** The record of a job that has never run. */
export const empty: JobRecord = { base: [], others: { runs: 0, red: 0 } }

/** An earlier outage of the default branch, in whatever job, with the signatures of most of its failures. */
export interface PastOutage {
  readonly at: Instant
  readonly commit: string
  readonly pipelineName: string
  readonly jobName: string
  readonly failed: number
  readonly passed: number
  readonly signatures: ReadonlyArray<string>
}

/**
 * The job run of a failure as a whole. Failures of one run share it.
 *
 * **Details**
 *
 * - `record`: the record of its job. `outages`: the latest `bounds.outages` outages of the repository before it, within the memory.
 * - `hit`, `passedBefore`: how many of the tests that passed on its reference fail in it (`Outage.Judgement`); `isOutage`, `isExcused`: what health says
 *   of the run. A run of another branch is compared with the reference on the default branch, and is never excused. Null
 *   while no report has brought the run.
 * - `missing`: tests that ran on the reference and not here, null where that is not known.
 */
export interface JobRunFacts {
  readonly record: JobRecord
  readonly outages: ReadonlyArray<PastOutage>
  readonly judgement: {
    readonly isOutage: boolean
    readonly isExcused: boolean
    readonly hit: number
    readonly passedBefore: number
  } | null
  readonly missing: number | null
}

/** A job run of which nothing is known. */
export const unknownRun: JobRunFacts = { record: empty, outages: [], judgement: null, missing: null }
