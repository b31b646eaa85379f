/** Quarantines: tests whose failures CI does not hold against a change (interface 2.9, 3.3). */
import { Schema } from "effect"
import * as Health from "../health/Health.ts"
import type { HealthPolicy } from "../health/HealthPolicy.ts"
import * as Instant from "../time/Instant.ts"
import * as TestId from "../report/TestId.ts"
import * as Text from "../text/Text.ts"
import * as Policy from "../policy/Policy.ts"
import * as Life from "./Life.ts"

/** The source of a quarantine: a person or the automation (interface 2.9). */
export const Source = Schema.Literals(["manual", "auto"])

/** The source of a quarantine. */
export type Source = typeof Source.Type

/** Schema of the name of a quarantined test: 1 to 10,000 characters. */
export const TestName = Text.between(1, 10_000)

/** Schema of the reason of a quarantine: up to 10,000 characters. */
export const Reason = Text.between(0, 10_000)

/**
 * Schema of the branch of a quarantine: a branch name, or a pattern of branch names (`release/*`) of 1 to 10,000 characters.
 *
 * Git forbids `*` and `?` in branch names, so that a pattern cannot be confused with a name.
 */
export const Branch = Text.between(1, 10_000)

/**
 * A quarantine record (interface 2.9) with how it ended, for the history.
 *
 * **Details**
 *
 * `branch` is a branch name or a pattern of branch names; null applies to every branch. `createdBy` and `removedBy` name the credential; `removedAt` is null while the
 * record is active. A record whose life has ended is not active, even before its end is stored.
 */
export interface Quarantine extends Life.Life {
  readonly id: string
  readonly testName: string
  readonly reason: string
  readonly branch: string | null
  readonly createdAt: Instant.Instant
  readonly createdBy: string
  readonly source: Source
  readonly removedAt: Instant.Instant | null
  readonly removedBy: string | null
}

/** The numbers of recovery, each with its default and its reason. */
export const fields = {
  recoveredPasses: Policy.count(
    10,
    [1, 1000],
    "Clean passes until a quarantined test has recovered",
    "The same number makes a flaky test healthy: a quarantine must not end while the test is flaky."
  ),
  recoveredDays: Policy.count(
    7,
    [0, 365],
    "Days since the last failure of a recovered test",
    "The days that a flaky test needs to become healthy."
  ),
  expiryDays: Policy.count(
    0,
    [0, 3650],
    "Days until a new quarantine ends",
    "0: never. A quarantine that ends while its test is flaky blocks changes, so each repository decides about ends."
  ),
  reminderDays: Policy.count(
    3,
    [0, 90],
    "Days between the reminder and the end of a quarantine",
    "A weekend and a day: long enough to fix a test or to extend its quarantine. 0: no reminder."
  )
}

/** Schema of the quarantine policy. */
export const QuarantinePolicy = Policy.schema(fields)

/** The thresholds of recovery. */
export type QuarantinePolicy = typeof QuarantinePolicy.Type

/** The quarantine policy with every default. */
export const defaults: QuarantinePolicy = Policy.defaultsOf(fields)

/** The id of the test that a record is about (interface 2.9). */
export const testIdOf = (quarantine: Pick<Quarantine, "testName">): TestId.TestId => TestId.of(quarantine.testName)

/**
 * A text that is equal only for records that exclude one another: one active record per test name and branch, `null`
 * being a key of its own (our choice; a second one is a conflict).
 *
 * @example
 * ```ts
 * import { Quarantine } from "@lazaret/domain"
 *
 * const everywhere = Quarantine.key({ testName: "a", branch: null })
 * everywhere === Quarantine.key({ testName: "a", branch: "null" }) // => false
 * ```
 */
export const key = (quarantine: Pick<Quarantine, "testName" | "branch">): string =>
  quarantine.branch === null ? quarantine.testName : `${quarantine.testName}\0${quarantine.branch}`

/** Whether a record is active at an instant: nobody has removed it, and its life has not ended. */
export const isActive = (quarantine: Pick<Quarantine, "removedAt" | "expiresAt">, now: Instant.Instant): boolean =>
  quarantine.removedAt === null && !Life.hasEnded(quarantine, now)

/**
 * When one of the records last ended other than by the automation, null when none did: by a person, or because its life
 * had ended. `automation` names the automation.
 */
export const endedByHandAt = (records: ReadonlyArray<Quarantine>, automation: string): Instant.Instant | null =>
  records.reduce<Instant.Instant | null>(
    (latest, { removedAt, removedBy }) =>
      removedAt === null || removedBy === automation ? latest : Math.max(latest ?? removedAt, removedAt),
    null
  )

/**
 * The health of one identity of the test, as recovery reads it.
 *
 * `lastAt` is its last passed or failed execution, null without one; `active` is whether it has executions in the last 30
 * days.
 */
export interface IdentityHealth {
  readonly state: Health.State
  readonly lastAt: Instant.Instant | null
  readonly active: boolean
}

/**
 * Whether recent runs of a quarantined test are healthy, which suggests that the quarantine could end (interface 2.9).
 *
 * **Details** (our choice)
 *
 * Some identity has passed or failed since the quarantine began. Every identity with executions in the last 30 days is healthy; one
 * that has ever failed has at least `recoveredPasses` clean passes since, and the failure is at least `recoveredDays`
 * ago. Together they have at least `recoveredPasses` clean passes.
 */
export const isRecovered = (
  quarantine: Pick<Quarantine, "createdAt">,
  identities: ReadonlyArray<IdentityHealth>,
  now: Instant.Instant,
  policy: QuarantinePolicy
): boolean => {
  const active = identities.filter((identity) => identity.active)
  const passes = active.reduce((sum, identity) => sum + identity.state.cleanPasses, 0)
  return (
    active.some(({ lastAt }) => lastAt !== null && lastAt >= quarantine.createdAt) &&
    passes >= policy.recoveredPasses &&
    active.every(({ state }) => state.status === "healthy" && hasCleared(state, now, policy))
  )
}

/**
 * The next instant at which `isRecovered` may turn true although nothing happens, `Infinity` without one. `activeDays` may
 * turn it at every midnight, too.
 */
export const recoversAt = (
  identities: ReadonlyArray<IdentityHealth>,
  now: Instant.Instant,
  { recoveredDays }: QuarantinePolicy
): number =>
  identities.reduce((earliest, { state: { failureAt } }) => {
    const at = failureAt === null ? Infinity : failureAt + recoveredDays * Instant.day
    return at > now && at < earliest ? at : earliest
  }, Infinity)

/** The past of one identity: the state before, and its executions and contradictions on other branches in order. */
export interface IdentityPast {
  readonly base: Health.State
  readonly items: ReadonlyArray<Health.Item>
}

/**
 * Since when a test has been recovered without a break, null when it is not; never earlier than `since`.
 *
 * **Details**
 *
 * Recovery is evaluated after every execution, and at every UTC midnight, since an identity may leave the last 30 days.
 * What arrived late counts for when it happened.
 */
export const recoveredSince = (
  quarantine: Pick<Quarantine, "createdAt">,
  identities: ReadonlyArray<IdentityPast>,
  span: { readonly since: Instant.Instant; readonly now: Instant.Instant },
  policies: { readonly quarantine: QuarantinePolicy; readonly health: HealthPolicy }
): Instant.Instant | null => {
  const cursors = identities.map((past) => ({
    past,
    next: 0,
    state: past.base,
    lastAt: null as number | null,
    ranAt: -Infinity
  }))
  let recovered: Instant.Instant | null = null
  for (const at of momentsOf(identities, span)) {
    const seen = cursors.map((cursor): IdentityHealth => {
      const { items } = cursor.past
      let end = cursor.next
      for (; (items[end]?.at ?? Infinity) <= at; end++) {
        const item = items[end]
        if (item === undefined || item.conclusion === "contradicted") continue
        cursor.ranAt = item.at
        if (item.conclusion !== "skipped") cursor.lastAt = item.at
      }
      cursor.state = Health.fold(cursor.state, items.slice(cursor.next, end), policies.health)
      cursor.next = end
      const active = cursor.ranAt >= Instant.startOfLastDays(at, policies.health.activeDays)
      return { state: cursor.state, lastAt: cursor.lastAt, active }
    })
    if (!isRecovered(quarantine, seen, at, policies.quarantine)) recovered = null
    else recovered ??= at
  }
  return recovered
}

/** When recovery may begin or end, and both ends of the span. */
const momentsOf = (
  identities: ReadonlyArray<IdentityPast>,
  { now, since }: { readonly since: Instant.Instant; readonly now: Instant.Instant }
): ReadonlyArray<Instant.Instant> => {
  const moments = new Set([since, now])
  for (let at = (Instant.utcDay(since) + 1) * Instant.day; at < now; at += Instant.day) moments.add(at)
  for (const { items } of identities) for (const { at } of items) if (at > since && at < now) moments.add(at)
  return [...moments].sort((a, b) => a - b)
}

const hasCleared = (state: Health.State, now: Instant.Instant, policy: QuarantinePolicy): boolean =>
  state.failureAt === null ||
  (state.cleanPasses >= policy.recoveredPasses && now - state.failureAt >= policy.recoveredDays * Instant.day)
