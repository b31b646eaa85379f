/**
 * The distinct names of all tests of a repository, sorted: search compares indexes instead of texts.
 */
import { Text } from "@lazaret/domain"
import { slots } from "../codec/BlockCounts.ts"

/** The row of a test: hundreds of thousands are read at once, so that they are not copied. */
export interface CatalogTest {
  readonly test_no: number
  readonly job_no: number
  readonly test_name: string
}

/** A block of tests, all of one job. */
export interface BlockPlace {
  readonly block_no: number
  readonly job_no: number
}

/** A job as it is stored. */
export interface CatalogJob {
  readonly jobNo: number
  readonly pipelineName: string
  readonly jobName: string
}

/**
 * The tests of a repository by number.
 *
 * **Details**
 *
 * - `names`, `pipelines`, `jobNames`: distinct, in code-point order.
 * - `nameOf`: by number of the test, the index of its name; -1 for an unused number, and for all before names are read.
 * - `jobOf`: by number of the test, the number of its job; -1 for an unused number, which may have the job of its block.
 * - `jobs`, `pipelineOf`, `jobNameOf`, `jobOrder`: by number of the job, the job, the indexes of its names, and its
 *   rank in the order of pipeline and name.
 */
export interface Catalog {
  readonly size: number
  readonly names: ReadonlyArray<string>
  readonly nameOf: Int32Array
  readonly jobOf: Int32Array
  readonly jobs: ReadonlyArray<CatalogJob | undefined>
  readonly sortedJobs: ReadonlyArray<CatalogJob>
  readonly pipelines: ReadonlyArray<string>
  readonly jobNames: ReadonlyArray<string>
  readonly pipelineOf: Int32Array
  readonly jobNameOf: Int32Array
  readonly jobOrder: Int32Array
}

/** The catalog of no tests. */
export const empty: Catalog = {
  size: 0,
  names: [],
  nameOf: new Int32Array(0),
  jobOf: new Int32Array(0),
  jobs: [],
  sortedJobs: [],
  pipelines: [],
  jobNames: [],
  pipelineOf: new Int32Array(0),
  jobNameOf: new Int32Array(0),
  jobOrder: new Int32Array(0)
}

/** The catalog with more tests and jobs; `tests` are in the order of their names. */
export const extend = (
  catalog: Catalog,
  tests: ReadonlyArray<CatalogTest>,
  jobs: ReadonlyArray<CatalogJob>
): Catalog => {
  const size = tests.reduce((largest, { test_no }) => Math.max(largest, test_no + 1), catalog.size)
  const { moved, names, places } = merge(catalog.names, tests)
  const nameOf = grown(catalog.nameOf, size)
  const jobOf = grown(catalog.jobOf, size)
  for (let testNo = 0; testNo < catalog.size; testNo++) {
    const place = catalog.nameOf[testNo] ?? -1
    if (place !== -1) nameOf[testNo] = moved[place] ?? -1
  }
  tests.forEach(({ job_no, test_no }, index) => {
    nameOf[test_no] = places[index] ?? -1
    jobOf[test_no] = job_no
  })
  return { size, names, nameOf, jobOf, ...(jobs.length === 0 ? jobsOf(catalog) : withJobs(catalog, jobs)) }
}

/** Whether the job of a block is known. */
export const isPlaced = ({ jobOf }: Catalog, blockNo: number): boolean =>
  jobOf.subarray(blockNo * slots, (blockNo + 1) * slots).some((job) => job !== -1)

/** The catalog with the jobs of more blocks. */
export const place = (catalog: Catalog, blocks: ReadonlyArray<BlockPlace>): Catalog => {
  const size = blocks.reduce((largest, { block_no }) => Math.max(largest, (block_no + 1) * slots), catalog.size)
  const jobOf = grown(catalog.jobOf, size)
  for (const { block_no, job_no } of blocks) jobOf.fill(job_no, block_no * slots, (block_no + 1) * slots)
  return { ...catalog, size, jobOf, nameOf: grown(catalog.nameOf, size) }
}

/** The index of a text in sorted distinct texts; a missing text is half-way between its neighbours. */
export const placeOf = (sorted: ReadonlyArray<string>, text: string): number =>
  search(sorted.length, (index) => Text.compare(sorted[index] ?? "", text))

/** The rank of a job in the order of jobs; a missing job is half-way between its neighbours. */
export const jobPlaceOf = ({ sortedJobs }: Catalog, pipelineName: string, jobName: string): number =>
  search(sortedJobs.length, (index) => {
    const job = sortedJobs[index]
    return job === undefined ? 0 : Text.compare(job.pipelineName, pipelineName) || Text.compare(job.jobName, jobName)
  })

/** `compare` orders the element at an index against the wanted one. */
const search = (length: number, compare: (index: number) => number): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = compare(middle)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle
  }
  return low - 0.5
}

const grown = (numbers: Int32Array, size: number): Int32Array => {
  const larger = new Int32Array(size).fill(-1)
  larger.set(numbers)
  return larger
}

/** Merges sorted names; `moved` maps old indexes to new ones, `places` holds the index of the name of each new test. */
const merge = (old: ReadonlyArray<string>, tests: ReadonlyArray<CatalogTest>) => {
  const names: Array<string> = []
  const moved = new Int32Array(old.length)
  const places = new Int32Array(tests.length)
  let next = 0
  const takeOld = (): void => {
    moved[next] = names.push(old[next] ?? "") - 1
    next += 1
  }
  tests.forEach(({ test_name }, index) => {
    while (next < old.length && Text.compare(old[next] ?? "", test_name) <= 0) takeOld()
    const last = names.length - 1
    places[index] = names[last] === test_name ? last : names.push(test_name) - 1
  })
  while (next < old.length) takeOld()
  return { names, moved, places }
}

const jobsOf = ({ jobNameOf, jobNames, jobOrder, jobs, pipelineOf, pipelines, sortedJobs }: Catalog) => ({
  jobs,
  sortedJobs,
  pipelines,
  jobNames,
  pipelineOf,
  jobNameOf,
  jobOrder
})

const withJobs = (catalog: Catalog, more: ReadonlyArray<CatalogJob>) => {
  const sortedJobs = [...catalog.sortedJobs, ...more].sort(
    (a, b) => Text.compare(a.pipelineName, b.pipelineName) || Text.compare(a.jobName, b.jobName)
  )
  const size = sortedJobs.reduce((largest, { jobNo }) => Math.max(largest, jobNo + 1), 0)
  const jobs: Array<CatalogJob | undefined> = Array.from({ length: size })
  for (const job of sortedJobs) jobs[job.jobNo] = job
  const pipelines = distinct(sortedJobs.map((job) => job.pipelineName))
  const jobNames = distinct(sortedJobs.map((job) => job.jobName))
  const byNumber = (read: (job: CatalogJob, index: number) => number): Int32Array => {
    const numbers = new Int32Array(size).fill(-1)
    sortedJobs.forEach((job, index) => {
      numbers[job.jobNo] = read(job, index)
    })
    return numbers
  }
  return {
    jobs,
    sortedJobs,
    pipelines,
    jobNames,
    pipelineOf: byNumber((job) => placeOf(pipelines, job.pipelineName)),
    jobNameOf: byNumber((job) => placeOf(jobNames, job.jobName)),
    jobOrder: byNumber((_, index) => index)
  }
}

const distinct = (texts: ReadonlyArray<string>): Array<string> => [...new Set(texts)].sort(Text.compare)
