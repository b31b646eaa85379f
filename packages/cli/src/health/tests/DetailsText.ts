/** The text of the figures of a test. */
import type { Schemas } from "@lazaret/api"
import * as Session from "../../connection/Session.ts"
import * as Table from "../../terminal/Table.ts"
import { plain, type Terminal } from "../../terminal/Terminal.ts"
import * as Words from "../../terminal/Words.ts"
import * as ChangeText from "./ChangeText.ts"
import { headingOf, percent } from "./TestText.ts"

type Details = typeof Schemas.TestDetails.Type

type Issue = (typeof Schemas.IssueList.Type)["issues"][number]

type Failure = typeof Schemas.TestFailure.Type

/** The facts about a test besides its figures. */
export interface More {
  readonly failures: ReadonlyArray<Failure>
  readonly runs: number
  readonly elsewhere: string | null
  readonly issue: Issue | null
  readonly change: typeof Schemas.FoundChange.Type
  readonly stress: ReadonlyArray<string>
  readonly link: string
}

/** The figures of a test and its failures. */
export const detailsOf = (
  terminal: Terminal,
  details: Details,
  { change, elsewhere, failures, issue, link, runs, stress }: More
): string =>
  [
    headingOf(terminal, details),
    link,
    "",
    Table.fields([
      ["id", details.test_id],
      ["last", details.last_conclusion],
      ["30 days", Words.counted(runs, "run")],
      ["passed", percent(details.success_ratio)],
      ["failed", percent(details.failure_ratio)],
      ["flaky", percent(details.flakiness_ratio)],
      ["last success", Session.minuteOf(details.last_success_at)],
      ["last failure", Session.minuteOf(details.last_failure_at)],
      ["first failure", firstFailure(details)],
      ...(details.health_status === "healthy"
        ? []
        : ChangeText.linesOf(change).map((line) => ["change", line] as const)),
      ["file", plain(details.test_filepath ?? "unknown")],
      ...(issue === null ? [] : [["issue", issueText(issue)] as const]),
      ["framework", plain(details.test_framework ?? "unknown")],
      ...(elsewhere === null ? [] : [["other branches", plain(elsewhere)] as const])
    ]),
    ...stress,
    ...(failures.length === 0 ? [] : ["", Table.make(terminal, failureColumns, failures)])
  ].join("\n")

/** The address of an issue, and that it is closed. */
const issueText = ({ is_open, url }: Issue): string => `${plain(url)}${is_open ? "" : " (closed)"}`

const firstFailure = ({ first_failure_at, first_failure_commit, first_failure_pull }: Details): string => {
  const commit = first_failure_commit === null ? "" : `, commit ${plain(first_failure_commit).slice(0, 12)}`
  const pull = first_failure_pull === null ? "" : `, #${first_failure_pull.number} ${plain(first_failure_pull.title)}`
  return first_failure_at === null ? "never" : `${Session.minuteOf(first_failure_at)}${commit}${pull}`
}

const failureColumns: ReadonlyArray<Table.Column<Failure>> = [
  { heading: "failures", cell: ({ failure_count }) => String(failure_count), isNumber: true },
  { heading: "last", cell: ({ last_failure_at }) => Session.minuteOf(last_failure_at) },
  { heading: "exception", cell: ({ exception_type }) => exception_type, canShrink: true },
  { heading: "message", cell: ({ exception_message }) => exception_message.split("\n", 1)[0] ?? "", canShrink: true }
]
