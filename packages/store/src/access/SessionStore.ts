/** The port of sessions, and its rules over a driver. */
import type { Instant, Session } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { sessions } from "../Rows.ts"

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
>()("@lazaret/store/SessionStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): SessionStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): SessionStore["Service"] =>
  SessionStore.of({
    insert: (session) =>
      driver.transact("SessionStore.insert", null, null, (transaction) =>
        Effect.gen(function* () {
          const withId = yield* transaction.count(sessions, [["id", "=", session.id]])
          const withHash = yield* transaction.count(sessions, [["hash", "=", session.hash]])
          if (withId + withHash > 0) return false
          yield* transaction.put(sessions, [session])
          return true
        })
      ),
    find: (hash) =>
      driver.read("SessionStore.find", null, (view) =>
        Effect.map(view.select(sessions, { where: [["hash", "=", hash]], order: [] }), ([session]) =>
          Option.fromUndefinedOr(session)
        )
      ),
    touch: (id, at) =>
      driver.transact("SessionStore.touch", null, null, (transaction) =>
        Effect.gen(function* () {
          const [session] = yield* transaction.select(sessions, { where: [["id", "=", id]], order: [] })
          if (session !== undefined && session.seenAt < at)
            yield* transaction.put(sessions, [{ ...session, seenAt: at }])
        })
      ),
    list: driver.read("SessionStore.list", null, (view) =>
      view.select(sessions, { where: [], order: ["createdAt", "id"] })
    ),
    remove: (id) =>
      driver.transact("SessionStore.remove", null, null, (transaction) =>
        Effect.map(transaction.remove(sessions, [["id", "=", id]]), (removed) => removed > 0)
      ),
    prune: ({ createdBefore, seenBefore }) =>
      driver.transact("SessionStore.prune", null, null, (transaction) =>
        Effect.gen(function* () {
          const old = yield* transaction.remove(sessions, [["createdAt", "<", createdBefore]])
          return old + (yield* transaction.remove(sessions, [["seenAt", "<", seenBefore]]))
        })
      )
  })
