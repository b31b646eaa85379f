/** The part of an evaluation that releases recovered tests. */
import { AutoQuarantine, Contradiction, Event, Instant, Quarantine } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Evaluation, Ports } from "./Evaluation.ts"

/** Releases the recovered quarantines of the automation, and yields them. */
export const release = Effect.fnUntraced(function* (ports: Ports, evaluation: Evaluation) {
  const { now, policies, ref } = evaluation
  const rows = evaluation.automatic.filter(({ testName }) => evaluation.isSelected(testName))
  const health = yield* ports.tests.health(ref, [...new Set(rows.map(Quarantine.testIdOf))], now)
  const released: Array<Quarantine.Quarantine> = []
  for (const row of rows) {
    const identities = health.get(Quarantine.testIdOf(row)) ?? []
    if (!Quarantine.isRecovered(row, identities, now, policies.quarantine)) continue
    if (yield* releaseOne(ports, evaluation, row)) released.push(row)
  }
  return released
})

const releaseOne = Effect.fnUntraced(function* (
  { changed, executions, quarantines }: Ports,
  { now, policies, ref }: Evaluation,
  row: Quarantine.Quarantine
) {
  const histories = Option.getOrElse(yield* executions.history(ref, Quarantine.testIdOf(row)), () => [])
  const past = histories.map(({ base, contradictions, executions: list }) => ({
    base,
    items: Contradiction.merged(list, contradictions)
  }))
  const since = now - policies.autoQuarantine.removalDays * Instant.day
  const recoveredSince = Quarantine.recoveredSince(row, past, { since, now }, policies)
  if (!AutoQuarantine.isToBeRemoved({ source: row.source, recoveredSince }, now, policies.autoQuarantine)) return false
  const evidence = {
    recoveredForDays: policies.autoQuarantine.removalDays,
    recoveredSinceOrBefore: Instant.toIso(since)
  }
  yield* changed(ref)
  return yield* quarantines.remove(ref, row.id, { at: now, by: Event.auto, evidence })
})
