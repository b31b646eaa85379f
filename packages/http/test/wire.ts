/** The interface over the wire, without a socket: every store in memory, and a clock that the test sets. */
import { Http, HttpConfig } from "@lazaret/http"
import { HostingPlatform, KeyRegistry, type Permission, RepositoryCreation, Services } from "@lazaret/services"
import { KeyStore, MemoryStores, RepositoryStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { HttpRouter } from "effect/http"

/** The instant at which the clock of a test stands. */
export const now = Date.UTC(2026, 5, 30, 12)

/** The tokens that every server of a test knows. */
export const tokens = {
  admin: "admin-token",
  ci: "ci-token",
  uploadOnly: "upload-token",
  readOnly: "read-token",
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
  /** Instead of a body: one that arrives piece by piece. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** The options of a test for its server. */
export interface Options {
  /** Over the stores in memory. */
  readonly stores?: Layer.Layer<RepositoryStore, never, RepositoryStore>
  /** Over the keys in memory. */
  readonly keys?: Layer.Layer<KeyStore, never, KeyStore>
  readonly config?: Partial<Context.Service.Shape<typeof HttpConfig>>
  /** The sleep of the clock; without it, the time passes at once. */
  readonly sleep?: Clock.Clock["sleep"]
  /** Instead of the hosting platform that knows two tokens. */
  /** The writes that create a repository. */
  readonly creation?: "writes" | "uploads"
  readonly platform?: Layer.Layer<HostingPlatform>
}

/** A server with empty stores, its keys issued, whose hosting platform knows two tokens. */
export const serve = async ({
  config = {},
  creation = "writes",
  keys = Layer.effect(KeyStore, KeyStore),
  platform = knowingTwoTokens,
  sleep = () => Effect.yieldNow,
  stores = Layer.effect(RepositoryStore, RepositoryStore)
}: Options = {}) => {
  const state = { now, log: "" }
  const app = Services.layer.pipe(
    Layer.provide([stores, keys]),
    Layer.provide(Layer.succeed(RepositoryCreation.RepositoryCreation, creation)),
    Layer.provideMerge(MemoryStores.layer),
    Layer.provideMerge(platform),
    Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void (state.log += line))]))
  )
  const runtime = ManagedRuntime.make(app)
  const context = Context.make(Clock.Clock, { ...clockOf(state), sleep })
  const defaults = Context.get(Context.empty(), HttpConfig)
  const settings = Layer.succeed(HttpConfig, { ...defaults, ...config })
  const web = HttpRouter.toWebHandler(Http.layer.pipe(Layer.provide(settings), Layer.provideMerge(app)), {
    memoMap: runtime.memoMap,
    routerConfig: Http.routerConfig,
    disableLogger: true
  })
  await runtime.runPromise(Effect.provideContext(issueKeys, context))
  const send = (path: string, { token = tokens.admin, ...call }: Call = {}): Promise<Response> =>
    web.handler(
      new Request(`http://lazaret.test${path}`, {
        method: call.method ?? "GET",
        headers: {
          host: "lazaret.test",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...call.headers
        },
        ...(call.stream === undefined ? { body: call.body ?? null } : { body: call.stream, duplex: "half" })
      }),
      context
    )
  return {
    send,
    /** The server for clients that fetch. */
    fetch: (input: string | URL | Request, init?: RequestInit) => web.handler(new Request(input, init), context),
    /** The body of an answer, whatever it is. */
    json: async (path: string, call?: Call) => JSON.parse(await (await send(path, call)).text()),
    /** The outcome of an effect on the stores of the server. */
    run: <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof app>>): Promise<A> =>
      runtime.runPromise(Effect.provideContext(effect, context)),
    setNow: (at: number) => {
      state.now = at
    },
    log: () => state.log,
    [Symbol.asyncDispose]: async () => {
      await web.dispose()
      await runtime.dispose()
    }
  }
}

const clockOf = (state: { readonly now: number }): Omit<Clock.Clock, "sleep"> => ({
  currentTimeMillisUnsafe: () => state.now,
  currentTimeMillis: Effect.sync(() => state.now),
  currentTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(state.now) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(state.now) * 1_000_000n)
})

/** A hosting platform on which tokens have these permissions. */
export const platformOf = (permission: (token: string) => Permission) =>
  Layer.succeed(HostingPlatform, {
    ...Context.get(Effect.runSync(Effect.scoped(Layer.build(HostingPlatform.layerOff))), HostingPlatform),
    permission: (token) => Effect.sync(() => permission(token))
  })

const knowingTwoTokens = platformOf((token) =>
  token === tokens.writer ? "write" : token === tokens.reader ? "read" : "none"
)

const issueKeys = Effect.gen(function* () {
  const keys = yield* KeyRegistry
  yield* keys.register({ name: "admin", owner: null, scope: "admin" }, Redacted.make(tokens.admin))
  yield* keys.register({ name: "ci", owner: "acme", scope: "ci" }, Redacted.make(tokens.ci))
  yield* keys.register({ name: "upload", owner: "acme", scope: "upload" }, Redacted.make(tokens.uploadOnly))
  yield* keys.register({ name: "read", owner: "acme", scope: "read" }, Redacted.make(tokens.readOnly))
  yield* keys.register({ name: "other", owner: "other", scope: "admin" }, Redacted.make(tokens.other))
  yield* keys.register({ name: "revoked", owner: null, scope: "admin" }, Redacted.make(tokens.revoked))
  for (const key of yield* keys.list) if (key.name === "revoked") yield* keys.revoke(key.id)
})

/** The path of the repository that most tests use. */
export const repository = "/v1/ci/acme/repositories/widgets"

/** A JUnit file with these tests and their outcomes; each took half a second. */
export const junit = (tests: { readonly [name: string]: "passed" | "failed" }): string =>
  `<testsuite>${Object.entries(tests)
    .map(([name, outcome]) =>
      outcome === "passed"
        ? `<testcase name="${name}" time="0.5"/>`
        : `<testcase name="${name}" time="0.5"><failure type="AssertionError" message="no">at ${name}</failure></testcase>`
    )
    .join("")}</testsuite>`

/** Uploads a report; it must be taken. */
export const upload = async (
  server: Awaited<ReturnType<typeof serve>>,
  report: {
    readonly commit: string
    readonly at: number
    readonly xml: string
    readonly job?: string
    readonly run?: string
    readonly pull?: string
    readonly into?: string
  }
) => {
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: report.job ?? "unit",
    commit: report.commit,
    finished_at: new Date(report.at).toISOString(),
    job_url: `https://ci.example.com/${report.job ?? "unit"}`,
    ...(report.run === undefined ? {} : { run_id: report.run }),
    ...(report.pull === undefined ? {} : { pull_request: report.pull })
  })
  const answer = await server.send(`${report.into ?? repository}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: report.xml
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`${answer.status} ${text}`)
  return JSON.parse(text)
}
