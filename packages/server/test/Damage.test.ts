import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { TestId } from "@lazaret/domain"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import { adminKey, run, serve } from "./lazaretProcess.ts"

const repository = "/v1/ci/acme/repositories/widgets"

const authorization = { authorization: `Bearer ${adminKey}` }

/** A server on a PostgreSQL of its own, which `execute` damages. */
const running = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "lazaret-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const { url: database } = yield* Effect.service(EmbeddedPostgres).pipe(
    Effect.provide(yield* Layer.build(EmbeddedPostgres.layer({ folder: join(folder, "database") })))
  )
  const surroundings = { cwd: folder, env: { LAZARET_STORE: "", DATABASE_URL: database, LAZARET_ADMIN_KEY: adminKey } }
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => serve(surroundings)),
    (started) => Effect.promise(() => started.stop("SIGTERM"))
  )
  const execute = (statement: string) =>
    PostgresClient.use(({ sql }) => sql.unsafe(statement)).pipe(
      Effect.provide(Layer.fresh(PostgresClient.layer(Redacted.make(database))))
    )
  const client = { ...surroundings, env: { LAZARET_URL: server.url, LAZARET_TOKEN: adminKey } }
  return { server, execute, lazaret: (...args: ReadonlyArray<string>) => Effect.promise(() => run(args, client)) }
})

type Running = Effect.Success<typeof running>

const upload = ({ server }: Running, jobName: string, commit: string) =>
  Effect.promise(() =>
    fetch(`${server.url}${repository}/reports?pipeline_name=CI&job_name=${jobName}&branch=main&commit=${commit}`, {
      method: "POST",
      headers: { ...authorization, "content-type": "application/xml" },
      body: `<testsuite name="s"><testcase classname="${jobName}" name="passes"/></testsuite>`
    })
  )

const get = ({ server }: Running, path: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url}${repository}${path}`, { headers: authorization })
    return { status: response.status, body: await response.text() }
  })

const detailsOf = (at: Running, name: string) => get(at, `/tests/${TestId.of(name)}`)

/** Raises the version of the repository, too: else a server answers with what it kept from before the damage. */
const damage = (table: string, column: string) =>
  `WITH raised AS (UPDATE repository_heads SET version = version + 1) UPDATE ${table} SET ${column} = set_byte(${column}, 12, get_byte(${column}, 12) # 4) WHERE block_no = 0`

it.live(
  "a damaged block is answered with 503 and named in the log, other tests go on, and `repo refold` repairs it",
  () =>
    Effect.gen(function* () {
      const at = yield* running
      for (const job of ["unit", "web"]) assert.strictEqual((yield* upload(at, job, "c1")).status, 201)
      const list = yield* get(at, "/search/tests?sort=test_name")
      const names = [...list.body.matchAll(/"test_name":"([^"]+)"/g)].map(([, name = ""]) => name).toSorted()
      const [unit = "", web = ""] = names
      const before = [yield* detailsOf(at, unit), yield* detailsOf(at, web)]
      assert.deepStrictEqual(
        before.map(({ status }) => status),
        [200, 200]
      )

      yield* at.execute(damage("block_state", "state"))
      const refused = yield* detailsOf(at, unit)
      assert.strictEqual(refused.status, 503)
      assert.include(refused.body, "lazaret repo refold")
      assert.deepStrictEqual(yield* detailsOf(at, web), before[1])
      assert.deepStrictEqual(yield* get(at, "/search/tests?sort=test_name"), list)
      const uploads = [yield* upload(at, "unit", "c2"), yield* upload(at, "web", "c2")]
      assert.deepStrictEqual(
        uploads.map(({ status }) => status),
        [503, 201]
      )

      const verified = yield* at.lazaret("verify")
      assert.strictEqual(verified.exitCode, 6)
      assert.match(verified.stdout, /health of block 0 \(damaged: .*checksum does not match\)/)
      assert.include(verified.stderr, "lazaret repo refold --repo acme/widgets")
      assert.strictEqual((yield* at.lazaret("repo", "refold", "--repo", "acme/widgets")).exitCode, 0)
      assert.strictEqual((yield* at.lazaret("verify")).exitCode, 0)
      assert.deepStrictEqual(yield* detailsOf(at, unit), before[0])
      assert.strictEqual((yield* upload(at, "unit", "c2")).status, 201)

      yield* at.execute(damage("result_chunks", "payload"))
      assert.strictEqual((yield* detailsOf(at, unit)).status, 503)
      assert.strictEqual((yield* detailsOf(at, web)).status, 200)
      assert.match((yield* at.lazaret("verify")).stdout, /chunk of upload 0 in block 0 \(damaged: /)

      const { stderr } = yield* Effect.promise(() => at.server.stop("SIGTERM"))
      assert.match(stderr, /acme\/widgets: the stored health of block 0: BlockState: the checksum does not match/)
      assert.match(stderr, /acme\/widgets: the stored chunk of upload \d in block 0: /)
    }),
  120_000
)
