/**
 * The interface over the wire, without a socket: every store in memory, and a clock that the test sets.
 */
import { Http } from "@lazaret/http"
import { HostingPlatform, Keys, Services } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { Clock, Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpRouter } from "effect/http"

/** The instant at which the clock of a test stands. */
export const now = Date.UTC(2026, 5, 30, 12)

/** The tokens that every server of a test knows. */
export const tokens = {
  admin: "admin-token",
  ci: "ci-token",
  other: "other-owner",
  revoked: "revoked-token",
  reader: "reads",
  writer: "writes"
}

/** A request as a test writes it. */
export interface Call {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** A server with empty stores, its keys issued, whose hosting platform knows two tokens. */
export const serve = async (options: { readonly layer?: Layer.Layer<never> } = {}) => {
  const state = { now }
  const app = Services.layer.pipe(Layer.provideMerge(MemoryStores.layer), Layer.provideMerge(platform))
  const runtime = ManagedRuntime.make(app)
  const context = Context.make(Clock.Clock, clockOf(state))
  const web = HttpRouter.toWebHandler(
    Http.layer.pipe(Layer.provide(app), Layer.provide(options.layer ?? Layer.empty)),
    {
      memoMap: runtime.memoMap,
      routerConfig: Http.routerConfig,
      disableLogger: true
    }
  )
  await runtime.runPromise(Effect.provideContext(issueKeys, context))
  const send = (path: string, { token = tokens.admin, ...call }: Call = {}): Promise<Response> =>
    web.handler(
      new Request(`http://lazaret.test${path}`, {
        method: call.method ?? "GET",
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...call.headers },
        ...(call.body === undefined ? {} : { body: call.body })
      }),
      context
    )
  return {
    send,
    /** The body of an answer, whatever it is. */
    json: async (path: string, call?: Call) => JSON.parse(await (await send(path, call)).text()),
    setNow: (at: number) => {
      state.now = at
    },
    run: <A, E>(effect: Effect.Effect<A, E, Context.Service.Identifier<typeof Keys>>) =>
      runtime.runPromise(Effect.provideContext(effect, context)),
    dispose: async () => {
      await web.dispose()
      await runtime.dispose()
    }
  }
}

const clockOf = (state: { readonly now: number }): Clock.Clock => ({
  currentTimeMillisUnsafe: () => state.now,
  currentTimeMillis: Effect.sync(() => state.now),
  currentTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n),
  sleep: () => Effect.yieldNow
})

const platform = Layer.succeed(HostingPlatform, {
  ...Context.get(Effect.runSync(Effect.scoped(Layer.build(HostingPlatform.layerOff))), HostingPlatform),
  permission: (token) => Effect.succeed(token === tokens.writer ? "write" : token === tokens.reader ? "read" : "none")
})

const issueKeys = Effect.gen(function* () {
  const keys = yield* Keys
  yield* keys.register({ name: "admin", owner: null, scope: "admin" }, Redacted.make(tokens.admin))
  yield* keys.register({ name: "ci", owner: "acme", scope: "ci" }, Redacted.make(tokens.ci))
  yield* keys.register({ name: "other", owner: "other", scope: "admin" }, Redacted.make(tokens.other))
  yield* keys.register({ name: "revoked", owner: null, scope: "admin" }, Redacted.make(tokens.revoked))
  for (const key of yield* keys.list) if (key.name === "revoked") yield* keys.revoke(key.id)
})
