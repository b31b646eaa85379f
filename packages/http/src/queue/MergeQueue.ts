/** The engines of merge queues on the wire. */
import { Schemas } from "@lazaret/api"
import { Instant, type QueuePause } from "@lazaret/domain"
import {
  type EngineLog,
  type EngineView,
  Fate,
  type Foresight,
  type Observation,
  Preflight,
  Savings
} from "@lazaret/queue"
import type { EnginesReport, Listing, LogRequest, PreflightReport, DatedFate } from "@lazaret/services"
import * as Queue from "./Queue.ts"

/** The engines of the base branches. */
export const enginesOf = ({ engines, explanation, sign }: EnginesReport): typeof Schemas.MergeQueueEngines.Type => ({
  explanation,
  pull_sign: sign,
  engines: engines.map((view) => ({
    branch: view.branch,
    mode: view.mode,
    shadow: view.shadow,
    is_acting: view.isActing,
    explanation: view.explanation,
    required_checks: view.requiredChecks,
    pause: view.pause === null ? null : { since: view.pause.at, reason: view.pause.reason, by: view.pause.by },
    incident: view.incident === null ? null : { since: view.incident.at, signature: view.incident.signature },
    findings: view.findings,
    groups: view.groups.map(groupOf),
    waiting: view.waiting,
    returning: view.returning,
    evicted: view.evicted,
    batches: view.batches.map(({ checks, ...batch }) => ({ ...batch, checks: checks.map(checkOf) })),
    queued: view.queued,
    foresight: view.foresight === null ? null : foresightOf(view.foresight),
    savings: view.savings.map((week) => savingsOf(week, !view.isActing))
  }))
})

const savingsOf = (week: Savings.Savings, isShadow: boolean) => ({
  week: Instant.toIso(week.start).slice(0, 10),
  evictions: week.evictions,
  saved_evictions: week.saved,
  saved_ci_hours: Savings.hoursOf(week.wasted),
  reused_groups: week.reused,
  sentence: Savings.sentence(week, isShadow)
})

/** The history of a pull request. */
export const historyOf = (
  number: number,
  lines: ReadonlyArray<EngineLog.Line>,
  fates: ReadonlyArray<DatedFate>
): typeof Schemas.MergeQueueHistory.Type => ({
  number,
  outcomes: fates.map((fate) => ({
    at: fate.at,
    outcome: fate.outcome,
    reason: fate.reason,
    sentence: Fate.sentence(fate),
    commit: fate.group,
    checks: fate.checks,
    tests: fate.failures.map(({ check, class: verdict, probability, test }) => ({
      check,
      test,
      verdict,
      probability
    })),
    attempts: fate.attempts,
    url: fate.url,
    by: fate.by,
    is_saved: fate.isSaved
  })),
  lines
})

const groupOf = ({ checks, seenAt, ...group }: EngineView.Group) => ({
  ...group,
  seen_at: seenAt,
  checks: checks.map(checkOf)
})

const checkOf = ({ url, ...check }: Observation.Check) => ({ ...check, url: url ?? null })

const foresightOf = ({ batches, innocent, left, passed, pulls, reruns }: Foresight.Foresight) => ({
  batches,
  pulls,
  reruns: reruns.length + passed,
  reruns_that_passed: passed,
  evictions: left.length + innocent,
  evictions_of_innocents: innocent
})

/** The findings about a base branch. */
export const preflightOf = ({ isLive, ...report }: PreflightReport): typeof Schemas.MergeQueuePreflight.Type => ({
  ...report,
  can_act:
    (report.mode === "gate" || report.mode === "drive") &&
    report.findings.length > 0 &&
    !Preflight.isImpossible(report.findings),
  is_live: isLive
})

/** The part of the log that a query asks for. */
export const requestOf = ({ branch, cursor, per_page: perPage }: Query): LogRequest => ({
  branch: branch ?? null,
  cursor: cursor ?? null,
  perPage: perPage ?? Schemas.Parameter.defaultPerPage
})

interface Query {
  readonly branch?: string
  readonly cursor?: string
  readonly per_page?: number
}

/** A page of the log. */
export const logOf =
  (perPage: number) =>
  ({ rows }: Listing.Listing<EngineLog.Line>): typeof Schemas.MergeQueueLog.Type => ({
    size: rows.length,
    per_page: perPage,
    lines: rows
  })

/** The pause, and the effect that it has. */
export const pauseOf = (
  pause: QueuePause.QueuePause | undefined,
  isActing: boolean
): typeof Schemas.MergeQueuePause.Type => ({
  pause: pause === undefined ? null : Queue.pauseOf(pause),
  effect: isActing ? "holds_merges" : "only_shown"
})
