/** Entries of the audit log: administrative actions with their actor, place, and the values before and after (our choice). */
import { Schema } from "effect"
import type { Instant } from "../time/Instant.ts"

/** The kinds of actor: an application key, a signed-in person, a token of the hosting platform, a token of a CI system. */
export const ActorKind = Schema.Literals(["key", "user", "platform", "ci"])

/** The actor of an action: `name` is the name of a key, or a login; `id` tells actors of one name apart. */
export const Actor = Schema.Struct({ kind: ActorKind, id: Schema.String, name: Schema.String })

/** The actor of an action. */
export type Actor = typeof Actor.Type

/**
 * The outcome of an action.
 *
 * **Details**
 *
 * `started`: the outcome was never written, because the server or its storage ended in between; the action may have happened.
 */
export const Outcome = Schema.Literals(["started", "done", "failed"])

/** The outcome of an action. */
export type Outcome = typeof Outcome.Type

/** Names and values of an action. */
export type Fields = { readonly [name: string]: Schema.Json }

/**
 * An action as the log keeps it.
 *
 * **Details**
 *
 * - `address`: where the request came from; null for one without a network address.
 * - `action`: the id of the operation, such as `createApplicationKey`.
 * - `owner`, `repository`: whom it concerns; null for the whole server, or all repositories of the owner.
 * - `target`: the names in the path of the operation, such as the id of a key.
 * - `before`, `after`: what the action changed; null where nothing is known, or nothing was before.
 */
export interface AuditEntry {
  readonly id: string
  readonly at: Instant
  readonly actor: Actor
  readonly address: string | null
  readonly action: string
  readonly owner: string | null
  readonly repository: string | null
  readonly target: Fields
  readonly outcome: Outcome
  readonly before: Fields | null
  readonly after: Fields | null
}

/** The longest text of an entry, in UTF-16 units; a longer one is cut. */
export const longestText = 1000

/**
 * A text as an entry holds it: cut, and without characters that a storage refuses.
 *
 * @example
 * ```ts
 * import { AuditEntry } from "@lazaret/domain"
 *
 * AuditEntry.text("a\0b") // => "a\ufffdb"
 * ```
 */
export const text = (given: string): string => given.slice(0, longestText).toWellFormed().replaceAll("\0", "\ufffd")

/** Values as an entry holds them: every text in them as `text` makes it. */
export const fields = (given: Fields): Fields =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [text(name), kept(value)]))

const kept = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return text(value)
  if (Array.isArray(value)) return value.map(kept)
  return typeof value === "object" && value !== null ? fields(value as Fields) : value
}
