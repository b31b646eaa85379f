/** The part of an evaluation that releases recovered tests. */
import { AutoQuarantine, Contradiction, Event, Instant, Quarantine } from "@lazaret/domain"
import type { IdentityHistory } from "@lazaret/store"
import { Effect, Option } from "effect"
import type { Evaluation, Ports } from "./Evaluation.ts"
import { proofOf } from "./StressProofs.ts"

/** Releases the quarantines of the automation whose tests have recovered, or were proven to be fixed, and yields them. */
export const release = Effect.fnUntraced(function* (ports: Ports, evaluation: Evaluation) {
  const { now, policies, ref } = evaluation
  const rows = evaluation.automatic.filter(({ testName }) => evaluation.isSelected(testName))
  const health = yield* ports.tests.health(ref, [...new Set(rows.map(Quarantine.testIdOf))], now)
  const released: Array<Quarantine.Quarantine> = []
  for (const row of rows) {
    const identities = health.get(Quarantine.testIdOf(row)) ?? []
    const isRecovered = Quarantine.isRecovered(row, identities, now, policies.quarantine)
    if (!isRecovered && policies.autoQuarantine.stressRuns === 0) continue
    const histories = yield* historiesOf(ports, evaluation, row)
    const recovered = isRecovered ? recovery(evaluation, row, histories) : null
    const evidence = recovered ?? (yield* proof(ports, evaluation, { row, histories }))
    if (evidence === null) continue
    yield* ports.changed(ref)
    if (yield* ports.quarantines.remove(ref, row.id, { at: now, by: Event.auto, evidence })) released.push(row)
  }
  return released
})

const historiesOf = ({ executions }: Ports, { ref }: Evaluation, row: Quarantine.Quarantine) =>
  Effect.map(
    executions.history(ref, Quarantine.testIdOf(row)),
    Option.getOrElse((): ReadonlyArray<IdentityHistory> => [])
  )

/** The evidence that a test has been recovered for long enough; null for any other. */
const recovery = (
  { now, policies }: Evaluation,
  row: Quarantine.Quarantine,
  histories: ReadonlyArray<IdentityHistory>
) => {
  const past = histories.map(({ base, contradictions, executions: list }) => ({
    base,
    items: Contradiction.merged(list, contradictions)
  }))
  const since = now - policies.autoQuarantine.removalDays * Instant.day
  const recoveredSince = Quarantine.recoveredSince(row, past, { since, now }, policies)
  return AutoQuarantine.isToBeRemoved({ source: row.source, recoveredSince }, now, policies.autoQuarantine)
    ? {
        recoveredForDays: policies.autoQuarantine.removalDays,
        recoveredSinceOrBefore: Instant.toIso(since)
      }
    : null
}

/** The evidence of a stress run after the start of a quarantine that proves a fix; null without one. */
const proof = Effect.fnUntraced(function* (
  ports: Ports,
  evaluation: Evaluation,
  { histories, row }: { readonly row: Quarantine.Quarantine; readonly histories: ReadonlyArray<IdentityHistory> }
) {
  const found = yield* proofOf(ports, evaluation, { testId: Quarantine.testIdOf(row), histories })
  return found === null || found.at < row.createdAt
    ? null
    : { stressRuns: found.passed, stressCommit: found.commit, stressedAt: Instant.toIso(found.at) }
})
