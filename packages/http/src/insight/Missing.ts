/** Losses on the wire. */
import { Schemas } from "@lazaret/api"
import { LossRecord } from "@lazaret/domain"
import type { ListedLosses, LossesRequest } from "@lazaret/services"
import type { Schema } from "effect"
import * as Parameter from "../request/Parameter.ts"

type Query = Schema.Struct.Type<typeof Schemas.LossesQuery.fields>

/** The list that a query asks for. */
export const requestOf = (query: Query): LossesRequest => ({
  states: query.state ?? [],
  kinds: query.kind ?? [],
  ...Parameter.pageOf(query)
})

/** The page of losses. */
export const pageOf = (
  { computedAt, jobs, listing, missingRuns }: ListedLosses,
  perPage: number
): typeof Schemas.LossesPage.Type => ({
  size: listing.rows.length,
  per_page: perPage,
  total: listing.total,
  computed_at: computedAt,
  jobs,
  missing_runs: missingRuns,
  sentence: sentenceOf({ computedAt, jobs, missingRuns, total: listing.total }),
  losses: listing.rows.map(lossOf)
})

interface Counted extends Pick<ListedLosses, "computedAt" | "jobs" | "missingRuns"> {
  readonly total: number
}

const sentenceOf = ({ computedAt, jobs, missingRuns, total }: Counted): string => {
  if (computedAt === null) return "not searched yet: the first search follows a quarter of an hour after a report"
  if (missingRuns > 0 && total === 0) {
    return `not enough data yet: ${missingRuns} more ${missingRuns === 1 ? "run" : "runs"} on the default branch`
  }
  return `${total} ${total === 1 ? "loss" : "losses"} in ${jobs} ${jobs === 1 ? "job" : "jobs"}`
}

const lossOf = (loss: LossRecord.LossRecord): typeof Schemas.Loss.Type => ({
  id: loss.lossId,
  kind: loss.kind,
  state: loss.state,
  sentence: LossRecord.sentence(loss),
  pipeline_name: loss.pipelineName,
  job_names: loss.jobNames,
  jobs: loss.jobs,
  run_id: loss.runId,
  commit: loss.commit,
  finished_at: loss.at,
  last_at: loss.lastAt,
  runs: loss.runs,
  expected: loss.expected,
  missing: loss.missing,
  skipped: loss.skipped,
  renamed: loss.renamed,
  test_names: loss.names,
  suites: loss.suites,
  renames: loss.renames,
  is_small: loss.isSmall
})
