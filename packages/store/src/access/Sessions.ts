/** Sessions over a driver. */
import { Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import { sessions } from "../Rows.ts"
import { SessionStore } from "./SessionStore.ts"

/** The port of sessions. */
export const make = (driver: Driver["Service"]): SessionStore["Service"] =>
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
