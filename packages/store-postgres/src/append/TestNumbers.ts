/** The numbers of tests, remembered by job: what every upload looks up for each of its results. */

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

/** What is remembered of the tests of all repositories: the jobs that were used last, up to some number of tests. */
export class TestNumbers {
  private readonly jobs = new Map<string, JobTests>()
  private readonly capacity: number

  constructor(capacity = 1_000_000) {
    this.capacity = capacity
  }

  /** The tests of a job, as far as they are remembered. */
  of(repositoryId: number, jobNo: number): JobTests {
    const key = `${repositoryId}/${jobNo}`
    const found = this.jobs.get(key) ?? { version: -1, tests: new Map<string, NumberedTest>() }
    this.jobs.delete(key)
    this.jobs.set(key, found)
    this.forget()
    return found
  }

  private forget(): void {
    let total = 0
    for (const { tests } of this.jobs.values()) total += tests.size
    for (const [key, { tests }] of this.jobs) {
      if (total <= this.capacity || this.jobs.size === 1) return
      this.jobs.delete(key)
      total -= tests.size
    }
  }
}
