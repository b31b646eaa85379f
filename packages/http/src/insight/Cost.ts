/** Costs on the wire. */
import type { Schemas } from "@lazaret/api"
import { Cost, type CostKnown, type CostPolicy, TestId } from "@lazaret/domain"
import type { CostRequest, ListedCosts } from "@lazaret/services"
import type { Schema } from "effect"
import * as Parameter from "../request/Parameter.ts"

type Query = Schema.Struct.Type<typeof Schemas.CostsQuery.fields>

/** The table that a query asks for. */
export const requestOf = (query: Query): CostRequest => ({
  by: query.by ?? "cause",
  weeks: query.weeks ?? defaultWeeks,
  ...Parameter.pageOf(query)
})

const defaultWeeks = 4

/** The page of a table of costs. */
export const pageOf = (
  { computedAt, cost, listing, policy }: ListedCosts,
  { by, perPage }: CostRequest
): typeof Schemas.CostsPage.Type => ({
  size: listing.rows.length,
  per_page: perPage,
  total: listing.total,
  by,
  computed_at: computedAt,
  missing_job_runs: cost?.missingRuns ?? null,
  sentence: sentenceOf(cost),
  figures: cost === null || cost.missingRuns > 0 ? null : figuresOf(cost, policy),
  costs: listing.rows.map(rowOf)
})

const sentenceOf = (cost: Cost.Cost | null): string =>
  cost === null
    ? "not computed yet: costs follow some minutes after the first report"
    : (Cost.missing(cost) ?? Cost.sentence(cost) ?? "no flaky test has cost anything in these weeks")

const rowOf = (row: Cost.Row): typeof Schemas.CostRow.Type => ({
  name: row.name,
  test_id: row.testName === null ? null : TestId.of(row.testName),
  cause_id: row.causeId,
  week: row.start,
  tests: row.tests,
  job_runs: Cost.runsOf(row.runs),
  ...minutesOf(row),
  amount: row.amount,
  share: row.share
})

const minutesOf = (spent: Cost.Spent) => ({
  failed_minutes: Cost.minutesOf(spent.failed),
  run_again_minutes: Cost.minutesOf(spent.repeated),
  repeated_in_jobs_minutes: Cost.minutesOf(spent.retried),
  machine_minutes: Cost.minutesOf(Cost.machineUs(spent)),
  waiting_minutes: Cost.minutesOf(spent.waiting)
})

const figuresOf = (cost: Cost.Cost, policy: CostPolicy.CostPolicy): typeof Schemas.CostFigures.Type => {
  const { counts, from, total, worst } = cost
  return {
    from,
    time_source: sourceOf(counts),
    platform_job_runs: counts.platformRuns,
    job_runs: countsOf(counts.runs),
    commits: countsOf(counts.commits),
    pull_requests: countsOf(counts.pulls),
    let_pass_by_gate: counts.letPass,
    job_minutes: Cost.minutesOf(counts.runUs),
    ...minutesOf(total),
    judged_minutes: Cost.minutesOf(counts.judgedUs),
    waiting_commits: counts.waits,
    outages: { job_runs: counts.outageRuns, minutes: Cost.minutesOf(counts.outageUs) },
    queue: { evictions: counts.evictions, reruns: counts.queueReruns },
    amount: total.amount,
    is_priced: Cost.isPriced(policy),
    worst: { causes: worst.causes.map(({ amount, name, share }) => ({ name, amount, share })), share: worst.share },
    weeks: cost.weeks.map(({ outageUs, runs, spent, start }) => ({
      start,
      job_runs: runs.all,
      red_by_flakes: runs.byFlakes,
      machine_minutes: Cost.minutesOf(Cost.machineUs(spent)),
      waiting_minutes: Cost.minutesOf(spent.waiting),
      outage_minutes: Cost.minutesOf(outageUs)
    }))
  }
}

const sourceOf = ({ platformRuns, runs }: Pick<CostKnown.Week, "platformRuns" | "runs">) =>
  platformRuns === 0 ? "reports" : platformRuns === runs.all ? "platform" : "both"

const countsOf = ({ all, byFlakes, red, withGate }: CostKnown.Counts) => ({
  all,
  red,
  by_flakes: byFlakes,
  by_flakes_with_gate: withGate,
  share: all === 0 ? null : byFlakes / all,
  share_with_gate: all === 0 ? null : withGate / all
})
