import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { Context, Effect, Layer, References, Schedule } from "effect"
import { Client } from "pg"
import * as SystemProcess from "../src/SystemProcess.ts"

/** A data folder that lies too deep for a socket; the first start makes its data, the tests that follow go on with them. */
class Folder extends Context.Service<Folder, string>()("test/Folder") {
  static readonly layer = Layer.effect(
    Folder,
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "lazaret-folder-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    ).pipe(Effect.map((path) => join(path, "d".repeat(100), "data")))
  )
}

const started = Layer.unwrap(Effect.map(Folder, (folder) => EmbeddedPostgres.layer({ folder })))

/** Counts what is written, in a table that the first call makes. */
const write = Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres
  return yield* Effect.tryPromise(async () => {
    const { hostname, pathname, searchParams, username } = new URL(url)
    const host = searchParams.get("host") ?? hostname
    const client = new Client({ host, user: username, database: pathname.slice(1) })
    // A killed server also ends the connection between two statements.
    client.on("error", () => {})
    try {
      await client.connect()
      await client.query("CREATE TABLE IF NOT EXISTS written (n int)")
      await client.query("INSERT INTO written VALUES (1)")
      const { rows } = await client.query<{ readonly n: number }>("SELECT count(*)::int AS n FROM written")
      return rows[0]?.n ?? 0
    } finally {
      await client.end()
    }
  })
})

/** Another process with the server of a folder, which is killed when the scope closes. */
const hold = (folder: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const script = fileURLToPath(new URL("support/hold.ts", import.meta.url))
      const child = spawn(process.execPath, ["--conditions=@lazaret/source", script, folder])
      child.stdout.on("data", (text) => {
        if (String(text).includes("up\n")) resume(Effect.succeed(child))
      })
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )

const refusal = (folder: string) =>
  Layer.build(EmbeddedPostgres.layer({ folder })).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map((error) => [error.reason, error.message] as const)
  )

const pidOf = (folder: string) => Number.parseInt(readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8"), 10)

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

layer(Layer.merge(Folder.layer, quiet), { excludeTestServices: true, timeout: "30 seconds" })(
  "the server in a data folder",
  (it) => {
    const test = stepsOf(it)
    test("the embedded server keeps what is written from start to start, also in a folder too deep for a socket", function* () {
      assert.strictEqual(yield* write.pipe(Effect.provide(started)), 1)
      assert.strictEqual(yield* write.pipe(Effect.provide(started)), 2)
    })

    test("the embedded server refuses a second server on its folder, in this process and in another one, and names the process", function* () {
      const folder = yield* Folder
      const [reason, message] = yield* Effect.provide(refusal(folder), Layer.fresh(started))
      assert.strictEqual(reason, "locked")
      assert.include(message, `process ${process.pid}`)
      const [other, held] = yield* Effect.scoped(
        Effect.flatMap(hold(folder), (child) =>
          Effect.map(refusal(folder), ([why, text]) => [why, text.includes(`process ${child.pid}.`)] as const)
        )
      )
      assert.deepStrictEqual([other, held], ["locked", true])
    })

    test("the embedded server is stopped by the next start when its process was killed, and loses nothing", function* () {
      const folder = yield* Folder
      yield* Effect.scoped(hold(folder))
      const orphan = pidOf(folder)
      assert.notStrictEqual(SystemProcess.identity(orphan), null, "it outlives its process")
      assert.strictEqual(yield* write.pipe(Effect.provide(started)), 3)
      assert.strictEqual(SystemProcess.identity(orphan), null)
    })

    it.effect("the embedded server starts again when it is killed, and clients can connect again", () =>
      Effect.gen(function* () {
        const folder = yield* Folder
        assert.strictEqual(yield* write, 4)
        const before = pidOf(folder)
        process.kill(before, "SIGKILL")
        const often = { schedule: Schedule.spaced("20 millis"), times: 500 }
        const isBack = Effect.try(() => assert.notStrictEqual(pidOf(folder), before))
        // Until then the children of the killed server may still answer.
        yield* Effect.retry(isBack, often)
        assert.strictEqual(yield* Effect.retry(write, often), 5)
      }).pipe(Effect.provide(started))
    )

    test("the embedded server does not believe a note of a process that is another one by now", function* () {
      const folder = yield* Folder
      writeFileSync(join(folder, "postgres", "postmaster.pid"), `${process.pid}\n`)
      assert.strictEqual(yield* write.pipe(Effect.provide(started)), 6)
    })

    test("the embedded server refuses a folder of a newer version, of a clone from before 0.1.0, of another PostgreSQL, and one that it may not write", function* () {
      const folder = yield* Folder
      const marker = join(folder, "lazaret.json")
      const ours = readFileSync(marker, "utf8")
      writeFileSync(marker, JSON.stringify({ format: 3 }))
      const [newer, message] = yield* refusal(folder)
      assert.strictEqual(newer, "newer")
      assert.include(message, "newer version")
      writeFileSync(marker, JSON.stringify({ format: 1 }))
      assert.strictEqual((yield* refusal(folder))[0], "earlier")
      rmSync(marker)
      assert.strictEqual((yield* refusal(folder))[0], "earlier")
      writeFileSync(marker, ours)
      const version = join(folder, "postgres", "PG_VERSION")
      writeFileSync(version, "14\n")
      const [older] = yield* refusal(folder)
      assert.strictEqual(older, "older")
      const [failed] = yield* refusal(marker)
      assert.strictEqual(failed, "failed")
    })
  }
)
