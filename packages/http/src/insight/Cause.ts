/** Causes on the wire. */
import { Schemas } from "@lazaret/api"
import { type Cause, type CauseRecord, TestId } from "@lazaret/domain"
import type { CausesRequest, ListedCause, ListedCauses, Listing } from "@lazaret/services"
import type { Schema } from "effect"
import * as Parameter from "../request/Parameter.ts"

type Query = Schema.Struct.Type<typeof Schemas.CausesQuery.fields>

/** The list that a query asks for. */
export const requestOf = (query: Query): CausesRequest => ({
  states: query.state ?? ["open", "silenced", "closed"],
  kinds: query.kind ?? ["tests", "outage"],
  testId: query.test_id ?? null,
  ...Parameter.pageOf(query)
})

/** The page of causes. */
export const pageOf = (
  { computedAt, listing, missingRuns, redRuns }: ListedCauses,
  perPage: number
): typeof Schemas.CausesPage.Type => ({
  size: listing.rows.length,
  per_page: perPage,
  total: listing.total,
  computed_at: computedAt,
  red_job_runs: redRuns,
  missing_job_runs: missingRuns,
  sentence: sentenceOf({ computedAt, missingRuns, redRuns, total: listing.total }),
  causes: listing.rows.map(causeOf)
})

interface Counted extends Pick<ListedCauses, "computedAt" | "missingRuns" | "redRuns"> {
  readonly total: number
}

const sentenceOf = ({ computedAt, missingRuns, redRuns, total }: Counted): string => {
  if (computedAt === null) return "not computed yet: causes follow some minutes after the first report with failures"
  if (missingRuns > 0) return `not enough data yet: ${counted(missingRuns, "more job run")} with failures`
  return `${counted(total, "cause")} from ${counted(redRuns, "job run")} with failures`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** One cause. */
export const causeOf = ({ known, ...cause }: ListedCause): typeof Schemas.SharedCause.Type => ({
  id: cause.causeId,
  name: known.name,
  kind: known.kind,
  state: cause.state,
  tests: known.testCount,
  test_names: known.tests.slice(0, mostNames).map(({ testName }) => testName),
  test_ids: known.tests.slice(0, mostNames).map(({ testName }) => TestId.of(testName)),
  exception_type: known.exceptionType,
  message: known.message,
  first_at: known.firstAt,
  last_at: known.lastAt,
  job_runs: known.runs,
  share: cause.share,
  weeks: known.weeks,
  jobs: known.jobs.map(({ jobName, pipelineName, runs }) => ({
    pipeline_name: pipelineName,
    job_name: jobName,
    job_runs: runs
  })),
  examples: known.examples.map(exampleOf),
  from: cause.from,
  owner: cause.owner,
  ticket: cause.ticket,
  silenced_until: cause.silencedUntil,
  closed_at: cause.closedAt,
  changed_by: cause.changedBy,
  changed_at: cause.changedAt
})

const mostNames = 10

const exampleOf = (example: Cause.CauseKnown["examples"][number]) => ({
  finished_at: example.at,
  pipeline_name: example.pipelineName,
  job_name: example.jobName,
  commit: example.commit,
  branch: example.branch,
  test_name: example.testName,
  failed: example.failed
})

/** A page of the tests of a cause. */
export const testsOf =
  (perPage: number) =>
  ({ rows, total }: Listing.Listing<Cause.CauseTest>): typeof Schemas.CauseTestsPage.Type => ({
    size: rows.length,
    per_page: perPage,
    total,
    tests: rows.map(({ lastAt, runs, testName }) => ({
      test_id: TestId.of(testName),
      test_name: testName,
      job_runs: runs,
      last_at: lastAt
    }))
  })

/** The change that a body asks for, as of an instant. */
export const changeOf = (body: typeof Schemas.ChangeCause.Type, now: number): CauseRecord.Change => ({
  ...(body.owner === undefined ? {} : { owner: body.owner }),
  ...(body.ticket === undefined ? {} : { ticket: body.ticket }),
  ...(body.silenced_until === undefined ? {} : { silencedUntil: body.silenced_until }),
  ...(body.closed === undefined ? {} : { closedAt: body.closed ? now : null })
})
