/** The events of job runs: outages, and tests that did not run. */
import type * as Outage from "../health/Outage.ts"
import * as LossRecord from "../insight/LossRecord.ts"
import * as Text from "../text/Text.ts"
import * as Instant from "../time/Instant.ts"
import * as Event from "./Event.ts"

/** A job run that is an outage and finished at `at`, with what is said of it. */
export interface OutageRun {
  readonly key: string
  readonly at: Instant.Instant
  readonly context: {
    readonly pipelineName: string
    readonly jobName: string
    readonly runId: string
    readonly runAttempt: number
    readonly commit: string
  }
  readonly judgement: Outage.Judgement
}

/** One sentence about an outage: `CI / unit, run 812: 26 of 29 tests failed that passed before.` */
export const outageSentence = (outage: {
  readonly pipelineName: string
  readonly jobName: string
  readonly runId: string
  readonly failed: number
  readonly passedBefore: number
}): string =>
  `${Event.shortened(outage.pipelineName)} / ${Event.shortened(outage.jobName)}, run ${Event.shortened(outage.runId)}: ` +
  `${outage.failed} of ${outage.passedBefore} tests failed that passed before.`

/** The events of the job runs that an upload has shown to be outages, in the order of their keys: one for each run. */
export const outages = (runs: ReadonlyArray<OutageRun>, cause: Event.Cause): ReadonlyArray<Event.Event> =>
  runs
    .toSorted((a, b) => Text.compare(a.key, b.key))
    .map(({ at, context, judgement: { excused, hit, passedBefore }, key }) => ({
      ...Event.about("job_run.outage", [key], cause.at),
      branch: cause.branch,
      summary: outageSentence({ ...context, failed: hit, passedBefore }),
      detail: { ...context, ranAt: Instant.toIso(at), failed: hit, passedBefore, excused }
    }))

/** The events of losses, in their order. The id follows from the loss, so that one loss is one event. */
export const testsMissing = (
  losses: ReadonlyArray<LossRecord.LossRecord>,
  at: Instant.Instant
): ReadonlyArray<Event.Event> =>
  losses.map((loss) => {
    const { commit, expected, jobNames, kind, missing, names, pipelineName, renamed, runId, skipped } = loss
    return {
      ...Event.about("job_run.tests_missing", [loss.lossId], at),
      summary: `${[pipelineName, ...jobNames.slice(0, 1)].map(Event.shortened).join(" / ")}, commit ${Event.shortened(commit)}: ${LossRecord.sentence(loss)}.`,
      detail: {
        kind,
        pipelineName,
        jobNames: [...jobNames],
        runId,
        commit,
        ranAt: Instant.toIso(loss.at),
        expected,
        missing,
        skipped,
        renamed,
        testNames: names.slice(0, mostNamed)
      }
    }
  })

/** The most names of tests in the detail of an event. */
const mostNamed = 20
