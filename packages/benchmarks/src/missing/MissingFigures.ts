/** How many losses of generated repositories are found, and how often something is said where nothing was lost. */
import { Instant, LossRecord, MissingFacts, MissingPolicy, MissingRuns, ShardNames, TestSet } from "@lazaret/domain"
import { Record } from "effect"
import type { GeneratedMissing, GeneratedRun, Truth } from "./GeneratedMissing.ts"

/** An alarm: the run and the jobs it is about, and the share of the tests that are missing. */
export interface Alarm {
  readonly run: number
  readonly jobs: ReadonlyArray<number>
}

/** A rule that finds losses, in the runs of the default branch and in those of pull requests. */
export interface MissingRule {
  readonly name: string
  readonly alarms: (repository: GeneratedMissing) => ReadonlyArray<Alarm>
}

/**
 * The figures of a rule.
 *
 * **Details**
 *
 * - `losses`: those of at least 10 % of a job, in runs from which enough others came before; `found`: those with an alarm in the same run
 *   or the next of the same branch. Jobs that lost tests in one run for one reason are losses of their own; a loss that follows another
 *   one in the same job does not count as a new one.
 * - `runs`: runs of the pipeline; `wrong`: alarms without a loss, a deletion or an absence in their run.
 * - `again`: alarms about a loss that had been said.
 */
export interface MissingFigures {
  readonly losses: number
  readonly found: number
  readonly runs: number
  readonly wrong: number
  readonly again: number
}

/** The figures of a rule over a repository, on the default branch or on pull requests. */
export const figuresOf = (
  { runs, truths }: GeneratedMissing,
  alarms: ReadonlyArray<Alarm>,
  isPull: boolean
): MissingFigures => {
  const judged = runs.filter((run) => run.isPull === isPull)
  const start = isPull ? (judged[0]?.index ?? 0) : 0
  const order = new Map(judged.map(({ index }, place) => [index, place]))
  const warm = runs.filter((run) => !run.isPull)[leastBefore]?.index ?? Infinity
  const isWarm = ({ run }: { readonly run: number }) => run >= Math.max(start, warm) && order.has(run)
  const own = alarms.filter(isWarm)
  const known = truths.filter(isWarm)
  const isAbout = (truth: Truth, alarm: Alarm): boolean => alarm.jobs.includes(truth.job)
  const losses = known.filter(
    ({ isFirst, kind, share }) => kind === "absence" || (kind === "loss" && isFirst && share >= 0.1)
  )
  const placeOf = (run: number) => order.get(run) ?? -9
  const found = losses.filter((truth) =>
    own.some((alarm) => {
      const later = placeOf(alarm.run) - placeOf(truth.run)
      return isAbout(truth, alarm) && (later === 0 || (later === 1 && !isPull))
    })
  )
  const explained = own.filter((alarm) => known.some((truth) => truth.run === alarm.run && isAbout(truth, alarm)))
  const isSaid = (alarm: Alarm) =>
    known.every(({ isFirst, job, run }) => run !== alarm.run || !alarm.jobs.includes(job) || !isFirst)
  return {
    losses: losses.length,
    found: found.length,
    runs: judged.filter(({ index }) => index >= warm).length,
    wrong: own.length - explained.length,
    again: explained.filter((alarm) => !isPull && isSaid(alarm)).length
  }
}

/** Runs of the default branch before the first one that counts. */
const leastBefore = 12

/** The sums of figures. */
export const sumOf = (all: ReadonlyArray<MissingFigures>): MissingFigures =>
  all.reduce(
    (sum, each) => ({
      losses: sum.losses + each.losses,
      found: sum.found + each.found,
      runs: sum.runs + each.runs,
      wrong: sum.wrong + each.wrong,
      again: sum.again + each.again
    }),
    { losses: 0, found: 0, runs: 0, wrong: 0, again: 0 }
  )

/** The rule of the domain: each run of the default branch is said of what the runs up to it show. */
export const memory: MissingRule = {
  name: "memory of ten runs",
  alarms: (repository) => [...onMain(repository), ...onPulls(repository)]
}

/** The rule against the run before: at least this share of its tests did not run. */
export const runBefore = (share: number): MissingRule => ({
  name: `fewer than in the run before, by ${share * 100} %`,
  alarms: ({ jobs, runs }) =>
    jobs.flatMap((_, job) => {
      const alarms: Array<Alarm> = []
      let before: number | null = null
      for (const run of runs) {
        const count = new Set(run.jobs.flatMap((each) => (each.job === job ? each.tests : []))).size
        if (before !== null && count < (1 - share) * before) alarms.push({ run: run.index, jobs: [job] })
        if (!run.isPull) before = count
      }
      return alarms
    })
})

const atOf = (index: number): number => (index + 1) * Instant.hour

const historyOf = (
  { jobs }: GeneratedMissing,
  job: number,
  parts: { readonly [P in "runs" | "others" | "own"]: ReadonlyArray<GeneratedRun> }
): MissingFacts.JobHistory => ({
  pipelineName: "CI",
  jobName: jobs[job] ?? "",
  ...Record.map(parts, (runs) => runs.flatMap((run) => setsOf(run, job)))
})

const setsOf = (run: GeneratedRun, job: number): ReadonlyArray<MissingFacts.JobRunSet> =>
  run.jobs
    .filter((each) => each.job === job)
    .map(({ attempt, tests }) => ({
      runId: `${run.index}`,
      at: atOf(run.index) + attempt,
      commit: `c${run.index}`,
      ran: TestSet.of(tests)
    }))

/** As many runs as a store reads, moved on by this many. */
const stride = 20

const onMain = (repository: GeneratedMissing): ReadonlyArray<Alarm> => {
  const main = repository.runs.filter(({ isPull }) => !isPull)
  const found: Array<Alarm> = []
  for (let end = 0; end < main.length; end += stride) {
    const window = main.slice(Math.max(0, end + stride - MissingFacts.bounds.runs), end + stride)
    const since = main[end]?.index ?? 0
    const isNew = ({ run }: Alarm) => run >= since
    found.push(...alarmsIn(repository, window).filter(isNew))
  }
  return found
}

const alarmsIn = (repository: GeneratedMissing, window: ReadonlyArray<GeneratedRun>): ReadonlyArray<Alarm> => {
  const histories = repository.jobs.map((_, job) => historyOf(repository, job, { runs: window, others: [], own: [] }))
  const now = atOf(Number.MAX_SAFE_INTEGER / Instant.day)
  const units = unitsOf(repository, histories)
  const losses = [
    ...units.flatMap((unit) => MissingRuns.ofUnit(unit, MissingPolicy.defaults, now).losses),
    ...MissingRuns.ofPipeline(histories, MissingPolicy.defaults, now).losses
  ]
  return losses
    .filter((loss) => !loss.isSmall && !isRenamed(repository, loss))
    .map(({ jobNames, kind, missing, run }) => ({
      run: Number(run.runId),
      jobs:
        kind === "jobs"
          ? TestSet.numbers(missing).map((number) => repository.jobs.indexOf(jobNames[number] ?? ""))
          : jobNames.map((name) => repository.jobs.indexOf(name))
    }))
}

const unitsOf = (
  { jobs }: GeneratedMissing,
  histories: ReadonlyArray<MissingFacts.JobHistory>
): ReadonlyArray<ReadonlyArray<MissingFacts.JobHistory>> =>
  ShardNames.groups(jobs).flatMap((group) =>
    MissingFacts.unitsOf(histories.filter(({ jobName }) => group.includes(jobName)))
  )

/** The missing tests ran under other names, as the record of the loss says. */
const isRenamed = (
  { names }: GeneratedMissing,
  { appeared, expected, missing }: Pick<MissingRuns.RunFinding, "appeared" | "expected" | "missing">
): boolean => {
  const of = (tests: TestSet.TestSet) => ({
    names: TestSet.numbers(tests).map((number) => names[number] ?? ""),
    skipped: 0
  })
  const counts = { expected: expected ?? 0, missing: TestSet.size(missing) }
  return LossRecord.namesOf(counts, of(missing), of(appeared)).isRenamed
}

const onPulls = (repository: GeneratedMissing): ReadonlyArray<Alarm> => {
  const pulls = repository.runs.filter(({ isPull }) => isPull)
  return pulls.flatMap((run, place) => {
    const before = repository.runs
      .filter(({ index, isPull }) => !isPull && index < run.index)
      .slice(-MissingFacts.bounds.runs)
    const others = pulls.slice(Math.max(0, place - MissingFacts.bounds.elsewhere), place)
    const histories = repository.jobs.map((_, job) => historyOf(repository, job, { runs: before, others, own: [run] }))
    const missed = unitsOf(repository, histories)
      .flatMap((unit) => MissingRuns.ofOwn(unit, MissingPolicy.defaults))
      .filter((finding) => finding.isLoss && !isRenamed(repository, finding))
    const absent = MissingRuns.jobsOfOwn(histories, MissingPolicy.defaults)
      .filter(({ isLoss }) => isLoss)
      .flatMap(({ jobNames, missing }) => TestSet.numbers(missing).map((number) => jobNames[number] ?? ""))
    return [...missed.map(({ jobNames }) => jobNames), ...(absent.length === 0 ? [] : [absent])].map((names) => ({
      run: run.index,
      jobs: names.map((name) => repository.jobs.indexOf(name))
    }))
  })
}
