/** The process of a server whose clock runs faster than that of the machine, over a database, until it is killed. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../../src/Server.ts"
import * as Settings from "../../src/Settings.ts"
import * as ScaledTime from "./ScaledTime.ts"

const time = ScaledTime.of(process.env)

/** The longest time that a timer of Node takes, in milliseconds. */
const longest = 2 ** 31 - 1

/** Timeouts of requests and pauses between rounds are those of the machine: only longer times run faster. */
const patience = 30_000

const clock: Clock.Clock = {
  currentTimeMillisUnsafe: time.now,
  currentTimeMillis: Effect.sync(time.now),
  currentTimeNanosUnsafe: () => BigInt(time.now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(time.now()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => process.hrtime.bigint() * BigInt(time.speed),
  monotonicTimeNanos: Effect.sync(() => process.hrtime.bigint() * BigInt(time.speed)),
  sleep: (duration) => {
    const millis = Duration.toMillis(duration)
    const wait = millis <= patience ? millis : millis / time.speed
    if (wait > longest) return Effect.never
    return Effect.callback<void>((resume) => {
      const timer = setTimeout(() => resume(Effect.void), wait)
      return Effect.sync(() => clearTimeout(timer))
    })
  }
}

const server = Effect.gen(function* () {
  const settings = yield* Settings.load(Option.none())
  // Writes that GitHub wants a second apart would be minutes apart by this clock.
  const gitHub = settings.gitHub === null ? null : { ...settings.gitHub, isPaced: false }
  const key = Redacted.make(process.env["LAZARET_ADMIN_KEY"] ?? "")
  const running = yield* Layer.build(Server.layer({ ...settings, gitHub }, key))
  process.stdout.write(`is ready at ${Server.urlOf(Context.get(running, HttpServer.HttpServer))}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.provideService(Clock.Clock, clock), Effect.provide(NodeServices.layer))

Effect.runPromise(server).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`)
  process.exit(1)
})
