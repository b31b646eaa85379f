import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, layer } from "@effect/vitest"
import { FirstVerdictPace } from "@lazaret/services"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-questions-"))

afterAll(() => rmSync(folder, { recursive: true }))

const page = readFileSync(new URL("../../../docs/how-to/export.md", import.meta.url), "utf8")

/** The statements of the page, each ended by a semicolon. */
const questions = (/```sql\n([\s\S]*?)```/u.exec(page)?.[1] ?? "")
  .split(";")
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "")

/** DuckDB, none where the platform has no binary of it. */
const duckdb = () =>
  import("@duckdb/node-api").then(
    (found) => found,
    (error: unknown) => {
      console.warn(
        `DuckDB cannot be loaded here, so the questions of docs/how-to/export.md did not run: ${String(error)}`
      )
      return null
    }
  )

const today = Math.floor(Date.now() / 86_400_000)

/** A Thursday at noon, some weeks ago. */
const thursday = (weeksAgo: number) => new Date((today - ((today + 7) % 7) - weeksAgo * 7) * 86_400_000 + 43_200_000)

/** First verdicts are kept soon after a report. */
const lately = Server.layer(settings, Redacted.make("key")).pipe(
  Layer.provide(Layer.succeed(FirstVerdictPace, { pause: 20, every: 20 }))
)

layer(lately, { excludeTestServices: true })("the questions of exports", (it) => {
  const send = (path: string, request: RequestInit, type = "application/xml") =>
    Effect.flatMap(HttpServer.HttpServer, (server) =>
      Effect.promise(async () => {
        const response = await fetch(`${Server.urlOf(server)}/v1/ci/acme/repositories/questions${path}`, {
          ...request,
          headers: { authorization: "Bearer key", "content-type": type }
        })
        assert.isBelow(response.status, 300)
        await response.arrayBuffer()
      })
    )

  const upload = (commit: string, at: Date, attempt: number, cases: string) => {
    const context = { pipeline_name: "CI", job_name: "unit", commit, branch: "main", run_id: commit }
    const query = new URLSearchParams({ ...context, run_attempt: `${attempt}`, finished_at: at.toISOString() })
    return send(`/reports?${query}`, { method: "POST", body: `<testsuite>${cases}</testsuite>` })
  }

  /** The verdict on the only failure, as soon as it is kept. */
  const firstVerdict = Effect.gen(function* () {
    const server = yield* HttpServer.HttpServer
    const env = { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: "key", LAZARET_REPO: "acme/questions" }
    const { stdout } = yield* run(["export", "verdicts"], env)
    // A line of the export.
    return JSON.parse(stdout) as { readonly [F in "test_id" | "execution_id" | "verdict"]: string }
  }).pipe(Effect.sandbox, Effect.retry({ schedule: Schedule.spaced(50), times: 200 }))

  const exported = (what: string, format: string) =>
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const env = { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: "key", LAZARET_REPO: "acme/questions" }
      const output = join(folder, `${what}.${format}`)
      const dated = what === "executions" || what === "verdicts" ? ["--start", "1970-01-01"] : []
      const ended = yield* run(["export", what, "--format", format, "--output", output, ...dated], env)
      assert.deepStrictEqual([ended.exitCode, ended.stdout], [0, ""], ended.stderr)
      return output
    })

  it.effect("each question has the same answer on Parquet and on lines of JSON", () =>
    Effect.gen(function* () {
      const passed = `<testcase name="a" time="1.5"/><testcase name="b" time="3600"/>`
      const failed = `<testcase name="a" time="1.5"/><testcase name="b" time="3600"><failure message="no"/></testcase>`
      yield* upload("c1", thursday(3), 1, passed)
      yield* upload("c2", thursday(1), 1, failed)
      const verdict = yield* firstVerdict
      const execution = `/tests/${verdict.test_id}/executions/${verdict.execution_id}`
      yield* send(`${execution}/mark`, { method: "PUT", body: `{"truth":"flaky"}` }, "application/json")
      yield* upload("c2", new Date(thursday(1).getTime() + 60_000), 2, passed)
      for (const what of ["executions", "verdicts", "causes", "costs"]) {
        for (const format of ["parquet", "ndjson"]) yield* exported(what, format)
      }
      const engine = yield* Effect.promise(duckdb)
      if (engine === null) return assert.isAbove(statSync(join(folder, "executions.parquet")).size, 0)
      const ask = (statement: string) =>
        Effect.promise(async () => {
          const instance = await engine.DuckDBInstance.create(":memory:")
          const connection = await instance.connect()
          await connection.run(`SET file_search_path = '${folder}'`)
          const rows = (await connection.runAndReadAll(statement)).getRowsJson()
          connection.closeSync()
          return rows
        })
      assert.strictEqual(questions.length, 5)
      const answers = yield* Effect.forEach(questions, ask)
      const week = (date: Date) => new Date(date.getTime() - 3 * 86_400_000).toISOString().slice(0, 10)
      const minutes = (weeksAgo: number, runs: number) => ["unit", week(thursday(weeksAgo)), (runs * 3601.5) / 60]
      assert.deepStrictEqual(
        answers.map((rows) =>
          rows.map((row) =>
            row.map((value) => (String(value).includes("00:00:00") ? String(value).slice(0, 10) : value))
          )
        ),
        [
          [
            ["b", 3],
            ["a", 4.5 / 3600]
          ],
          [["b", 1 / 3, "3"]],
          [minutes(3, 1), minutes(1, 2)],
          [["b", "c2"]],
          [[verdict.verdict, "1", 1]]
        ]
      )
      for (const question of questions) {
        assert.deepStrictEqual(yield* ask(question.replaceAll(".parquet'", ".ndjson'")), yield* ask(question))
      }
      assert.deepStrictEqual(yield* ask("SELECT count(*) FROM 'causes.parquet'"), [["0"]])
      assert.deepStrictEqual(yield* ask("SELECT count(*) FROM 'costs.parquet'"), [["0"]])
    })
  )

  it.effect("a file that exists, Parquet without a file, and days of causes exit with 2 and write nothing", () =>
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const env = { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: "key", LAZARET_REPO: "acme/questions" }
      const output = join(folder, "executions.parquet")
      const before = readFileSync(output)
      for (const [args, reason] of [
        [["--output", output], /exists: name another file/u],
        [["--format", "parquet"], /name it with --output/u],
        [["causes", "--days", "7"], /leave --days and --start out/u],
        [["costs", "--start", "2026-01-01"], /leave --days and --start out/u],
        [["--output", join(folder, "missing", "a.ndjson")], /cannot be written/u]
      ] as const) {
        const ended = yield* run(["export", ...args], env)
        assert.deepStrictEqual([ended.exitCode, ended.stdout], [2, ""], args.join(" "))
        assert.match(ended.stderr, reason)
      }
      assert.deepStrictEqual(readFileSync(output), before)
      for (const args of [
        ["--format", "parquet"],
        ["--output", output]
      ]) {
        const ended = yield* run(["export", ...args], { ...env, LAZARET_URL: "http://127.0.0.1:9" })
        assert.deepStrictEqual([ended.exitCode, ended.stdout], [2, ""], "no server is asked")
      }
    })
  )
})
