/** The losses of a repository: runs of the base branch in which expected tests, or jobs, did not run. */
import * as TestSet from "../health/TestSet.ts"
import * as Text from "../text/Text.ts"
import type * as Instant from "../time/Instant.ts"
import * as Expectation from "./Expectation.ts"
import * as MissingFacts from "./MissingFacts.ts"
import type { MissingPolicy } from "./MissingPolicy.ts"

/**
 * A loss that was found.
 *
 * **Details**
 *
 * - `jobNames`: the job, or all shards. `run`: the first run of the loss. `kind`: `jobs` when whole jobs did not report; then tests are
 *   numbers in `jobNames`.
 * - `expected`, `missing`: how many tests were expected, and those of them that did not run. `appeared`: those that ran for the first
 *   time when the others did not.
 * - `runs`: how many runs lack them so far. `state`: `returned` when they ran again, `gone` when they are not expected any more.
 * - `isSmall`: too few for a loss at first sight; found when they were gone.
 */
export interface FoundLoss {
  readonly kind: "tests" | "jobs"
  readonly pipelineName: string
  readonly jobNames: ReadonlyArray<string>
  readonly run: Pick<MissingFacts.JobRunSet, "runId" | "at" | "commit">
  readonly expected: number
  readonly missing: TestSet.TestSet
  readonly appeared: TestSet.TestSet
  readonly runs: number
  readonly lastAt: Instant.Instant
  readonly state: "open" | "returned" | "gone"
  readonly isSmall: boolean
}

/** What was found in the runs of a unit; `missingRuns`: how many more are needed before tests are expected. */
export interface FoundLosses {
  readonly losses: ReadonlyArray<FoundLoss>
  readonly missingRuns: number
}

/**
 * The losses in the runs of jobs that are judged together.
 *
 * **Details**
 *
 * Runs that finished less than `MissingFacts.bounds.settled` before `now` are left out, and runs of shards where fewer shards than
 * usual reported: a shard that did not report is a loss of the pipeline ({@link ofPipeline}).
 */
export const ofUnit = (
  unit: ReadonlyArray<MissingFacts.JobHistory>,
  policy: MissingPolicy,
  now: Instant.Instant
): FoundLosses => {
  const [first] = unit
  const about = {
    kind: "tests",
    pipelineName: first?.pipelineName ?? "",
    jobNames: unit.map(({ jobName }) => jobName).sort(Text.compare)
  } as const
  return fold(about, whole(settled(MissingFacts.unitRuns(unit), now)), policyOf(unit, policy))
}

/** The losses of a pipeline: jobs that did not report while others of the same run did. */
export const ofPipeline = (
  jobs: ReadonlyArray<MissingFacts.JobHistory>,
  policy: MissingPolicy,
  now: Instant.Instant
): FoundLosses => {
  const { jobNames, unit } = asTests(jobs)
  if (jobNames.length < 2) return { losses: [], missingRuns: 0 }
  const about = { kind: "jobs", pipelineName: jobs[0]?.pipelineName ?? "", jobNames } as const
  return fold(about, settled(MissingFacts.unitRuns(unit), now), { ...policy, loss: 0 })
}

/** The jobs of a pipeline as if they were tests: the number of each is its place in `jobNames`. One job of a thousand is a loss. */
export const asTests = (
  jobs: ReadonlyArray<MissingFacts.JobHistory>
): { readonly jobNames: ReadonlyArray<string>; readonly unit: ReadonlyArray<MissingFacts.JobHistory> } => {
  const jobNames = jobs.map(({ jobName }) => jobName).sort(Text.compare)
  const numbers = new Map(jobNames.map((name, index) => [name, TestSet.of([index])]))
  const unit = jobs.map((job) => ({
    ...job,
    runs: job.runs.map((run) => ({ ...run, ran: numbers.get(job.jobName) ?? TestSet.empty }))
  }))
  return { jobNames, unit }
}

/** What is said of one run in comparison with the base: null `expected` while too few runs are known. */
export interface RunFinding {
  readonly missingRuns: number
  readonly expected: number | null
  readonly missing: TestSet.TestSet
  readonly appeared: TestSet.TestSet
  readonly isLoss: boolean
}

/**
 * What is said of a run after the runs of the base before it.
 *
 * **Details**
 *
 * `others` are what runs of other branches executed, for a run of such a branch: what two of them lack is usual, as for jobs that run
 * the changed files only. Tests that the base lost are not expected.
 */
export const ofRun = (
  unit: ReadonlyArray<MissingFacts.JobHistory>,
  { others, ran }: { readonly ran: TestSet.TestSet; readonly others: ReadonlyArray<TestSet.TestSet> },
  numbers: MissingPolicy
): RunFinding => {
  const policy = policyOf(unit, numbers)
  const memory = whole(MissingFacts.unitRuns(unit)).reduce(
    (before, run) => Expectation.step(before, run.ran, policy)[0],
    Expectation.none
  )
  const known = Expectation.expected(memory, policy)
  const appeared = TestSet.without(ran, unionOf(memory.sets))
  if (known.expected === null) {
    return { missingRuns: known.missingRuns, expected: null, missing: TestSet.empty, appeared, isLoss: false }
  }
  const all = TestSet.without(known.expected, memory.open?.missing ?? TestSet.empty)
  const missing = TestSet.without(all, ran)
  const elsewhere = others.map((set) => TestSet.size(all) - TestSet.common(all, set))
  const usual = [...Expectation.usualOf(memory, all), ...elsewhere]
  const about = { all: TestSet.size(all), losses: memory.losses }
  const isLoss = Expectation.isLoss({ lack: missing, usual }, about, policy)
  return { missingRuns: 0, expected: about.all, missing, appeared, isLoss }
}

/** A loss is a share of the tests of one shard. */
const policyOf = ({ length }: ReadonlyArray<unknown>, policy: MissingPolicy): MissingPolicy => ({
  ...policy,
  loss: policy.loss / Math.max(1, length)
})

const settled = (
  runs: ReadonlyArray<MissingFacts.UnitRun>,
  now: Instant.Instant
): ReadonlyArray<MissingFacts.UnitRun> => runs.filter(({ at }) => at <= now - MissingFacts.bounds.settled)

/** The runs in which no fewer jobs reported than in most of the ten before. */
const whole = (runs: ReadonlyArray<MissingFacts.UnitRun>): ReadonlyArray<MissingFacts.UnitRun> =>
  runs.filter(({ jobs }, index) => {
    const before = runs.slice(Math.max(0, index - 10), index).map((run) => run.jobs)
    return jobs >= (before.sort((a, b) => a - b)[Math.floor(before.length / 2)] ?? 0)
  })

type About = Pick<FoundLoss, "kind" | "pipelineName" | "jobNames">

const fold = (about: About, runs: ReadonlyArray<MissingFacts.UnitRun>, policy: MissingPolicy): FoundLosses => {
  const losses: Array<FoundLoss> = []
  let memory = Expectation.none
  let open: Array<FoundLoss> = []
  runs.forEach((run, index) => {
    const before = memory
    const [after, finding] = Expectation.step(before, run.ran, policy)
    memory = after
    const expected = TestSet.size(finding.expected ?? TestSet.empty)
    const made = { ...about, run, expected, lastAt: run.at }
    const appearedSince = (sets: ReadonlyArray<TestSet.TestSet>) => TestSet.without(run.ran, unionOf(sets))
    open = open.map((loss) =>
      after.open === null && !finding.isGone ? loss : { ...loss, runs: loss.runs + 1, lastAt: run.at }
    )
    if (TestSet.size(finding.lost) > 0) {
      const appeared = appearedSince(before.sets)
      open.push({ ...made, missing: finding.lost, appeared, runs: 1, state: "open", isSmall: false })
    }
    if (TestSet.size(finding.vanished) > 0) {
      const first = runs[index + 1 - policy.gone] ?? run
      losses.push({
        ...made,
        run: first,
        missing: finding.vanished,
        appeared: appearedSince(before.sets.slice(0, 1 - policy.gone)),
        runs: policy.gone,
        state: "gone",
        isSmall: true
      })
    }
    if (after.open === null) {
      losses.push(
        ...open.map((loss) => ({ ...loss, state: finding.isGone ? ("gone" as const) : ("returned" as const) }))
      )
      open = []
    }
  })
  return { losses: [...losses, ...open].sort(byTime), missingRuns: Expectation.expected(memory, policy).missingRuns }
}

const byTime = (a: FoundLoss, b: FoundLoss): number =>
  a.run.at - b.run.at || Text.compare(a.run.runId, b.run.runId) || Number(a.isSmall) - Number(b.isSmall)

const unionOf = (sets: ReadonlyArray<TestSet.TestSet>): TestSet.TestSet =>
  sets.reduce((all, set) => TestSet.union(all, set), TestSet.empty)
