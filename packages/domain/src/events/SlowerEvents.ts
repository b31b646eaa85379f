/** The event of tests and jobs that became slower. */
import type { Slower } from "../insight/Slower.ts"
import * as TestId from "../report/TestId.ts"
import * as Instant from "../time/Instant.ts"
import * as Event from "./Event.ts"

/** The event of the growths that one round found; none without one. Its id follows from them. */
export const of = (news: ReadonlyArray<Slower>, at: Instant.Instant): ReadonlyArray<Event.Event> => {
  const [first, ...others] = news
  if (first === undefined) return []
  const only = others.length === 0 ? first.testName : null
  const keys = news.map(({ at: since, jobName, pipelineName, testName }) =>
    JSON.stringify([pipelineName, jobName, testName, since])
  )
  return [
    {
      ...Event.about("tests.slower", [...keys, `${at}`], at),
      testId: only === null ? null : TestId.of(only),
      testName: only,
      summary: summaryOf(first, others),
      detail: {
        total: news.length,
        addedSecondsPerWeek: secondsOf(news.reduce((sum, { addedPerWeekMs }) => sum + addedPerWeekMs, 0)),
        changes: news.slice(0, mostListed).map((line) => ({
          kind: line.kind,
          testName: line.testName === null ? null : shortened(line.testName),
          pipelineName: shortened(line.pipelineName),
          jobName: shortened(line.jobName),
          beforeSeconds: secondsOf(line.beforeMs),
          afterSeconds: secondsOf(line.afterMs),
          addedSecondsPerWeek: secondsOf(line.addedPerWeekMs),
          lastCommit: line.lastCommit,
          firstCommit: line.firstCommit,
          startedAt: Instant.toIso(line.at)
        }))
      }
    }
  ]
}

/** The most growths in the detail of an event. */
const mostListed = 20

const summaryOf = (first: Slower, others: ReadonlyArray<Slower>): string => {
  if (others.length === 0) {
    const { afterMs, beforeMs, firstCommit, kind, pipelineName, jobName } = first
    const grown =
      kind === "started"
        ? `takes ${spanOf(afterMs)}, and did nothing before commit ${shortened(firstCommit)}`
        : `takes ${spanOf(afterMs)} instead of ${spanOf(beforeMs)} since commit ${shortened(firstCommit)}`
    const where = first.testName === null ? "" : ` (${shortened(pipelineName)}, ${shortened(jobName)})`
    return `${nameOf(first)} ${grown}${where}: ${spanOf(first.addedPerWeekMs)} more each week.`
  }
  const all = [first, ...others]
  const names = all.slice(0, mostNamed).map(nameOf).join(", ")
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : ""
  const added = all.reduce((sum, { addedPerWeekMs }) => sum + addedPerWeekMs, 0)
  return `${all.length} tests or jobs became slower, and take ${spanOf(added)} more each week: ${names}${more}.`
}

/** The most names in a summary. */
const mostNamed = 3

const nameOf = ({ jobName, pipelineName, testName }: Slower): string =>
  testName === null
    ? `The job ${shortened(pipelineName)} / ${shortened(jobName)} as a whole`
    : `"${shortened(testName)}"`

const spanOf = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 2 * Instant.minute) return `${Number((ms / 1000).toFixed(1))} s`
  return ms < 2 * Instant.hour ? `${Math.round(ms / Instant.minute)} min` : `${(ms / Instant.hour).toFixed(1)} h`
}

const secondsOf = (ms: number): number => Math.round(ms) / 1000

/** Names may have 10,000 characters, and an event names several. */
const shortened = (name: string): string => {
  const characters = Array.from(name)
  return characters.length <= 120 ? name : `${characters.slice(0, 120).join("")}…`
}
