/** The numbers of tests by job, in memory: every upload looks them up for each of its results. */
import { RecentlyUsed } from "../repository/RecentlyUsed.ts"

/** File path and function name of a test as reports say them. */
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

/** The tests of a job by name, as of a version of the repository. */
export interface JobTests {
  version: number
  readonly tests: Map<string, NumberedTest>
}

/** The tests of the jobs that were used last, up to a number of tests over all repositories. */
export class TestNumbers {
  private readonly jobs: RecentlyUsed<string, JobTests>

  constructor(capacity = 1_000_000) {
    this.jobs = new RecentlyUsed(capacity, ({ tests }) => tests.size)
  }

  /** The tests of a job that are in memory. */
  of(repositoryId: number, jobNo: number): JobTests {
    return this.jobs.get(`${repositoryId}/${jobNo}`, () => ({ version: -1, tests: new Map() }))
  }
}
