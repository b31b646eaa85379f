/** The numbers of tests by job, in memory: every upload looks them up for each of its results. */
import { RecentlyUsed } from "../repository/RecentlyUsed.ts"

/** File path and function name of a test as reports give them. */
export interface Source {
  readonly filepath: string | null
  readonly functionName: string | null
}

/**
 * A test of a job.
 *
 * `sources` are those that have a number; the first one has the number 1.
 */
export interface NumberedTest {
  readonly testNo: number
  readonly sources: ReadonlyArray<Source>
}

/**
 * The tests of a job by name, as of a version of the repository.
 *
 * `recalculated` is that of the head when they were read: tests may be removed with a later one.
 */
export interface JobTests {
  version: number
  recalculated: number
  readonly tests: Map<string, NumberedTest>
}

/** A cache of the tests of the most recently used jobs, limited by the number of tests over all repositories. */
export class TestNumbers {
  private readonly jobs: RecentlyUsed<string, JobTests>

  constructor(capacity = 1_000_000) {
    this.jobs = new RecentlyUsed(capacity, ({ tests }) => tests.size)
  }

  /** The cached tests of a job. */
  of(repositoryId: number, jobNo: number): JobTests {
    return this.jobs.get(`${repositoryId}/${jobNo}`, () => ({ version: -1, recalculated: -1, tests: new Map() }))
  }
}
