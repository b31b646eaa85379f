/** Servers that keep answers over one store, with a clock that the test sets. */
import { Http } from "@lazaret/http"
import { AnswerVersion, HostingPlatform, KeyRegistry, Services } from "@lazaret/services"
import type { Stores } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { HttpRouter } from "effect/http"

/** The instant at which every story begins. */
export const start = Date.UTC(2026, 5, 30, 22)

/** A time that the test sets, as the clock of every server. */
const clockOf = (time: { readonly now: number }): Clock.Clock => ({
  currentTimeMillisUnsafe: () => time.now,
  currentTimeMillis: Effect.sync(() => time.now),
  currentTimeNanosUnsafe: () => BigInt(time.now) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(time.now) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(time.now) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(time.now) * 1_000_000n),
  sleep: () => Effect.yieldNow
})

/** The versions of repositories, as `AnswerVersion` finds them. */
export type Versions = AnswerVersion["Service"]["of"]

/** Keeps no answer. */
export const keepsNothing = (): Versions => () => Effect.succeedNone

/** Reports one version for ever, whatever is written. */
export const missesWrites = (): Versions => () => Effect.succeedSome("1")

interface Answered {
  readonly status: number
  readonly body: string
  readonly link: string | null
  readonly etag: string | null
}

/** Servers over one store, each with services of its own. */
export class World {
  readonly time = { now: start }
  /** The paths whose answers had an entity tag. */
  readonly tagged = new Set<string>()
  readonly stores: Context.Context<Stores.Stores>
  private readonly context = Context.make(Clock.Clock, clockOf(this.time))
  private readonly closings: Array<() => Promise<void>> = []

  constructor(stores: Context.Context<Stores.Stores>) {
    this.stores = stores
  }

  server(change: (versions: Versions) => Versions = (versions) => versions) {
    const app = Services.layer.pipe(
      Layer.provideMerge(Layer.succeedContext(this.stores)),
      Layer.provideMerge(HostingPlatform.layerOff)
    )
    const key = Layer.effectDiscard(
      Effect.flatMap(KeyRegistry, (keys) =>
        keys.register({ name: "test", owner: null, scope: "admin" }, Redacted.make("key"))
      )
    )
    const versions = Layer.effect(
      AnswerVersion,
      Effect.map(AnswerVersion, ({ of }) => ({ of: change(of) }))
    )
    const web = HttpRouter.toWebHandler(
      Layer.mergeAll(Http.layer.pipe(Layer.provide(versions)), key).pipe(Layer.provideMerge(app)),
      { routerConfig: Http.routerConfig, disableLogger: true }
    )
    this.closings.push(() => web.dispose())
    return async (path: string, init: RequestInit = {}): Promise<Answered> => {
      const caller = init.headers !== undefined && "cookie" in init.headers ? {} : { authorization: "Bearer key" }
      const headers = { host: "lazaret.test", ...caller, "x-request-id": "same", ...init.headers }
      const response = await web.handler(new Request(`http://lazaret.test${path}`, { ...init, headers }), this.context)
      const { headers: given, status } = response
      return { status, body: await response.text(), link: given.get("link"), etag: given.get("etag") }
    }
  }

  readonly run = <A, E>(effect: Effect.Effect<A, E, Stores.Stores>): Promise<A> =>
    Effect.runPromise(Effect.provideContext(effect, Context.merge(this.stores, this.context)))

  async close(): Promise<void> {
    for (const close of this.closings) await close()
  }
}

/** A server of a world: it answers requests of paths. */
export type Server = ReturnType<World["server"]>
