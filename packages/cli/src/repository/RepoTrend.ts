/** The last 30 days of a repository, as `lazaret repo trend` shows them. */
import type { Schemas } from "@lazaret/api"
import * as Table from "../terminal/Table.ts"
import * as Words from "../terminal/Words.ts"
import { percent } from "../health/tests/TestText.ts"

type Trend = typeof Schemas.RepositoryTrend.Type

type Day = Trend["days"][number]

/** The text of the last 30 days. */
export const text = (trend: Trend): string => Table.fields(fieldsOf(trend))

type Numbers = { readonly [K in keyof Day as Day[K] extends number ? K : never]: Day[K] }

type Sum = (name: keyof Numbers) => number

const fieldsOf = (trend: Trend): ReadonlyArray<readonly [string, string]> => {
  const sum: Sum = (name) => trend.days.reduce((all, day) => all + day[name], 0)
  const runs = sum("job_runs")
  return [
    ["flaky tests", changeOf(trend.days, (day) => day.flaky_tests)],
    ["broken tests", changeOf(trend.days, (day) => day.broken_tests)],
    ["quarantines", changeOf(trend.days, (day) => day.quarantines)],
    ["executions", `${trend.executions}`],
    ["failed", shareOf(trend.failed_executions, trend.executions)],
    ["job runs", `${runs}`],
    ["red", shareOf(sum("red_job_runs"), runs)],
    ["outages", `${sum("outages")}`],
    ["red, all failing tests flaky now", shareOf(sum("flaky_job_runs"), runs)],
    ["time of their tests", timeOf(sum)]
  ]
}

const shareOf = (count: number, all: number): string => (all === 0 ? "0" : `${count} (${percent(count / all)})`)

/** The count of today, and that of the first day, where it is known. */
const changeOf = (days: ReadonlyArray<Day>, of: (day: Day) => number | null): string => {
  const [first, last] = [days[0], days.at(-1)]
  const before = first === undefined ? null : of(first)
  const now = (last === undefined ? null : of(last)) ?? 0
  return before === null ? `${now}` : `${now} (30 days ago ${before})`
}

const timeOf = (sum: Sum): string => {
  const seconds = sum("flaky_job_run_seconds")
  return seconds === 0 && sum("flaky_job_runs") > 0 ? "not known: their reports have no durations" : Words.time(seconds)
}
