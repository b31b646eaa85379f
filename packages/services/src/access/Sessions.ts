/** The use cases of sessions: what a signed-in browser presents instead of a key (our choice). */
import { randomBytes } from "node:crypto"
import { AuditEntry, Credential, type Instant, Role, Session } from "@lazaret/domain"
import { SessionStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { note } from "../answer/AuditNote.ts"
import { hashOf } from "./KeyRegistry.ts"
import { NewId } from "../ports/NewId.ts"
import { SessionNotFound } from "../answer/ServiceError.ts"

/** The first characters of the secret of every session. */
export const sessionPrefix = "lzs_"

/** Whether a credential has the form of the secret of a session. */
export const isSessionSecret = (credential: Redacted.Redacted): boolean =>
  Redacted.value(credential).startsWith(sessionPrefix)

/** The limits of sessions: 7 days without a request, and 30 days in all, unless they are set. */
export const SessionLimits: Context.Reference<Session.Limits> = Context.Reference<Session.Limits>(
  "@lazaret/services/SessionLimits",
  { defaultValue: () => ({ idle: 7 * day, absolute: 30 * day }) }
)

const day = 24 * 60 * 60_000

/** A session to begin: of the key or the person of a principal, at this place. */
export interface NewSession {
  readonly principal: Credential.Principal
  readonly address: string | null
  readonly agent: string | null
}

/** A new session with its secret, which is sent once. */
export interface BegunSession {
  readonly session: Session.Session
  readonly secret: Redacted.Redacted
}

/** A session with the instant at which it ends when no further request comes. */
export interface ListedSession extends Session.Session {
  readonly endsAt: Instant.Instant
}

/**
 * Begins, finds and ends sessions.
 *
 * **Details**
 *
 * They are in the store, so that every server process knows them. A use is noted once a minute at most.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** A new session with a secret of 256 random bits, instead of an earlier one of the same browser, which ends. */
    readonly begin: (
      given: NewSession,
      earlier: Option.Option<Redacted.Redacted>
    ) => Effect.Effect<BegunSession, StoreError>
    /** The session of a secret, if it is within its limits. */
    readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Option.Option<Session.Session>, StoreError>
    /** Ends the session of a secret, and yields it. */
    readonly end: (secret: Redacted.Redacted) => Effect.Effect<Option.Option<Session.Session>, StoreError>
    /** The live sessions within reach of a caller, oldest first: its own, and as an admin those of the owners it administers. */
    readonly list: (caller: Credential.Principal) => Effect.Effect<ReadonlyArray<ListedSession>, StoreError>
    /** Ends a session within reach of a caller at once. */
    readonly revoke: (caller: Credential.Principal, id: string) => Effect.Effect<void, SessionNotFound | StoreError>
    /** Deletes the sessions that are over, and yields how many. */
    readonly prune: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/Sessions") {
  /** The use cases over the storage port. */
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const store = yield* SessionStore
      const newId = yield* NewId
      const limits = yield* SessionLimits

      const end = Effect.fn("Sessions.end")(function* (secret: Redacted.Redacted) {
        const found = yield* store.find(hashOf(Redacted.value(secret)))
        if (Option.isSome(found)) yield* store.remove(found.value.id)
        return found
      })

      const begin = Effect.fn("Sessions.begin")(function* (
        { address, agent, principal }: NewSession,
        earlier: Option.Option<Redacted.Redacted>
      ) {
        const secret = `${sessionPrefix}${randomBytes(32).toString("base64url")}`
        const now = yield* Clock.currentTimeMillis
        const session: Session.Session = {
          ...subjectOf(principal),
          id: yield* newId,
          hash: hashOf(secret),
          createdAt: now,
          seenAt: now,
          address: address === null ? null : AuditEntry.text(address),
          agent: agent === null ? null : AuditEntry.text(agent).slice(0, longestAgent).toWellFormed()
        }
        if (Option.isSome(earlier)) yield* end(earlier.value)
        yield* store.insert(session)
        return { session, secret: Redacted.make(secret) }
      })

      const authenticate = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* store.find(hashOf(Redacted.value(secret)))
        const alive = Option.filter(found, (session) => now < Session.end(session, limits))
        if (Option.isSome(alive) && now - alive.value.seenAt >= notedEvery) yield* store.touch(alive.value.id, now)
        return alive
      })

      const list = Effect.fn("Sessions.list")(function* (caller: Credential.Principal) {
        const now = yield* Clock.currentTimeMillis
        return (yield* store.list)
          .map((session) => ({ ...session, endsAt: Session.end(session, limits) }))
          .filter((session) => now < session.endsAt && isWithinReach(caller, session))
      })

      const revoke = Effect.fn("Sessions.revoke")(function* (caller: Credential.Principal, id: string) {
        const found = (yield* list(caller)).find((session) => session.id === id)
        if (found === undefined) return yield* new SessionNotFound({ sessionId: id })
        const { kind, name, owner } = found
        yield* note({ owner, before: { id, kind, name } })
        yield* store.remove(id)
      })

      const prune = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        store.prune({ createdBefore: now - limits.absolute, seenBefore: now - limits.idle })
      )

      return Sessions.of({ begin, authenticate, end, list, revoke, prune })
    })
  )
}

/** How often the use of a session is written down, in milliseconds. */
const notedEvery = 60_000

const longestAgent = 200

const subjectOf = ({ key, user }: Credential.Principal) => {
  if (user !== undefined) {
    return {
      kind: "user",
      subjectId: user.id,
      name: user.login,
      owner: null,
      grants: user.grants,
      provider: user.provider
    } as const
  }
  const none = { id: "", name: "", owner: null }
  const { id, name, owner } = key ?? none
  return { kind: "key", subjectId: id, name, owner, grants: [], provider: null } as const
}

/** Whether a caller may see and end a session: its own, one of a key of an owner it administers, or as an admin of all any. */
export const isWithinReach = (caller: Credential.Principal, session: Session.Session): boolean => {
  const own = caller.user?.id ?? caller.key?.id
  if (session.subjectId === own && session.kind === (caller.user === undefined ? "key" : "user")) return true
  return Role.administers(Credential.grantsOf(caller), session.kind === "key" ? session.owner : null)
}
