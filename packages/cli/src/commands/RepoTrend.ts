/** `lazaret repo trend`: the last 30 days of a repository. */
import type { Schemas } from "@lazaret/api"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Connection from "../Connection.ts"
import * as Dashboard from "../Dashboard.ts"
import * as Flags from "../Flags.ts"
import { both } from "../Request.ts"
import * as Session from "../Session.ts"
import * as Table from "../Table.ts"
import * as Words from "../Words.ts"
import { percent } from "./tests/TestText.ts"

type Trend = typeof Schemas.RepositoryTrend.Type

type Day = Trend["days"][number]

/** Shows how the tests and job runs of the default branch did. */
export const command = Command.make(
  "trend",
  Flags.ofRepository,
  Effect.fn("lazaret.repo.trend")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.getTrend({ params, ...both }))
    const { url } = yield* Connection.resolve(given)
    yield* Session.print(given, body, () =>
      [Table.fields(fieldsOf(value)), Dashboard.repository(url, params)].join("\n\n")
    )
  })
).pipe(
  Command.withDescription(
    "Show the last 30 days of the default branch: flaky, broken and quarantined tests, red job runs, and the time of those that " +
      "flaky tests alone made red."
  ),
  Command.withShortDescription("Show the last 30 days"),
  Command.withExamples([{ command: "lazaret repo trend --repo acme/widgets", description: "Show the last 30 days" }])
)

const fieldsOf = (trend: Trend): ReadonlyArray<readonly [string, string]> => {
  const sum = (of: (day: Day) => number) => trend.days.reduce((all, day) => all + of(day), 0)
  const runs = sum((day) => day.job_runs)
  const share = (count: number, all: number) => (all === 0 ? "0" : `${count} (${percent(count / all)})`)
  return [
    ["flaky tests", changeOf(trend.days, (day) => day.flaky_tests)],
    ["broken tests", changeOf(trend.days, (day) => day.broken_tests)],
    ["quarantines", changeOf(trend.days, (day) => day.quarantines)],
    ["executions", `${trend.executions}`],
    ["failed", share(trend.failed_executions, trend.executions)],
    ["job runs", `${runs}`],
    [
      "red",
      share(
        sum((day) => day.red_job_runs),
        runs
      )
    ],
    ["outages", `${sum((day) => day.outages)}`],
    [
      "red for flakes alone",
      share(
        sum((day) => day.flaky_job_runs),
        runs
      )
    ],
    ["time of their tests", timeOf(sum)]
  ]
}

/** The count of today, and that of the first day, where it is known. */
const changeOf = (days: ReadonlyArray<Day>, of: (day: Day) => number | null): string => {
  const [first, last] = [days[0], days.at(-1)]
  const before = first === undefined ? null : of(first)
  const now = (last === undefined ? null : of(last)) ?? 0
  return before === null ? `${now}` : `${now} (30 days ago ${before})`
}

/** A run without durations is left out and said. */
const timeOf = (sum: (of: (day: Day) => number) => number): string => {
  const [runs, untimed] = [sum((day) => day.flaky_job_runs), sum((day) => day.untimed_flaky_job_runs)]
  if (runs === 0) return Words.time(0)
  if (runs === untimed) return "not known: their reports have no durations"
  const time = Words.time(sum((day) => day.flaky_job_run_seconds))
  return untimed === 0 ? time : `${time}, without ${Words.counted(untimed, "run")} whose reports have no durations`
}
