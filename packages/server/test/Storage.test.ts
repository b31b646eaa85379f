import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { EngineStore } from "@lazaret/store"
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as Storage from "../src/Storage.ts"
import { adminKey, run, type Running, serve, until } from "./lazaretProcess.ts"

const folders: Array<string> = []

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), "lazaret-"))
  folders.push(path)
  return path
}

afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })))

const base = "/v1/ci/acme/repositories/widgets"

const authorization = { authorization: `Bearer ${adminKey}` }

const report = (name: string) =>
  `<testsuite name="s"><testcase classname="a.B" name="stays"/><testcase classname="a.B" name="${name}">` +
  `<failure message="m" type="T"/></testcase></testsuite>`

const target = (commit: string, repository = base) =>
  `${repository}/reports?pipeline_name=CI&job_name=unit&branch=main&commit=${commit}`

const send = ({ url }: Running, commit: string, name: string, repository = base) =>
  fetch(`${url}${target(commit, repository)}`, {
    method: "POST",
    headers: { ...authorization, "content-type": "application/xml" },
    body: report(name)
  })

const upload = async (server: Running, commit: string, name = "fails") => {
  assert.strictEqual((await send(server, commit, name)).status, 201)
}

const answerOf = async ({ url }: Running, path: string, repository = base) => {
  const response = await fetch(`${url}${repository}${path}`, { headers: authorization })
  assert.strictEqual(response.status, 200)
  // The tests compare the answer with the expected one: another shape fails them.
  return (await response.json()) as { readonly total: number }
}

/** The answers to two searches: tests by their ratio of failures, and tests by name. */
const seen = (server: Running) =>
  Promise.all([
    answerOf(server, "/search/tests?sort=failed_executions_ratio&direction=desc"),
    answerOf(server, "/search/tests?test_name=*stays*")
  ])

const embedded = (cwd: string) => ({ cwd, env: { LAZARET_STORE: "embedded", LAZARET_ADMIN_KEY: adminKey } })

/** A PostgreSQL that stops at the latest when the test ends. */
const database = async (path: string) => {
  const postgres = ManagedRuntime.make(EmbeddedPostgres.layer({ folder: path }))
  const { url } = await postgres.runPromise(EmbeddedPostgres)
  const stop = () => postgres.dispose()
  return { url, stop, [Symbol.asyncDispose]: stop }
}

const readiness = async (server: Running) => (await fetch(`${server.url}/health/ready`)).status

describe("the embedded PostgreSQL", () => {
  it("a server with the embedded PostgreSQL gives the same answers after SIGKILL and after SIGTERM", async () => {
    const home = folder()
    const first = await serve(embedded(home))
    assert.include(first.printed, "in data/postgres")
    await upload(first, "c1")
    await upload(first, "c2")
    const before = await seen(first)
    assert.strictEqual(before[0].total, 2)
    await first.stop("SIGKILL")

    const second = await serve(embedded(home))
    assert.deepStrictEqual(await seen(second), before)
    await upload(second, "c3", "comes")
    const after = await seen(second)
    assert.strictEqual(after[0].total, 3)
    assert.strictEqual((await second.stop("SIGTERM")).exitCode, 0)

    await using third = await serve(embedded(home))
    assert.deepStrictEqual(await seen(third), after)
  })

  it("a server takes over the merge queues that the one before it on its data folder held when it died", async () => {
    const storage = { _tag: "Embedded", folder: join(folder(), "data") } as const
    const at = Date.now()
    const ref = { owner: "acme", repository: "widgets" }
    const held = EngineStore.use((store) =>
      store.lease({ now: at + 60_000, until: at + 3_600_000, lease: crypto.randomUUID(), limit: 1 })
    )
    const first = ManagedRuntime.make(Storage.layer(storage))
    await first.runPromise(EngineStore.use((store) => store.wake(ref, "main", at)))
    assert.lengthOf(await first.runPromise(held), 1)
    assert.lengthOf(await first.runPromise(held), 0)
    await first.dispose()
    const second = ManagedRuntime.make(Storage.layer(storage))
    assert.lengthOf(await second.runPromise(held), 1)
    await second.dispose()
  })

  it("a stopping server records an upload that is still arriving before it closes its storage", async () => {
    const home = folder()
    const { cwd, env } = embedded(home)
    // A server that waited for the idle connection would run into the time-out of this test.
    const first = await serve({ cwd, env: { ...env, LAZARET_SHUTDOWN_SECONDS: "3600" } })
    const slow = request(`${first.url}${target("c9")}`, {
      method: "POST",
      headers: { ...authorization, "content-type": "application/xml", expect: "100-continue" }
    })
    const status = new Promise((resolve) => slow.once("response", (response) => resolve(response.statusCode)))
    slow.flushHeaders()
    await new Promise((resolve) => slow.once("continue", resolve))
    const stopped = first.stop("SIGTERM")
    slow.end(report("fails"))
    assert.strictEqual(await status, 201)
    assert.strictEqual((await stopped).exitCode, 0)
    assert.include(readFileSync(join(home, "data/postgres.log"), "utf8"), "database system is shut down")

    await using again = await serve(embedded(home))
    assert.strictEqual((await seen(again))[0].total, 2)
  })

  it("an embedded PostgreSQL that was killed is started again, and only the log says so", async () => {
    const home = folder()
    const server = await serve(embedded(home))
    const [pid] = readFileSync(join(home, "data/postgres/postmaster.pid"), "utf8").split("\n")
    process.kill(Number(pid), "SIGKILL")
    await until("the log names the end of PostgreSQL", () => server.logged().includes("PostgreSQL has ended"))
    await until("the server is ready", async () => (await readiness(server)) === 200)
    const { exitCode, stderr, stdout } = await server.stop("SIGTERM")
    assert.strictEqual(exitCode, 0)
    assert.match(stderr, /^\{"message":"PostgreSQL has ended \(signal SIGKILL\) and is started again/)
    assert.strictEqual(stdout, server.printed)
  })

  it("a second server on the same data folder ends with one line that names the process", async () => {
    const home = folder()
    await using _first = await serve(embedded(home))
    const second = await run(["serve"], embedded(home))
    assert.strictEqual(second.exitCode, 3)
    assert.match(second.stderr, /^lazaret: The data folder \S+ is in use by process \d+\. [^\n]*LAZARET_DATA_DIR\.\n$/)
  })
})

describe("a PostgreSQL at a URL", () => {
  it("a server is ready only while its database is, and answers uploads with 503 and Retry-After until then", async () => {
    const path = folder()
    await using first = await database(path)
    const env = { LAZARET_STORE: "", DATABASE_URL: first.url, LAZARET_ADMIN_KEY: adminKey }
    await using server = await serve({ cwd: folder(), env })
    assert.match(server.printed, /data +in the database \w+ at \//)
    assert.strictEqual(await readiness(server), 200)
    await first.stop()
    assert.strictEqual(await readiness(server), 503)
    assert.strictEqual((await fetch(`${server.url}/health/live`)).status, 200)
    const refused = await send(server, "c1", "fails")
    assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "2"])
    await using _second = await database(path)
    assert.strictEqual(await readiness(server), 200)
    await upload(server, "c1")
  })

  it("two servers on one database count the uploads of eight concurrent reporters once, and give the same answers", async () => {
    await using there = await database(folder())
    const env = { LAZARET_STORE: "", DATABASE_URL: there.url, LAZARET_ADMIN_KEY: adminKey }
    await using one = await serve({ cwd: folder(), env })
    await using other = await serve({ cwd: folder(), env })
    const uploads = 6
    const reporter = async (writer: number) => {
      for (let index = 0; index < uploads; index++) {
        const commit = `c${writer}-${index}`
        // The second attempt of a reporter reaches the other server, maybe while the first is on its way.
        const both = await Promise.all([one, other].map((server) => send(server, commit, "fails")))
        const bodies = await Promise.all(both.map((response) => response.text()))
        assert.strictEqual(bodies.filter((body) => body.includes(`"recorded":2`)).length, 1)
        assert.strictEqual(bodies.filter((body) => body.includes(`"duplicates":2`)).length, 1)
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, writer) => reporter(writer)))
    const answer = await seen(one)
    assert.deepStrictEqual(await seen(other), answer)
    for (const { url } of [one, other]) {
      const found = await fetch(`${url}${base}/verify`, { method: "POST", headers: authorization })
      assert.include(await found.text(), `"total":0`)
    }
    const counted = PostgresClient.use(({ sql }) => sql`SELECT FROM executions`)
    const rows = await Effect.runPromise(Effect.provide(counted, PostgresClient.layer(Redacted.make(there.url))))
    assert.strictEqual(rows.length, 8 * uploads * 2)
    await Promise.all([one.stop("SIGTERM"), other.stop("SIGTERM")])
  })

  it("a server answers 503 while other requests hold every connection of theirs, stays ready, and recovers", async () => {
    await using there = await database(folder())
    const env = { LAZARET_STORE: "", DATABASE_URL: there.url, LAZARET_ADMIN_KEY: adminKey }
    await using server = await serve({ cwd: folder(), env })
    await upload(server, "c1")
    const others = Array.from({ length: 7 }, (_, index) => `${base}-${index}`)
    for (const each of others) assert.strictEqual((await send(server, "c1", "fails", each)).status, 201)
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const hold = PostgresClient.use(({ sql, transaction }) =>
      transaction(
        "test",
        sql`LOCK TABLE repository_heads`.pipe(
          Effect.andThen(Effect.sync(held.resolve)),
          Effect.andThen(Effect.promise(() => release.promise))
        )
      )
    )
    const holding = Effect.runPromise(Effect.provide(hold, PostgresClient.layer(Redacted.make(there.url))))
    await held.promise
    // Questions about one repository share a connection. Each of these waits for the lock with one of its own; the eighth connection is
    // for look-ups of keys and readiness.
    const waiting = others.map((each) => answerOf(server, "/search/tests", each))
    const blocked = PostgresClient.use(({ sql }) => sql`SELECT FROM pg_locks WHERE NOT granted`)
    const client = PostgresClient.layer(Redacted.make(there.url))
    await until(
      "seven requests wait for the lock",
      async () => (await Effect.runPromise(Effect.provide(blocked, client))).length >= 7
    )
    const refused = await fetch(`${server.url}${base}/search/tests`, { headers: authorization })
    assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "2"])
    assert.strictEqual((await fetch(`${server.url}/health/ready`)).status, 200)
    release.resolve()
    await holding
    for (const { total } of await Promise.all(waiting)) assert.strictEqual(total, 2)
    await upload(server, "c2")
    await server.stop("SIGTERM")
  })

  it("a server uses the tables that `lazaret migrate` made, and refuses tables of a newer version", async () => {
    await using there = await database(folder())
    const surroundings = {
      cwd: folder(),
      env: { LAZARET_STORE: "", DATABASE_URL: there.url, LAZARET_ADMIN_KEY: adminKey }
    }
    const migrated = await run(["migrate"], surroundings)
    assert.match(migrated.stdout, /^Migrated: 0001_first_release(?:, \d{4}_\w+)*\n$/)
    assert.match((await run(["migrate"], surroundings)).stdout, /already those of this version\.\n$/)
    assert.deepStrictEqual(JSON.parse((await run(["migrate", "--json"], surroundings)).stdout), { migrated: [] })

    await Effect.runPromise(
      PostgresClient.use(
        ({ sql }) => sql`INSERT INTO lazaret_migrations (migration_id, name) VALUES (9999, 'of_tomorrow')`
      ).pipe(Effect.provide(Layer.fresh(PostgresClient.layer(Redacted.make(there.url)))))
    )
    const unknown = new URL(there.url)
    unknown.username = "nobody_here"
    const elsewhere = { ...surroundings.env, DATABASE_URL: unknown.href }
    const refusals = await Promise.all([
      run(["serve"], surroundings),
      run(["migrate"], surroundings),
      run(["serve"], { ...surroundings, env: elsewhere })
    ])
    for (const { exitCode, stderr } of refusals) {
      assert.match(stderr, /^lazaret: [^\n]*9999_of_tomorrow[^\n]*\n$|^lazaret: [^\n]*"nobody_here"[^\n]*\n$/)
      assert.strictEqual(exitCode, 3)
    }
  })

  it("a data folder of a clone from before 0.1.0 is refused with 2, the commit that reads it, and not a byte changed", async () => {
    const cwd = folder()
    const data = join(cwd, "data")
    mkdirSync(join(data, "postgres"), { recursive: true })
    writeFileSync(join(data, "postgres", "PG_VERSION"), "18\n")
    writeFileSync(join(data, "lazaret.json"), '{ "format": 1 }\n')
    const before = contentOf(data)
    const surroundings = { cwd, env: { LAZARET_STORE: "embedded", LAZARET_DATA_DIR: data } }
    for (const command of ["serve", "migrate"]) {
      const { exitCode, stderr } = await run([command], surroundings)
      assert.include(stderr, `The data folder ${data} was written by a clone of Lazaret from before 0.1.0`)
      assert.match(stderr, /Commit [0-9a-f]{8} reads it [^.]*\. [^\n]*LAZARET_DATA_DIR/u)
      assert.strictEqual(exitCode, 2)
    }
    assert.deepStrictEqual(contentOf(data), before)
  })

  it("a database of a clone from before 0.1.0 is refused with 2, and neither it nor the data folder changes", async () => {
    await using there = await database(folder())
    const client = Layer.fresh(PostgresClient.layer(Redacted.make(there.url)))
    const query = <A, E>(effect: Effect.Effect<A, E, PostgresClient>) =>
      Effect.runPromise(Effect.provide(effect, client))
    await query(
      Effect.gen(function* () {
        const { sql } = yield* PostgresClient
        yield* sql`CREATE TABLE lazaret_migrations (migration_id int PRIMARY KEY, created_at timestamptz, name text)`
        yield* sql`INSERT INTO lazaret_migrations VALUES (1, now(), 'tables'), (2, now(), 'failed_executions')`
      })
    )
    // A write fails with a sentence of its own.
    await query(PostgresClient.use(({ sql }) => sql`ALTER DATABASE postgres SET default_transaction_read_only = on`))
    const cwd = folder()
    const data = join(cwd, "data")
    const surroundings = { cwd, env: { LAZARET_STORE: "", DATABASE_URL: there.url, LAZARET_DATA_DIR: data } }
    for (const command of ["serve", "migrate"]) {
      const { exitCode, stderr } = await run([command], surroundings)
      assert.match(stderr, /The database "postgres" was written by a clone of Lazaret from before 0\.1\.0/u)
      assert.match(stderr, /Commit [0-9a-f]{8} reads it [^.]*\. [^\n]*LAZARET_DATA_DIR/u)
      assert.strictEqual(exitCode, 2)
    }
    assert.isFalse(existsSync(data))
  })
})

/** Every entry of a folder with its size, time and bytes. */
const contentOf = (path: string) =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { mtimeMs, size } = statSync(join(path, name))
      return [name, size, mtimeMs, statSync(join(path, name)).isFile() ? readFileSync(join(path, name), "hex") : ""]
    })
