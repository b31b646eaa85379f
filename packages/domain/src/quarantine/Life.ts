/** The life of a quarantine: until when it holds, where, and who looks after it (beyond the interface). */
import { Schema } from "effect"
import * as Glob from "../text/Glob.ts"
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import type { QuarantinePolicy } from "./Quarantine.ts"

/** Schema of the runs in which a quarantine holds: in every run of its branches, or only in runs of a merge queue. */
export const Scope = Schema.Literals(["every_run", "merge_queue"])

/** The place where a quarantine holds, as one of the scopes. */
export type Scope = typeof Scope.Type

/** Schema of the owner of a quarantine: a person or a team, as the hosting platform names it; 1 to 255 characters. */
export const Owner = Text.between(1, 255)

/** Schema of the link to the ticket of a quarantine: an `http` or `https` URL of at most 2,000 characters. */
export const Ticket = Text.between(1, 2000).check(
  Schema.makeFilter((text: string) => isLink(text) || "must be an http or https URL without a user name in it", {
    toJsonSchema: () => Text.webAddress
  })
)

/**
 * The life of a quarantine.
 *
 * **Details**
 *
 * - `expiresAt`: the first instant at which it no longer holds; null: it holds until it is removed.
 * - `remindAt`: when its owner is to be reminded; null: never, or done.
 */
export interface Life {
  readonly expiresAt: Instant.Instant | null
  readonly remindAt: Instant.Instant | null
  readonly owner: string | null
  readonly ticket: string | null
  readonly scope: Scope
}

/** The life of a quarantine that holds in every run until it is removed. */
export const unlimited: Life = { expiresAt: null, remindAt: null, owner: null, ticket: null, scope: "every_run" }

/** The life that a person gives a quarantine; the reminder follows from it. */
export type Terms = Omit<Life, "remindAt">

/** A change of the terms by a person: a field that is absent stays as it is, and null clears it. */
export type Change = Partial<Terms>

/**
 * The life with these terms, given at an instant: the reminder is `reminderDays` before the end, and not in the past.
 *
 * @example
 * ```ts
 * import { Instant, Quarantine, QuarantineLife } from "@lazaret/domain"
 *
 * const terms = { ...QuarantineLife.unlimited, expiresAt: 10 * Instant.day }
 * QuarantineLife.of(terms, 0, Quarantine.defaults).remindAt === 7 * Instant.day // => true
 * QuarantineLife.of(terms, 9 * Instant.day, Quarantine.defaults).remindAt === 9 * Instant.day // => true
 * ```
 */
export const of = (
  { expiresAt, owner, scope, ticket }: Terms,
  at: Instant.Instant,
  policy: Pick<QuarantinePolicy, "reminderDays">
): Life => ({ expiresAt, remindAt: reminderOf(expiresAt, at, policy), owner, ticket, scope })

/** The fields of a life that a change gives at an instant: a new end brings its reminder (as `of`). */
export const changed = (
  { expiresAt, ...others }: Change,
  at: Instant.Instant,
  policy: Pick<QuarantinePolicy, "reminderDays">
): Partial<Life> =>
  expiresAt === undefined ? others : { ...others, expiresAt, remindAt: reminderOf(expiresAt, at, policy) }

const reminderOf = (
  expiresAt: Instant.Instant | null,
  at: Instant.Instant,
  { reminderDays }: Pick<QuarantinePolicy, "reminderDays">
): Instant.Instant | null =>
  expiresAt === null || reminderDays === 0 ? null : Math.max(at, expiresAt - Math.ceil(reminderDays * Instant.day))

/** The life of a quarantine that begins without one: it ends after `expiryDays`, and never when they are 0. */
export const initial = (at: Instant.Instant, policy: Pick<QuarantinePolicy, "expiryDays" | "reminderDays">): Life =>
  of({ ...unlimited, expiresAt: policy.expiryDays === 0 ? null : at + policy.expiryDays * Instant.day }, at, policy)

/** Whether the life has ended at an instant. The end itself is outside of it. */
export const hasEnded = ({ expiresAt }: Pick<Life, "expiresAt">, now: Instant.Instant): boolean =>
  expiresAt !== null && expiresAt <= now

/**
 * The place of a run: the branch that quarantines are looked up for, and its merge queue.
 *
 * `queue` is null outside of merge queues; `base` is the branch that the queue merges into, as far as its branch names it.
 */
export interface Place {
  readonly branch: string
  readonly queue: { readonly base: string | null } | null
}

/**
 * Whether a quarantine holds at a place: on the branch of its name, on a branch that matches its pattern, or on every one
 * (interface 2.9); with the scope `merge_queue` only in runs of merge queues, of those into its branch, too.
 *
 * @example
 * ```ts
 * import { QuarantineLife } from "@lazaret/domain"
 *
 * const queued = { branch: "main", scope: "merge_queue" } as const
 * QuarantineLife.holdsAt(queued, { branch: "main", queue: null }) // => false
 * QuarantineLife.holdsAt(queued, { branch: "gh-readonly-queue/main/pr-1-a", queue: { base: "main" } }) // => true
 * ```
 */
export const holdsAt = (
  { branch, scope }: { readonly branch: string | null; readonly scope: Scope },
  place: Place
): boolean => {
  if (scope === "merge_queue" && place.queue === null) return false
  if (branch === null) return true
  const base = scope === "merge_queue" ? (place.queue?.base ?? null) : null
  return matches(branch, place.branch) || (base !== null && matches(branch, base))
}

const matches = (pattern: string, branch: string): boolean => pattern === branch || Glob.compile(pattern)(branch)

const isLink = (text: string): boolean => {
  if (!URL.canParse(text) || /\p{Cc}/u.test(text)) return false
  const { password, protocol, username } = new URL(text)
  return (protocol === "http:" || protocol === "https:") && username === "" && password === ""
}
