/** The port of sessions. */
import type { Instant, Session } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/** The ends of sessions: those that began, or were last seen, before an instant are over. */
export interface SessionEnds {
  readonly createdBefore: Instant.Instant
  readonly seenBefore: Instant.Instant
}

/** The port of sessions. Only the hash of a secret is ever stored. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Stores a session; `false`, and nothing stored, when its id or hash is taken. */
    readonly insert: (session: Session.Session) => Effect.Effect<boolean, StoreError>
    /** The session whose secret has this hash. */
    readonly find: (hash: string) => Effect.Effect<Option.Option<Session.Session>, StoreError>
    /** Notes that a session was used; an earlier time, or an unknown session, changes nothing. */
    readonly touch: (id: string, at: Instant.Instant) => Effect.Effect<void, StoreError>
    /** All sessions in the order of creation, then id. */
    readonly list: Effect.Effect<ReadonlyArray<Session.Session>, StoreError>
    /** Ends a session, and yields whether there was one. A concurrent `touch` does not bring it back. */
    readonly remove: (id: string) => Effect.Effect<boolean, StoreError>
    /** Ends the sessions that are over, and yields how many. */
    readonly prune: (ends: SessionEnds) => Effect.Effect<number, StoreError>
  }
>()("@lazaret/store/SessionStore") {}
