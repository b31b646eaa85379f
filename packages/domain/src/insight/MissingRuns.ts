/** The losses of a repository: runs of the base branch in which expected tests, or jobs, did not run. */
import * as TestSet from "../health/TestSet.ts"
import * as Text from "../text/Text.ts"
import type * as Instant from "../time/Instant.ts"
import * as Expectation from "./Expectation.ts"
import * as MissingFacts from "./MissingFacts.ts"
import type { MissingPolicy } from "./MissingPolicy.ts"
import * as Steps from "./Steps.ts"

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

/**
 * The losses in the runs of a unit.
 *
 * **Details**
 *
 * `missingRuns`: how many more are needed before tests are expected. `since`: the instant of the first run that could have lost tests,
 * null without one.
 */
export interface FoundLosses {
  readonly since: Instant.Instant | null
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
): FoundLosses => Steps.finish(unitSteps(unit, policy, now))

/** The same in steps: each is of some runs. */
export function* unitSteps(
  unit: ReadonlyArray<MissingFacts.JobHistory>,
  policy: MissingPolicy,
  now: Instant.Instant
): Steps.Steps<FoundLosses> {
  const about = { kind: "tests", ...aboutUnit(unit) } as const
  const runs = whole(settled(MissingFacts.unitRuns(unit.map((job) => job.runs)), now))
  yield
  return yield* fold(about, runs, policyOf(unit, policy))
}

/** The losses of a pipeline: jobs that did not report while others of the same run did. */
export const ofPipeline = (
  jobs: ReadonlyArray<MissingFacts.JobHistory>,
  policy: MissingPolicy,
  now: Instant.Instant
): FoundLosses => {
  if (jobs.length < 2) return { losses: [], missingRuns: 0, since: null }
  const about = { kind: "jobs", ...aboutUnit(jobs) } as const
  const runs = MissingFacts.unitRuns(asTests(jobs).map((job) => job.runs))
  return Steps.finish(fold(about, settled(runs, now), { ...policy, loss: 0 }))
}

/** The jobs of a pipeline as if they were tests: the number of each is its place among their names. One job of a thousand is a loss. */
const asTests = (jobs: ReadonlyArray<MissingFacts.JobHistory>): ReadonlyArray<MissingFacts.JobHistory> => {
  const numbers = new Map(aboutUnit(jobs).jobNames.map((name, index) => [name, TestSet.of([index])]))
  return jobs.map((job) => {
    const inRun = (run: MissingFacts.JobRunSet) => ({ ...run, ran: numbers.get(job.jobName) ?? TestSet.empty })
    return { ...job, runs: job.runs.map(inRun), others: job.others.map(inRun), own: job.own.map(inRun) }
  })
}

/**
 * The finding on one run in comparison with the base.
 *
 * **Details**
 *
 * - `expected`: null while too few runs of the base are known; `missingRuns` more are needed.
 * - `isLoss`: more tests are missing than usually. `isWhole`: as many shards as usual have reported; without, nothing is a loss.
 */
export interface RunFinding extends Pick<FoundLoss, "pipelineName" | "jobNames" | "run" | "missing" | "appeared"> {
  readonly missingRuns: number
  readonly expected: number | null
  readonly isLoss: boolean
  readonly isWhole: boolean
}

/**
 * The finding on each of the runs that somebody asks about, after the runs of the base.
 *
 * **Details**
 *
 * What two runs of other branches lack of the tests that were expected when they ran is usual: there are jobs that run the tests of
 * changed files only. Tests that the base has lost are not expected.
 */
export const ofOwn = (unit: ReadonlyArray<MissingFacts.JobHistory>, policy: MissingPolicy): ReadonlyArray<RunFinding> =>
  Steps.finish(ownSteps(unit, policy))

/** The same in steps: each is of some runs. */
export const ownSteps = (
  unit: ReadonlyArray<MissingFacts.JobHistory>,
  policy: MissingPolicy
): Steps.Steps<ReadonlyArray<RunFinding>> =>
  findings(unit, policyOf(unit, policy), ({ jobs }, base) => jobs >= usualJobs(base.slice(-10)))

/** The finding on the jobs of each of these runs: those that should have reported and did not. Tests are numbers in `jobNames`. */
export const jobsOfOwn = (
  jobs: ReadonlyArray<MissingFacts.JobHistory>,
  policy: MissingPolicy
): ReadonlyArray<RunFinding> => Steps.finish(findings(asTests(jobs), { ...policy, loss: 0 }, () => true))

function* findings(
  unit: ReadonlyArray<MissingFacts.JobHistory>,
  policy: MissingPolicy,
  isComplete: (run: MissingFacts.UnitRun, base: ReadonlyArray<MissingFacts.UnitRun>) => boolean
): Steps.Steps<ReadonlyArray<RunFinding>> {
  const base = MissingFacts.unitRuns(unit.map(({ runs }) => runs))
  const memories = yield* memoriesOf(whole(base), policy)
  const memory = memories.at(-1)?.memory ?? Expectation.none
  const { expected, missingRuns } = Expectation.expected(memory, policy)
  const all = dueIn(memory, policy)
  const others = MissingFacts.unitRuns(unit.map((job) => job.others))
  const elsewhere = others.map(({ at, ran }) => {
    const then = memories.findLast((known) => known.at < at)?.memory ?? Expectation.none
    return TestSet.size(TestSet.without(TestSet.intersection(all, dueIn(then, policy)), ran))
  })
  const usual = [...Expectation.usualOf(memory, all), ...elsewhere]
  const about = { all: TestSet.size(all), losses: memory.losses }
  const seen = unionOf(memory.sets)
  return MissingFacts.unitRuns(unit.map(({ own }) => own)).map((run) => {
    const missing = TestSet.without(all, run.ran)
    const isWhole = isComplete(run, base)
    return {
      ...aboutUnit(unit),
      run,
      missingRuns,
      expected: expected === null ? null : about.all,
      missing: expected === null ? TestSet.empty : missing,
      appeared: TestSet.without(run.ran, seen),
      isWhole,
      isLoss: isWhole && expected !== null && Expectation.isLoss({ lack: missing, usual }, about, policy)
    }
  })
}

/** The memory after each run. */
function* memoriesOf(runs: ReadonlyArray<MissingFacts.UnitRun>, policy: MissingPolicy) {
  let memory = Expectation.none
  return yield* Steps.map(runs, perRun, ({ at, ran }) => {
    memory = Expectation.step(memory, ran, policy)[0]
    return { at, memory }
  })
}

/** The words of sets in a step: some milliseconds, as each run is compared with the latest ten. */
const perRun = { most: 3000, weightOf: ({ ran }: MissingFacts.UnitRun) => 1 + ran.length }

/** The tests that a run after those of a memory should execute: without those lost at the moment. Of a short memory all that ran. */
const dueIn = (memory: Expectation.Memory, policy: MissingPolicy): TestSet.TestSet => {
  const expected = Expectation.expected(memory, policy).expected ?? unionOf(memory.sets)
  return TestSet.without(expected, memory.open?.missing ?? TestSet.empty)
}

const aboutUnit = (unit: ReadonlyArray<MissingFacts.JobHistory>) => ({
  pipelineName: unit[0]?.pipelineName ?? "",
  jobNames: unit.map(({ jobName }) => jobName).sort(Text.compare)
})

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
  runs.filter(({ jobs }, index) => jobs >= usualJobs(runs.slice(Math.max(0, index - 10), index)))

const usualJobs = (runs: ReadonlyArray<MissingFacts.UnitRun>): number =>
  runs.map(({ jobs }) => jobs).sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0

type About = Pick<FoundLoss, "kind" | "pipelineName" | "jobNames">

function* fold(
  about: About,
  runs: ReadonlyArray<MissingFacts.UnitRun>,
  policy: MissingPolicy
): Steps.Steps<FoundLosses> {
  const losses: Array<FoundLoss> = []
  let memory = Expectation.none
  let open: Array<FoundLoss> = []
  yield* Steps.map(runs.entries(), perEntry, ([index, run]) => {
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
  const { missingRuns } = Expectation.expected(memory, policy)
  return { losses: [...losses, ...open].sort(byTime), missingRuns, since: runs[policy.leastRuns]?.at ?? null }
}

const perEntry = { ...perRun, weightOf: ([, run]: readonly [number, MissingFacts.UnitRun]) => perRun.weightOf(run) }

const byTime = (a: FoundLoss, b: FoundLoss): number =>
  a.run.at - b.run.at || Text.compare(a.run.runId, b.run.runId) || Number(a.isSmall) - Number(b.isSmall)

const unionOf = (sets: ReadonlyArray<TestSet.TestSet>): TestSet.TestSet =>
  sets.reduce((all, set) => TestSet.union(all, set), TestSet.empty)
