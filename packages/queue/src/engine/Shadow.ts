/** The shadow of a driven queue: batches are planned and judged, and nothing is built. */
import * as Batch from "./Batch.ts"
import * as BatchPlan from "./BatchPlan.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import type { Member } from "./Observation.ts"
import * as RoundVerdict from "./RoundVerdict.ts"
import * as Work from "./Work.ts"

/** Plans batches of those who wait, and says of each what would have become of it (`Foresight`). */
export const pass: Work.Pass = (work) => {
  for (const { id } of work.state.batches) foresee(work, id)
  while (places(work) > 0 && form(work));
}

/** A batch whose failure nobody runs again takes no place. */
const places = ({ configuration, state }: Work.Work): number => {
  const isStuck = ({ members }: Batch.Batch) => members.some(({ head }) => state.foresight.reruns.includes(head))
  return configuration.maxParallelChecks - state.batches.filter((batch) => !isStuck(batch)).length
}

const form = (work: Work.Work): boolean => {
  const { configuration, now, state } = work
  const plan = BatchPlan.next(state, configuration, EngineState.clock(state, now))
  if (plan.kind === "wait") Work.wakeAtClock(work, plan.until)
  if (plan.kind !== "form") return false
  Work.emit(work, { kind: "batch_formed", members: plan.members, overtaken: plan.overtaken, rule: plan.rule })
  return true
}

const nothing = { class: "unknown", probability: null, checks: [], failures: [] } as const

const foresee = (work: Work.Work, id: string): void => {
  const batch = work.state.batches.find((each) => each.id === id)
  if (batch === undefined) return
  const verdicts = batch.members.map((member) => ({ member, verdict: verdictOf(work, batch, member) }))
  for (const { verdict } of verdicts) {
    if (verdict?.kind === "pending" && verdict.until !== null) Work.wakeAtClock(work, verdict.until)
  }
  const said = (outcome: "landed" | "left" | "rerun", members: ReadonlyArray<Member>, judged: Judged = nothing) =>
    Work.emit(work, { kind: "batch_foreseen", batch: id, outcome, members, ...judged })
  for (const { member, verdict } of verdicts) {
    if (verdict?.kind !== "red") continue
    const { checks, class: of, failures, probability } = verdict
    const isKnown = work.state.foresight.reruns.includes(member.head)
    if (of !== "real" && isKnown) continue
    return said(of === "real" ? "left" : "rerun", [member], { checks, class: of, failures, probability })
  }
  if (verdicts.every(({ verdict }) => verdict?.kind === "green")) said("landed", batch.members)
}

type Judged = Pick<
  Extract<RoundVerdict.RoundVerdict, { readonly kind: "red" }>,
  "checks" | "class" | "failures" | "probability"
>

/** The verdict on the head of a member; null before it was read. */
const verdictOf = (
  { configuration, now, state }: Work.Work,
  { rule }: Batch.Batch,
  { head, number }: Member
): RoundVerdict.RoundVerdict | null => {
  const found = state.heads.find((each) => each.number === number && each.sha === head)
  if (found === undefined) return null
  const timeout = RoundVerdict.timeoutOf(EngineConfiguration.ruleOf(configuration, rule).checksTimeout)
  return RoundVerdict.of(found.round, { configuration, timeout, clock: EngineState.clock(state, now) })
}
