/** Causes as text. */
import type { Schemas } from "@lazaret/api"
import * as Session from "../connection/Session.ts"
import type * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"

type Cause = typeof Schemas.SharedCause.Type

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** The columns of the list. */
export const columns: ReadonlyArray<Table.Column<Cause>> = [
  { heading: "cause", cell: ({ id }) => id.slice(0, 8) },
  { heading: "red runs", cell: ({ job_runs }) => String(job_runs), isNumber: true },
  { heading: "share", cell: ({ share }) => percent(share), isNumber: true },
  { heading: "tests", cell: ({ tests }) => String(tests), isNumber: true },
  { heading: "last", cell: ({ last_at }) => Session.dayOf(last_at) },
  { heading: "state", cell: ({ state }) => state },
  { heading: "owner", cell: ({ owner }) => owner ?? "", canShrink: true },
  { heading: "name", cell: ({ name }) => name, canShrink: true }
]

/** One cause, line by line. */
export const detailsOf = (cause: Cause): string =>
  [
    plain(cause.name),
    `id        ${cause.id}`,
    `state     ${stateWords(cause)}`,
    `since     ${Session.minuteOf(cause.first_at)}, last ${Session.minuteOf(cause.last_at)}`,
    `red runs  ${cause.job_runs}, ${percent(cause.share)} of those with failures; by week ${cause.weeks.join(" ")}`,
    ...(cause.message === null ? [] : [`message   ${plain(cause.message)}`]),
    ...cause.jobs.map(
      ({ job_name, job_runs, pipeline_name }) => `job       ${plain(pipeline_name)} / ${plain(job_name)}: ${job_runs}`
    ),
    ...cause.test_names.map((name) => `test      ${plain(name)}`),
    ...(cause.tests > cause.test_names.length ? [`          and ${cause.tests - cause.test_names.length} more`] : []),
    ...cause.examples.map(
      ({ commit, failed, finished_at, job_name }) =>
        `example   ${Session.minuteOf(finished_at)} ${plain(commit).slice(0, 12)} ${plain(job_name)}: ${failed} failed`
    )
  ].join("\n")

const stateWords = ({ closed_at, owner, silenced_until, state, ticket }: Cause): string =>
  [
    state,
    ...(silenced_until === null ? [] : [`silenced until ${Session.minuteOf(silenced_until)}`]),
    ...(closed_at === null ? [] : [`closed at ${Session.minuteOf(closed_at)}`]),
    ...(owner === null ? [] : [`owned by ${plain(owner)}`]),
    ...(ticket === null ? [] : [`ticket ${plain(ticket)}`])
  ].join(", ")

/** The state of a cause after a decision. */
export const stateOf = (cause: Cause): string => `${plain(cause.name)}: ${stateWords(cause)}`

/** The tests that were quarantined. */
export const quarantinedOf = ({ already, quarantined }: typeof Schemas.QuarantinedCause.Type): string =>
  [
    `${quarantined.length} ${quarantined.length === 1 ? "test is" : "tests are"} quarantined`,
    ...(already.length === 0 ? [] : [`${already.length} had such a quarantine before`]),
    ...quarantined.map((name) => `  ${plain(name)}`)
  ].join("\n")
