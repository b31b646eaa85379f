/** One computation of the losses of a repository from the runs of its jobs and its records. */
import * as TestSet from "../health/TestSet.ts"
import { day, type Instant } from "../time/Instant.ts"
import * as LossRecord from "./LossRecord.ts"
import * as MissingFacts from "./MissingFacts.ts"
import type { MissingPolicy } from "./MissingPolicy.ts"
import * as MissingRuns from "./MissingRuns.ts"

/** The losses in the jobs of a group, and these jobs with their runs, whose tests are not needed any more. */
export interface JudgedGroup {
  readonly units: ReadonlyArray<{
    readonly pipelineName: string
    readonly jobNames: ReadonlyArray<string>
    readonly losses: MissingRuns.FoundLosses
  }>
  readonly jobs: ReadonlyArray<MissingFacts.JobHistory>
}

/** Judges the jobs of one group as of an instant: asks for the names of missing tests, and of those that appeared with them. */
export const judge = (policy: MissingPolicy, now: Instant): MissingFacts.Judge<JudgedGroup> =>
  function* (group) {
    const units: Array<JudgedGroup["units"][number]> = []
    for (const unit of MissingFacts.unitsOf(group)) {
      yield
      units.push({
        pipelineName: unit[0]?.pipelineName ?? "",
        jobNames: unit.map(({ jobName }) => jobName),
        losses: yield* MissingRuns.unitSteps(unit, policy, now)
      })
    }
    const asked = units.flatMap(({ losses }) =>
      losses.losses.flatMap(({ appeared, missing, run }) => [
        { tests: missing, runId: run.runId },
        { tests: appeared, runId: null }
      ])
    )
    const jobs = group.map((job) => ({ ...job, runs: job.runs.map((run) => ({ ...run, ran: TestSet.empty })) }))
    return { value: { units, jobs }, asked }
  }

/**
 * A round.
 *
 * **Details**
 *
 * - `losses`: the records to keep; `news`: those of them that were not known and of which people are notified.
 * - `jobs`: how many jobs were read; `missingRuns`: how many more runs on the default branch are
 *   needed before the tests of any job are expected, 0 when there are enough.
 * - `pendingAt`: when the first run that is too young to be judged may be judged; null without one.
 */
export interface MissingRound {
  readonly losses: ReadonlyArray<LossRecord.LossRecord>
  readonly news: ReadonlyArray<LossRecord.LossRecord>
  readonly jobs: number
  readonly missingRuns: number
  readonly pendingAt: Instant | null
}

/**
 * The findings of a round, before they are compared with the records.
 *
 * **Details**
 *
 * `since`: by {@link placeOf}, from which instant on losses were searched for; earlier records stay as they are.
 */
export interface Found extends Pick<MissingRound, "jobs" | "missingRuns" | "pendingAt"> {
  readonly records: ReadonlyArray<LossRecord.LossRecord>
  readonly since: ReadonlyMap<string, Instant>
}

/** The losses that groups with their names show: nearly all of the work of a round. */
export const found = (
  groups: ReadonlyArray<MissingFacts.Named<JudgedGroup>>,
  policy: MissingPolicy,
  now: Instant
): Found => {
  const jobs = groups.flatMap(({ value }) => value.jobs)
  const pipelines = [...Map.groupBy(jobs, ({ pipelineName }) => pipelineName)].map(([pipelineName, list]) => ({
    pipelineName,
    losses: MissingRuns.ofPipeline(list, policy, now)
  }))
  const units = groups.flatMap(({ value }) => value.units)
  const least = units.reduce((fewest, { losses }) => Math.min(fewest, losses.missingRuns), policy.leastRuns)
  return {
    records: [...groups.flatMap(recordsOf), ...pipelines.flatMap(({ losses }) => losses.losses.map(LossRecord.ofJobs))],
    since: new Map([
      ...units.flatMap(({ losses: { since }, jobNames, pipelineName }) =>
        since === null ? [] : jobNames.map((jobName) => [placeOf("tests", pipelineName, jobName), since] as const)
      ),
      ...pipelines.flatMap(({ losses: { since }, pipelineName }) =>
        since === null ? [] : [[placeOf("jobs", pipelineName, ""), since] as const]
      )
    ]),
    jobs: jobs.length,
    missingRuns: least,
    pendingAt: pendingAt(jobs, now)
  }
}

/** The round that continues the records of before. */
export const of = (
  { jobs, missingRuns, pendingAt: next, records, since }: Found,
  before: ReadonlyArray<LossRecord.LossRecord>,
  now: Instant
): MissingRound => {
  const isRead = ({ at, jobNames, kind, pipelineName }: LossRecord.LossRecord) => {
    const place =
      kind === "jobs" ? placeOf("jobs", pipelineName, "") : placeOf("tests", pipelineName, jobNames[0] ?? "")
    return at >= (since.get(place) ?? Infinity)
  }
  const losses = LossRecord.renewed(before, records, { isRead, now })
  const known = new Set(before.map(({ lossId }) => lossId))
  const news = losses.filter(
    (loss) => !known.has(loss.lossId) && LossRecord.isNews(loss) && loss.at > now - newsDays * day
  )
  return { losses, news, jobs, missingRuns, pendingAt: next }
}

/** Older losses are no news: a repository that is imported has many. */
const newsDays = 2

const placeOf = (kind: "tests" | "jobs", pipelineName: string, jobName: string): string =>
  [kind, pipelineName, LossRecord.cut(jobName)].join("\0")

const recordsOf = ({ found: names, value }: MissingFacts.Named<JudgedGroup>): ReadonlyArray<LossRecord.LossRecord> =>
  value.units
    .flatMap(({ losses }) => losses.losses)
    .map((loss, index) => LossRecord.ofTests({ value: loss, found: names.slice(2 * index, 2 * index + 2) }))

const pendingAt = (jobs: ReadonlyArray<MissingFacts.JobHistory>, now: Instant): Instant | null => {
  const { settled } = MissingFacts.bounds
  const young = jobs.flatMap(({ runs }) => runs.map(({ at }) => at + settled)).filter((at) => at > now)
  return young.length === 0 ? null : young.reduce((last, at) => Math.max(last, at))
}
