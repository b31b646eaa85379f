import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, connect, type AddressInfo, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { PostgresClient } from "@lazaret/store-postgres"
import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

/** A database that can stop to answer. */
interface Silent {
  readonly url: string
  readonly silence: () => void
  readonly speak: () => void
  /** The connections that were open when the database fell silent, and still are; null where nobody sees them. */
  readonly left: () => number | null
}

/** A server whose processes are stopped by a signal. */
const frozen = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "lazaret-test-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const settings = { fsync: "off", max_connections: "20" }
  const { url } = Context.get(yield* Layer.build(EmbeddedPostgres.layer({ folder, settings })), EmbeddedPostgres)
  const main = Number(readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
  const all = () => {
    const children = readFileSync(`/proc/${main}/task/${main}/children`, "utf8").trim().split(" ")
    return [main, ...children.filter((pid) => pid !== "").map(Number)]
  }
  const signal = (name: "SIGSTOP" | "SIGCONT") => {
    for (const pid of all()) process.kill(pid, name)
  }
  // A server that is stopped does not end with the scope.
  yield* Effect.addFinalizer(() => Effect.sync(() => signal("SIGCONT")))
  return {
    url,
    silence: () => signal("SIGSTOP"),
    speak: () => signal("SIGCONT"),
    left: () => null
  } satisfies Silent
})

/** A network that takes packets and hands none on. */
const swallowing = Effect.gen(function* () {
  const target = new URL(yield* TestDatabase.url)
  const state = { isSilent: false, open: new Set<Socket>(), before: new Set<Socket>() }
  const path = `${target.searchParams.get("host") ?? ""}/.s.PGSQL.${target.searchParams.get("port") ?? (target.port || "5432")}`
  const isFile = (target.searchParams.get("host") ?? "").startsWith("/")
  const server = createServer((near) => {
    const far = isFile ? connect({ path }) : connect({ host: target.hostname, port: Number(target.port || 5432) })
    state.open.add(near)
    for (const [from, to] of [
      [near, far],
      [far, near]
    ] as const) {
      from.on("data", (bytes) => void (state.isSilent ? undefined : to.write(bytes)))
      from.on("error", () => undefined)
      from.on("close", () => {
        state.open.delete(near)
        to.destroy()
      })
    }
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const url = new URL(target)
  url.search = ""
  url.hostname = "127.0.0.1"
  // A server that listens on a port of TCP has such an address.
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    silence: () => {
      state.isSilent = true
      state.before = new Set(state.open)
    },
    speak: () => (state.isSilent = false),
    left: () => [...state.before].filter((each) => state.open.has(each)).length
  } satisfies Silent
})

const options = { statementTimeout: "200 millis", answerGrace: "300 millis", patience: "200 millis" } as const

/** Everything that waits for the database when it falls silent fails, and everything works when it speaks again. */
const survives = ({ left, silence, speak, url }: Silent) =>
  Effect.gen(function* () {
    const { run, sql, transaction } = yield* PostgresClient
    yield* sql`CREATE TABLE kept (n int)`
    yield* transaction("test", sql`INSERT INTO kept VALUES (1)`)
    const silent = yield* Deferred.make<void>()
    const fall = Effect.andThen(Effect.sync(silence), Deferred.succeed(silent, undefined))
    // This transaction waits for the answer to its COMMIT.
    const committing = transaction("ExecutionStore.append", Effect.andThen(sql`INSERT INTO kept VALUES (2)`, fall))
    const later = [
      Effect.asVoid(run("KeyStore.find", sql`SELECT 1`)),
      Effect.asVoid(run("TestStore.page", sql`SELECT 1`)),
      Effect.asVoid(transaction("test", sql`INSERT INTO kept VALUES (3)`))
    ].map((each) => Effect.andThen(Deferred.await(silent), each))
    const failed = yield* Effect.forEach([Effect.asVoid(committing), ...later], (each) => Effect.flip(each), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(
      failed.map(({ reason }) => reason),
      failed.map(() => "unavailable")
    )
    speak()
    // An attempt to connect may have begun in the silence.
    const [kept] = yield* Effect.retry(run("test", sql`SELECT n FROM kept ORDER BY n`), { times: 5 })
    assert.deepStrictEqual(kept, { n: 1 })
    assert.include([0, null], left())
    const patient = Effect.andThen(sql`SET LOCAL statement_timeout = 0`, sql`SELECT pg_sleep(0.8)`)
    yield* transaction("UpkeepStore.refold", patient)
  }).pipe(Effect.scoped, Effect.provide(PostgresClient.layer(Redacted.make(url), options)))

describe("a database that does not answer", { concurrent: true }, () => {
  it.live("operations on a frozen server are unavailable, and it goes on where it was", () =>
    Effect.scoped(Effect.flatMap(frozen, survives))
  )
  it.live("operations over a network that swallows packets are unavailable, and their connections are closed", () =>
    Effect.scoped(Effect.flatMap(swallowing, survives))
  )
})
