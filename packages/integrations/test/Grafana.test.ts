/**
 * The dashboard for Grafana over a real Prometheus: each query of a panel has an answer. Without the program `prometheus` the check is
 * skipped, and says so.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Server, Settings } from "@lazaret/server"
import { Context, Effect, Layer, Metric, Redacted } from "effect"
import { HttpServer } from "effect/http"

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly targets?: ReadonlyArray<{ readonly expr: string }>
  }>
}

// The file is ours: `Operations.test.ts` looks at its metrics and labels.
const dashboard = JSON.parse(readFileSync(new URL("../grafana/lazaret.json", import.meta.url), "utf8")) as Dashboard

const program = spawnSync("sh", ["-c", 'PATH="$PATH:/usr/sbin" command -v prometheus'], {
  encoding: "utf8"
}).stdout.trim()

if (program === "")
  process.stdout.write("!!! SKIPPED: prometheus is not installed, so no query of the dashboard was asked !!!\n")

/** Panels of PostgreSQL, which a server in memory does not have. */
const ofPostgres = /lazaret_store_/u

const queries = dashboard.panels.flatMap(({ targets = [], title }) =>
  targets
    .filter(({ expr }) => !ofPostgres.test(expr))
    .map(({ expr }) => ({
      title,
      query: expr.replaceAll("$__rate_interval", "5s").replaceAll(/\$(?:repository|instance)/gu, ".+")
    }))
)

/** The paces by their names: this package does not depend on the services. */
const paceOf = (name: string) =>
  Layer.succeed(
    Context.Service<{ readonly pause: number; readonly rest: number; readonly every: number }>(
      `@lazaret/services/${name}`
    ),
    { pause: 0, rest: 0, every: 50 }
  )

const pause = Layer.succeed(Context.Service<number>("@lazaret/services/RepositoryMetricsPause"), 100)

const settings: Settings.Settings = {
  ...Settings.defaults,
  port: 0,
  storage: { _tag: "Memory" },
  dataFolder: "unused",
  repositoryMetrics: "on"
}

const server = Server.layer(settings, Redacted.make("key")).pipe(
  Layer.provide([paceOf("CausePace"), paceOf("CostPace"), pause, Layer.sync(Metric.MetricRegistry, () => new Map())])
)

/** Uploads the second attempt of a job run that a flake had made red, and the first one. */
const flaking = async (url: string, commit: string): Promise<void> => {
  for (const attempt of [1, 2]) {
    const context = { pipeline_name: "CI", job_name: "unit", commit, branch: "main", run_id: commit }
    const query = new URLSearchParams({ ...context, run_attempt: `${attempt}` })
    const failure = attempt === 1 ? `<failure type="TimeoutError" message="no answer"/>` : ""
    const answer = await fetch(`${url}/v1/ci/acme/repositories/widgets/reports?${query}`, {
      method: "POST",
      headers: { authorization: "Bearer key", "content-type": "application/xml" },
      body: `<testsuite><testcase name="net answers" time="60">${failure}</testcase></testsuite>`
    })
    assert.strictEqual(answer.status, 201)
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const listener = createServer().listen(0, "127.0.0.1", () => {
      const address = listener.address()
      listener.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A Prometheus that reads a server each second, until the test ends; its address. */
const prometheusOf = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = mkdtempSync(join(tmpdir(), "lazaret-grafana-"))
      const file = join(folder, "prometheus.yml")
      writeFileSync(
        file,
        `scrape_configs: [{ job_name: lazaret, scrape_interval: 1s, static_configs: [{ targets: ["${new URL(url).host}"] }] }]\n`
      )
      const port = await freePort()
      const flags = [`--config.file=${file}`, `--storage.tsdb.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`]
      return { folder, address: `http://127.0.0.1:${port}`, child: spawn(program, flags, { stdio: "ignore" }) }
    }),
    ({ child, folder }) =>
      Effect.promise(async () => {
        const hasEnded = new Promise((resolve) => child.once("close", resolve))
        child.kill("SIGKILL")
        await hasEnded
        rmSync(folder, { recursive: true })
      })
  )

/** The number of series that answer a query with a number; null while Prometheus starts. */
const answersOf = async (address: string, query: string): Promise<number | null> => {
  const answer = await fetch(`${address}/api/v1/query?${new URLSearchParams({ query })}`).catch(() => null)
  if (answer === null || answer.status === 503) return null
  const text = await answer.text()
  assert.strictEqual(answer.status, 200, `${query}: ${text}`)
  // The answer of a query for an instant.
  const { data } = JSON.parse(text) as {
    readonly data: { readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }> }
  }
  return data.result.filter(({ value }) => value[1] !== "NaN").length
}

layer(server, { excludeTestServices: true })("the dashboard for Grafana", (it) => {
  it.effect.skipIf(program === "")("each query of a panel has an answer, those of causes and cost among them", () =>
    Effect.gen(function* () {
      const url = yield* Effect.map(HttpServer.HttpServer, Server.urlOf)
      yield* Effect.promise(async () => {
        for (let run = 0; run < 20; run++) await flaking(url, `c${run}`)
      })
      const { address } = yield* prometheusOf(url)
      const unanswered = Effect.promise(async () => {
        // Rates need requests between two readings.
        await fetch(`${url}/v1/repositories`, { headers: { authorization: "Bearer key" } })
        const counts = await Promise.all(queries.map(({ query }) => answersOf(address, query)))
        return queries.filter((_, index) => (counts[index] ?? 0) === 0).map(({ query, title }) => `${title}: ${query}`)
      })
      assert.includeMembers(
        queries.map(({ title }) => title),
        ["Open causes", "Cost of flaky tests in four weeks"]
      )
      const left = yield* Effect.repeat(Effect.delay(unanswered, "500 millis"), {
        until: (each) => each.length === 0,
        times: 40
      })
      assert.deepStrictEqual(left, [])
    }).pipe(Effect.scoped)
  )
})
