/** The events of quarantines: their beginnings, changes and ends. */
import type { Terms } from "../quarantine/Life.ts"
import type { Quarantine } from "../quarantine/Quarantine.ts"
import * as TestId from "../report/TestId.ts"
import * as Instant from "../time/Instant.ts"
import * as Event from "./Event.ts"

/** A quarantine has begun. `evidence` is what the automation saw. */
export const created = (quarantine: Quarantine, evidence: Event.Detail | null = null): Event.Event => ({
  ...ofQuarantine("quarantine.created", quarantine, quarantine.createdAt),
  actor: Event.actorOf(quarantine.source === "auto", quarantine.createdBy),
  summary: `"${Event.shortened(quarantine.testName)}" was quarantined ${where(quarantine)}.`,
  detail: { ...detailOf(quarantine), evidence }
})

/** The end of a quarantine: when, by whom, and what the automation saw. */
export interface Removal {
  readonly at: Instant.Instant
  readonly by: string
  readonly evidence?: Event.Detail
}

/** A quarantine has ended. */
export const removed = (quarantine: Quarantine, { at, by, evidence }: Removal): Event.Event => ({
  ...ofQuarantine("quarantine.removed", quarantine, at),
  actor: by,
  summary: `"${Event.shortened(quarantine.testName)}" is no longer quarantined ${where(quarantine)}.`,
  detail: { ...detailOf(quarantine), evidence: evidence ?? null }
})

/** The change of the life of a quarantine: when and by whom. */
export interface Change {
  readonly at: Instant.Instant
  readonly by: string
}

/** The life of a quarantine was changed; the detail has it before and after. */
export const changed = (before: Quarantine, after: Quarantine, { at, by }: Change): Event.Event => ({
  ...ofQuarantine("quarantine.changed", after, at),
  // Two changes may come within a millisecond.
  id: Event.about("quarantine.changed", [after.id, `${at}`, JSON.stringify([lifeOf(before), lifeOf(after)])], at).id,
  actor: by,
  summary: `The quarantine of "${Event.shortened(after.testName)}" ${where(after)} was changed.`,
  detail: { ...detailOf(after), before: lifeOf(before), after: lifeOf(after) }
})

/** A quarantine is about to end by itself. The id follows from its end, so that one end is announced once. */
export const expiring = (quarantine: Quarantine, at: Instant.Instant): Event.Event => ({
  ...ofEnd("quarantine.expiring", quarantine, at),
  summary: `The quarantine of "${Event.shortened(quarantine.testName)}" ${where(quarantine)} ends ${dayOf(quarantine)}.`
})

/** A quarantine has ended by itself. The id follows from its end. */
export const expired = (quarantine: Quarantine, at: Instant.Instant): Event.Event => ({
  ...ofEnd("quarantine.expired", quarantine, at),
  summary: `The quarantine of "${Event.shortened(quarantine.testName)}" ${where(quarantine)} has ended: its failures block again.`
})

const ofQuarantine = (type: Event.EventType, quarantine: Quarantine, at: Instant.Instant): Event.Event => ({
  // An id may be used again after its record has ended.
  ...Event.about(type, [quarantine.id, `${quarantine.createdAt}`, `${at}`], at),
  testId: TestId.of(quarantine.testName),
  testName: quarantine.testName,
  branch: quarantine.branch
})

const ofEnd = (type: Event.EventType, quarantine: Quarantine, at: Instant.Instant): Event.Event => ({
  ...Event.about(type, [quarantine.id, `${quarantine.createdAt}`, `${quarantine.expiresAt}`], at),
  testId: TestId.of(quarantine.testName),
  testName: quarantine.testName,
  branch: quarantine.branch,
  detail: { ...detailOf(quarantine), ...lifeOf(quarantine) }
})

const lifeOf = ({ expiresAt, owner, scope, ticket }: Terms): Event.Detail => ({
  expiresAt: expiresAt === null ? null : Instant.toIso(expiresAt),
  owner,
  ticket,
  scope
})

const dayOf = ({ expiresAt }: Pick<Terms, "expiresAt">): string =>
  expiresAt === null ? "never" : `on ${Instant.toIso(expiresAt).slice(0, 10)}`

const detailOf = ({ id, reason, source }: Quarantine): Event.Detail => ({ quarantineId: id, source, reason })

const where = ({ branch }: Quarantine): string => (branch === null ? "on every branch" : `on ${branch}`)
