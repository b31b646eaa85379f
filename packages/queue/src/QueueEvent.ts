/** Queue events: the facts from which the merge queue is folded (interface 2.11, 3.5). */
import { Schema } from "effect"
import { Instant } from "@lazaret/domain"
import { PullRequestNumber } from "./PullRequestNumber.ts"
import * as QueueCheck from "./QueueCheck.ts"
import * as QueuePriority from "./QueuePriority.ts"
import { Text } from "@lazaret/domain"

/** How the checks of a queued pull request are run (interface 3.1). */
export const CheckType = Schema.Literals(["in_place", "draft_pr", "trusted"])

/** How the checks of a queued pull request are run. */
export type CheckType = typeof CheckType.Type

/** The kinds of events that the fold knows. */
export const kinds = [
  "queued",
  "priority_changed",
  "checks_started",
  "check_updated",
  "checks_ended",
  "merged",
  "dequeued"
] as const

/** The annotation of a check whose failure is implied by other faults of the same value. */
const implied = "lazaret/implied"

/**
 * Whether a failed check is implied by other faults of the same value, so that a list of faults leaves it out.
 *
 * An event of a known kind with invalid fields fails the check of unknown kinds too: the faults of the fields say more.
 */
export const isImplied = (annotations: { readonly [key: string]: unknown } | undefined): boolean =>
  annotations?.[implied] === true

const UnknownKind = Text.between(1, 100).check(
  Schema.makeFilter((text: string) => (kinds.some((kind) => kind === text) ? "is a known kind" : undefined), {
    [implied]: true,
    toJsonSchema: () => ({ not: { enum: [...kinds] } })
  })
)

/**
 * How far ahead of the clock that receives it an event may lie, in milliseconds: a day.
 *
 * **Details**
 *
 * Clocks differ by seconds, and a time that was written in the wrong zone by hours. Beyond a day the time is of another
 * unit or invented, and such an event would hold its pull request in the queue until that day, since all that really
 * happens comes before it (our choice).
 */
export const mostAhead = Instant.day

/**
 * Whether an event lies so far ahead of `now` that its time cannot be meant (see {@link mostAhead}).
 *
 * @example
 * ```ts
 * import { Instant } from "@lazaret/domain"
 * import { QueueEvent } from "@lazaret/queue"
 *
 * QueueEvent.isFarAhead({ at: 60 * Instant.minute }, 0) // => false
 * QueueEvent.isFarAhead({ at: 2 * Instant.day }, 0) // => true
 * ```
 */
export const isFarAhead = (event: Pick<QueueEvent, "at">, now: Instant.Instant): boolean => event.at > now + mostAhead

const envelope = <At extends Schema.Codec<Instant.Instant, unknown>>(at: At) => ({
  id: Text.between(1, 255),
  at,
  branch: Text.between(1, 255),
  pullRequest: PullRequestNumber
})

const Conditions = Schema.optionalKey(Text.between(0, 65_536))

const Name = Schema.optionalKey(Text.between(1, 255))

const renamed = { pullRequest: "pull_request" } as const
const withConditions = { ...renamed, evaluatedConditions: "evaluated_conditions" } as const

/** Schema of the events of a known kind, with the encoding of instants that the caller needs. */
export const knownWithTime = <At extends Schema.Codec<Instant.Instant, unknown>>(at: At) =>
  Schema.Union([
    Schema.Struct({
      ...envelope(at),
      kind: Schema.tag("queued"),
      queueRule: Schema.optionalKey(Text.between(1, 255)),
      priority: Schema.optionalKey(QueuePriority.Written)
    }).pipe(Schema.encodeKeys({ ...renamed, queueRule: "queue_rule" })),
    Schema.Struct({
      ...envelope(at),
      kind: Schema.tag("priority_changed"),
      priority: QueuePriority.Written
    }).pipe(Schema.encodeKeys(renamed)),
    Schema.Struct({
      ...envelope(at),
      kind: Schema.tag("checks_started"),
      checkType: CheckType,
      checkPullRequest: Schema.optionalKey(PullRequestNumber),
      round: Name,
      evaluatedConditions: Conditions
    }).pipe(Schema.encodeKeys({ ...withConditions, checkType: "check_type", checkPullRequest: "check_pull_request" })),
    Schema.Struct({
      ...envelope(at),
      kind: Schema.tag("check_updated"),
      check: QueueCheck.QueueCheck,
      round: Name,
      evaluatedConditions: Conditions
    }).pipe(Schema.encodeKeys(withConditions)),
    Schema.Struct({
      ...envelope(at),
      kind: Schema.tag("checks_ended"),
      state: QueueCheck.EndState,
      round: Name,
      suite: Name,
      evaluatedConditions: Conditions
    }).pipe(Schema.encodeKeys(withConditions)),
    Schema.Struct({ ...envelope(at), kind: Schema.tag("merged") }).pipe(Schema.encodeKeys(renamed)),
    Schema.Struct({
      ...envelope(at),
      kind: Schema.tag("dequeued"),
      reason: Schema.optionalKey(Text.between(0, 1000))
    }).pipe(Schema.encodeKeys(renamed))
  ])

/** Schema of an event whose `kind` is not one of {@link kinds}: kept in the log, ignored by the fold. */
export const unknownWithTime = <At extends Schema.Codec<Instant.Instant, unknown>>(at: At) =>
  Schema.Struct({ ...envelope(at), unknownKind: UnknownKind }).pipe(
    Schema.encodeKeys({ ...renamed, unknownKind: "kind" })
  )

/**
 * Schema of any queue event, with the encoding of instants that the caller needs.
 *
 * **Details**
 *
 * The encoded keys are those of the interface (`pull_request`, `check_type`, …), so that one schema serves the log of a
 * store and the batch of an API. A field that is absent is not known: the fold decides what to assume.
 */
export const withTime = <At extends Schema.Codec<Instant.Instant, unknown>>(at: At) =>
  Schema.Union([knownWithTime(at), unknownWithTime(at)])

/** Schema of an event of a known kind, instants being numbers. */
export const Known = knownWithTime(Instant.Instant)

/** An event of a known kind. */
export type Known = typeof Known.Type

/** The event of one kind. */
export type Of<Kind extends Known["kind"]> = Extract<Known, { readonly kind: Kind }>

/** Schema of an event of an unknown kind, instants being numbers. */
export const Unknown = unknownWithTime(Instant.Instant)

/** An event of an unknown kind: when and on what it came, and the kind it named. */
export type Unknown = typeof Unknown.Type

/**
 * Schema of a queue event, instants being numbers.
 *
 * @example
 * ```ts
 * import { QueueEvent } from "@lazaret/queue"
 * import { Schema } from "effect"
 *
 * const decode = Schema.decodeUnknownSync(QueueEvent.QueueEvent)
 * const common = { id: "e1", at: 0, branch: "main", pull_request: 7 }
 *
 * decode({ ...common, kind: "queued", priority: "high" }) // => { id: "e1", at: 0, branch: "main", pullRequest: 7, kind: "queued", priority: 3000 }
 * decode({ ...common, kind: "frozen" }) // => { id: "e1", at: 0, branch: "main", pullRequest: 7, unknownKind: "frozen" }
 * ```
 */
export const QueueEvent = withTime(Instant.Instant)

/**
 * A fact about a pull request in the merge queue of a base branch.
 *
 * **Details**
 *
 * - `id`: names the event; the same id never counts twice.
 * - `at`: when it happened, not when it arrived.
 * - `branch`: the base branch whose queue it is about.
 * - `queued`: entered the queue, with the rule's name (else `default`) and the priority (else medium).
 * - `checks_started`: `checkPullRequest` is the pull request that the checks run on, the queued one itself if absent.
 * - `check_updated`: the whole check as it is now; its name says which one.
 * - `checks_ended`: all checks are over; the state is the queue's verdict on them. With a `suite` only that part of the
 *   checks is over: the round ends with it when no other check is still out, or when one has failed.
 * - `round` names a round of checks, such as the commit that is checked. An event that names another round than the
 *   running one does not touch it: feeds still report the checks of a round after they have started the next.
 */
export type QueueEvent = typeof QueueEvent.Type

/**
 * The order of events: when they happened, then their id by code points. Arrival plays no part.
 *
 * @example
 * ```ts
 * import { QueueEvent } from "@lazaret/queue"
 *
 * QueueEvent.order({ at: 1, id: "b" }, { at: 2, id: "a" }) // => -1
 * QueueEvent.order({ at: 1, id: "b" }, { at: 1, id: "a" }) // => 1
 * ```
 */
export const order = (a: Pick<QueueEvent, "at" | "id">, b: Pick<QueueEvent, "at" | "id">): -1 | 0 | 1 =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : Text.compare(a.id, b.id)

/** Whether the fold knows the kind of an event. */
export const isKnown = (event: QueueEvent): event is Known => "kind" in event

/**
 * The base branches with any event in the half-open window, each once, in code-point order (interface 4.2.7).
 *
 * **Details**
 *
 * Events that the fold ignores count too: they are activity.
 *
 * @example
 * ```ts
 * import { QueueEvent } from "@lazaret/queue"
 *
 * const events = [{ at: 1, branch: "main" }, { at: 2, branch: "dev" }, { at: 3, branch: "old" }]
 * QueueEvent.baseRefs(events, { start: 1, end: 3 }) // => ["dev", "main"]
 * ```
 */
export const baseRefs = (
  events: Iterable<Pick<QueueEvent, "at" | "branch">>,
  window: { readonly start: Instant.Instant; readonly end: Instant.Instant }
): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const { at, branch } of events) {
    if (at >= window.start && at < window.end) names.add(branch)
  }
  return [...names].sort(Text.compare)
}
