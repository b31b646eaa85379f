/** What of the reports at hand came too late: executions from before the horizon of the repository. */
import { Report } from "@lazaret/domain"
import type { AppendOutcome } from "@lazaret/store"
import { Effect } from "effect"
import * as Claim from "./Claim.ts"
import type { Session } from "../repository/Session.ts"

/** Decides like `Claim.claim`, among the executions that are still taken. */
export const claim = Effect.fnUntraced(function* (session: Session, reports: ReadonlyArray<Report.Report>) {
  const { horizon } = session
  if (horizon === null) return yield* Claim.claim(session, reports)
  const kept = reports.map((report) => Report.since(report, horizon))
  const expired = kept.map((report, index) => (reports[index]?.executions.length ?? 0) - report.executions.length)
  const isGone = (index: number): boolean => (expired[index] ?? 0) > 0 && kept[index]?.executions.length === 0
  const { fresh, outcomes } = yield* Claim.claim(
    session,
    kept.filter((_, index) => !isGone(index))
  )
  const claimed = outcomes.values()
  const all = expired.map((count, index): AppendOutcome => {
    if (isGone(index)) return { _tag: "Expired", expired: count, horizon }
    const outcome = claimed.next().value
    if (outcome === undefined) throw new Error("a report has no outcome")
    return outcome._tag === "Recorded" && count > 0 ? { ...outcome, _tag: "Trimmed", expired: count, horizon } : outcome
  })
  const claims: Claim.Claims = { fresh, outcomes: all }
  return claims
})
