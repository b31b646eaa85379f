/** The text that explains the health of a test in one pipeline and job. */
import type { Schemas } from "@lazaret/api"
import { Confidence } from "@lazaret/domain"
import * as Session from "../../connection/Session.ts"
import * as Table from "../../terminal/Table.ts"
import { colourOf, paint, plain, type Terminal } from "../../terminal/Terminal.ts"
import * as Words from "../../terminal/Words.ts"
import { percent } from "./TestText.ts"

type Identity = typeof Schemas.ExplainedIdentity.Type

type Execution = typeof Schemas.ExplainedExecution.Type

/** The health of a test in one pipeline and job: the rule, its certainty, and at most `most` executions that led to it. */
export const identityOf = (terminal: Terminal, each: Identity, most: number): string => {
  const status = paint(terminal, colourOf(each.health_status), each.health_status)
  const executions = [...each.evidence, ...each.context].sort((a, b) => a.finished_at - b.finished_at)
  const place = `${plain(each.pipeline_name)} / ${plain(each.job_name)}`
  return [
    `${place}: ${status} since ${Session.minuteOf(each.since)} (${each.rule}: ${rules[each.rule]})`,
    ...(each.failing === null ? [] : [rowOf(each.failing)]),
    certaintyOf(each),
    ...(each.recovery === null ? [] : [plain(each.recovery.sentence).replace(instant, "$1 $2 UTC")]),
    ...each.notes.map(plain),
    ...(executions.length === 0 ? [] : [Table.make(terminal, executionColumns, executions.slice(-most))]),
    ...(executions.length <= most ? [] : [`the latest ${most} of ${executions.length} executions; more with --limit`])
  ].join("\n")
}

const rowOf = ({ commit, failures, since }: NonNullable<Identity["failing"]>): string =>
  `${Words.counted(failures, "failure")} in a row since ${Session.minuteOf(since)}, commit ${plain(commit).slice(0, 12)}`

const instant = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[:.\d]*Z/g

/** The rules of the health model in a few words. */
const rules: { readonly [R in Identity["rule"]]: string } = {
  start: "no failure has counted against it",
  failure: "failed, and has not passed since",
  in_job_rerun: "failed and passed within one job",
  contradiction: "failed and passed on the same commit",
  repeated_episode: "failed again soon after it had recovered",
  single_failure: "failed on one commit alone, and passed on the next",
  other_branch: "failed and passed in one run of another branch",
  persistent_failure: "failed on more commits in a row than a flake explains",
  passes_in_a_row: "passed often enough in a row",
  clean_passes: "passed long enough without another contradiction"
}

/**
 * The level counts the reruns since the status last changed, the bound the clean ones since the last failure. A bound of half of
 * the runs or more says nothing.
 */
const certaintyOf = ({ clean_reruns, confidence, confidence_reason, flake_rate_bound }: Identity): string => {
  const grounds = `${plain(confidence_reason)} (${Confidence.wordsOf(confidence)})`
  return flake_rate_bound >= 0.5
    ? grounds
    : `${grounds}; ${Words.counted(clean_reruns, "clean rerun")} since the last failure: with 95 % certainty less than ${percent(flake_rate_bound)} of its runs fail by chance`
}

const executionColumns: ReadonlyArray<Table.Column<Execution>> = [
  { heading: "finished", cell: ({ finished_at }) => Session.minuteOf(finished_at) },
  { heading: "commit", cell: ({ commit }) => commit.slice(0, 12) },
  {
    heading: "outcome",
    cell: ({ conclusion, flaky }) => (flaky ? `${conclusion}, flaky` : conclusion),
    colour: ({ conclusion, flaky }) => (flaky ? "yellow" : conclusion === "failed" ? "red" : null)
  },
  { heading: "exception", cell: ({ exception_type }) => exception_type ?? "", canShrink: true },
  { heading: "log", cell: ({ job_url }) => job_url ?? "", canShrink: true }
]
