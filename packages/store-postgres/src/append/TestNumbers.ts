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
 * `sources` are those that have a number; the first one has the number 1. `next` is the test that followed it in the last
 * report: most reports of a job list its tests in the same order.
 */
export interface NumberedTest {
  readonly name: string
  readonly testNo: number
  sources: ReadonlyArray<Source>
  next: NumberedTest | null
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

/** Caches a test. A known test stays the same object: another one may name it as the next. */
export const put = ({ tests }: Pick<JobTests, "tests">, test: NumberedTest): void => {
  const known = tests.get(test.name)
  if (known === undefined) tests.set(test.name, test)
  else known.sources = test.sources
}

/**
 * Finds the tests of a report by name, in its order.
 *
 * **Details**
 *
 * Compares a name with that of the test that followed the one before in the last report: a look-up among 50,000 names costs
 * several times as much, because their memory is not in the cache of the processor.
 */
export const finder = ({ tests }: Pick<JobTests, "tests">): ((name: string) => NumberedTest | undefined) => {
  let before: NumberedTest | undefined
  return (name) => {
    const guess = before?.next
    const test = guess?.name === name ? guess : tests.get(name)
    if (test === undefined) return undefined
    if (before !== undefined) before.next = test
    before = test
    return test
  }
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
