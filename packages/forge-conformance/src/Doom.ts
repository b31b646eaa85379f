/** The death of a server at a point: before or after a write to the platform, or a transaction of the store. */
import { EngineStore } from "@lazaret/store"
import { Effect } from "effect"

/**
 * The points at which a server may die.
 *
 * **Details**
 *
 * It dies at the point at which `left` becomes 0; a dead server dies again at every point, until another is started. `passed` counts the
 * points.
 */
export interface Doom {
  left: number
  passed: number
  isDead: boolean
}

/** A server that dies at a point, counted from 1; 0: at none. */
export const make = (at = 0): Doom => ({ left: at, passed: 0, isDead: false })

/** A point at which the server may die. */
export const point = (doom: Doom): Effect.Effect<void> =>
  Effect.suspend(() => {
    doom.passed += 1
    doom.left -= 1
    if (doom.left === 0) doom.isDead = true
    return doom.isDead ? Effect.die("the server dies") : Effect.void
  })

/** An effect between two points. */
export const between =
  (doom: Doom) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(Effect.andThen(point(doom), effect), () => point(doom))

/** The appends of a broken server, which takes what it finds under way for done. */
export const forgetting =
  (store: EngineStore["Service"]): EngineStore["Service"]["append"] =>
  (ref, branch, step) =>
    Effect.flatMap(store.state(ref, branch), ({ inflight }) => {
      const done = inflight.map(
        ({ command }) => ({ kind: "done", command: command.id, answer: { kind: "ok" } }) as const
      )
      return store.append(ref, branch, { ...step, causes: [...done, ...step.causes] })
    })

/** A store with points before and after every transaction of an engine. `append` is that of the store, or a broken one. */
export const storeOf = (
  store: EngineStore["Service"],
  doom: Doom,
  append: EngineStore["Service"]["append"] = store.append
): EngineStore["Service"] => {
  const points = between(doom)
  return EngineStore.of({
    ...store,
    append: (ref, branch, step) => points(append(ref, branch, step)),
    lease: (request) => points(store.lease(request)),
    act: (leased, until) => points(store.act(leased, until)),
    release: (leased, nextAt) => points(store.release(leased, nextAt)),
    // A process that died ends no lease.
    abandon: () => Effect.void
  })
}
