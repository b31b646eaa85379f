/**
 * The examples of the pages on operation are run: proxies, the unit of systemd, alert rules and the dashboard. A check whose program does not
 * exist on this machine is skipped, and says so.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it as test, layer } from "@effect/vitest"
import { Server, Settings } from "@lazaret/server"
import { Effect, Layer, Metric, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { parse } from "yaml"

const root = new URL("../../../", import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8")
const folder = mkdtempSync(join(tmpdir(), "lazaret-operations-"))

afterAll(() => rmSync(folder, { recursive: true }))

/** The code of the block of a page that begins with a text. */
const blockOf = (path: string, beginning: string): string => {
  const blocks = [...textOf(path).matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, code = ""]) => code)
  const found = blocks.find((code) => code.startsWith(beginning))
  if (found === undefined) throw new Error(`${path} has no block that begins with ${beginning}`)
  return found
}

const production = "docs/how-to/run-in-production.md"
const firewall = "docs/how-to/behind-a-firewall.md"
const placeOf = (program: string): string =>
  spawnSync("sh", ["-c", `PATH="$PATH:/usr/sbin" command -v ${program}`], { encoding: "utf8" }).stdout.trim()

/** The paths of the programs; an empty text for a program that this machine does not have. */
const programs = Object.fromEntries(
  ["nginx", "caddy", "promtool", "systemd-analyze", "openssl"].map((name) => [name, placeOf(name)])
)
for (const [name, place] of Object.entries(programs)) {
  if (place === "")
    process.stdout.write(`!!! SKIPPED: ${name} is not installed, so what the pages show for it was not run !!!\n`)
}
const lacks = (...names: ReadonlyArray<string>): boolean => names.some((name) => programs[name] === "")
const place = (name: string): string => programs[name] ?? ""

const settings = {
  ...Settings.defaults,
  port: 0,
  storage: { _tag: "Memory" as const },
  dataFolder: "unused",
  repositoryMetrics: "on" as const,
  publicUrl: "https://tests.example.com"
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks a proxy with a certificate of its own, by the name that its configuration has. */
const ask = (port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, rejectUnauthorized: false, servername: "tests.example.com" }
    request({ ...options, headers: { host: "tests.example.com", ...headers } }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
    })
      .on("error", reject)
      .end()
  })

/** Starts a proxy, waits until it answers, uses it, and ends it. */
const behind = (program: string, args: ReadonlyArray<string>, use: () => Promise<void>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const child = spawn(place(program), args, {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { HOME: folder }
    })
    let said = ""
    child.stderr.on("data", (chunk) => (said += chunk))
    try {
      for (let attempt = 0; ; attempt++) {
        const failure = await use().then(
          () => null,
          (error: unknown) => error
        )
        if (failure === null) return
        const isStarting = failure instanceof Error && "code" in failure && failure.code === "ECONNREFUSED"
        if (!isStarting || attempt === 100 || child.exitCode !== null)
          throw new Error(`${program}: ${said}`, { cause: failure })
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    } finally {
      child.kill("SIGTERM")
    }
  })

/** Everything that a proxy must do: pass requests on, close what belongs to the operator, and keep the address of the caller. */
const proxies = async (answer: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>) => {
  const list = await answer("/v1/repositories", { authorization: "Bearer key" })
  assert.strictEqual(list.status, 200, list.text)
  for (const path of ["/metrics", "/health/live", "/health/ready"]) assert.strictEqual((await answer(path)).status, 404)
  const long = `/v1/ci/acme/repositories/widgets/search/tests?${"test_name=a&".repeat(200)}per_page=1`
  assert.strictEqual((await answer(long, { authorization: "Bearer key" })).status, 200)
}

/** The file of a configuration for nginx with one server, which runs in the foreground as this user. */
const nginxConfiguration = (name: string, server: string): string => {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (each) => `${each}_temp_path ${join(folder, each)};`
  )
  const main = `daemon off;\nmaster_process off;\npid ${join(folder, `${name}.pid`)};\nevents {}\n`
  writeFileSync(join(folder, name), `${main}http {\naccess_log off;\n${paths.join("\n")}\n${server}}\n`)
  return join(folder, name)
}

const repository = "/v1/ci/acme/repositories/widgets"

/** Each path of the page is answered by the server, and no other one is; only the server answers 404 with a problem document. */
const assertNarrow = async (outside: string): Promise<void> => {
  const typeOf = async (method: string, path: string) => {
    const answer = await fetch(`${outside}${path}`, { method, headers: { authorization: "Bearer none" } }).catch(
      (error: Error) => {
        throw error.cause
      }
    )
    return `${answer.status} ${answer.headers.get("content-type")?.split(";")[0]}`
  }
  assert.match(await typeOf("GET", "/cli/lazaret.mjs"), /^200 text\/javascript/u)
  const passed = [
    "GET /v1/application",
    "POST /v1/webhooks/github",
    "POST /v1/webhooks/gitlab",
    "POST /v1/repos/acme/widgets/ci/traces",
    ...["reports", "traces", "quarantines/check", "failures/triage", "shards/plan"].map(
      (name) => `POST ${repository}/${name}`
    ),
    `GET ${repository}/failures/precision`
  ]
  for (const each of passed) {
    const [method = "", path = ""] = each.split(" ")
    assert.match(await typeOf(method, path), /^(?:403|404) application\/problem\+json$/u, each)
  }
  const kept = [
    "/",
    "/metrics",
    "/health/ready",
    "/v1/repositories",
    "/v1/application-keys",
    "/session",
    "/openapi.json"
  ]
  const below = ["", "/settings", "/tests", "/quarantines", "/reports/x", "/failures", "/reports%2f..%2fsettings"]
  const others = [...kept, "/cli/..%2fmetrics", "/cli/%2e%2e/metrics", ...below.map((path) => `${repository}${path}`)]
  for (const path of others) assert.strictEqual(await typeOf("GET", path), "404 text/html", path)
}

const bin = fileURLToPath(new URL("packages/server/bin/lazaret.js", root))

/** Runs a command as a job does, whose server is at an address. */
const lazaretAt = (url: string, args: ReadonlyArray<string>, input = "") =>
  new Promise<{ readonly exitCode: number | null; readonly output: string }>((resolve) => {
    const env = { ...jobOf(url), PATH: process.env["PATH"] ?? "", HOME: folder }
    const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"] })
    let output = ""
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stdin.end(input)
    child.once("close", (exitCode) => resolve({ exitCode, output }))
  })

const jobOf = (url: string) => ({
  LAZARET_URL: url,
  LAZARET_TOKEN: "key",
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/widgets",
  GITHUB_WORKFLOW: "CI",
  GITHUB_JOB: "unit",
  GITHUB_SHA: "f".repeat(40),
  GITHUB_REF_NAME: "main",
  GITHUB_RUN_ID: "7"
})

const upload = (url: string): Promise<Response> =>
  fetch(`${url}/v1/ci/acme/repositories/widgets/reports?pipeline_name=CI&job_name=unit&commit=c1&branch=main`, {
    method: "POST",
    headers: { authorization: "Bearer key", "content-type": "application/xml" },
    body: `<testsuite><testcase classname="cart" name="adds"/></testsuite>`
  })

/** The metrics of the reference: their labels by name. */
const documented = new Map(
  [...textOf("docs/reference/metrics.md").matchAll(/^\| `([a-z]+_\w+)` \| ([^|]*)\|/gm)].map(
    ([, name = "", labels = ""]) => [name, new Set([...labels.matchAll(/`([a-z]+)`/g)].map(([, label = ""]) => label))]
  )
)

const baseOf = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, "")

/** The metrics that an expression of Prometheus reads, each with the labels that it matches. */
const readBy = (expression: string) =>
  [...expression.matchAll(/\b((?:lazaret|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", labels = ""]) => ({
    name,
    labels: [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label)
  }))

/** Labels that Prometheus adds to each series. */
const added = new Set(["instance", "job", "le"])

const unknownIn = (expressions: ReadonlyArray<string>): ReadonlyArray<string> =>
  expressions.flatMap((expression) =>
    readBy(expression).flatMap(({ labels, name }) => {
      const known = documented.get(baseOf(name)) ?? documented.get(name)
      if (known === undefined) return [`${name} does not exist`]
      return labels
        .filter((label) => !known.has(label) && !added.has(label))
        .map((label) => `${name} has no label ${label}`)
    })
  )

/** The exit code, and what promtool says about faults. */
const promtool = (args: ReadonlyArray<string>, cwd: URL | string): readonly [number | null, string] => {
  const { status, stderr } = spawnSync(place("promtool"), args, { cwd, encoding: "utf8" })
  return [status, stderr]
}

describe("files for Prometheus and Grafana", () => {
  const alerts = "packages/integrations/prometheus/alerts.yml"

  const rules: ReadonlyArray<{ readonly alert: string; readonly expr: string }> = parse(textOf(alerts)).groups[0].rules

  test("every alert reads metrics and labels that a server has", () => {
    assert.isAbove(rules.length, 0)
    assert.deepStrictEqual(unknownIn(rules.map(({ expr }) => expr)), [])
  })

  test("the page on production lists exactly the alerts of the file", () => {
    const listed = [...textOf(production).matchAll(/^\| `(Lazaret\w+)` \|/gm)].map(([, name]) => name)
    assert.deepStrictEqual(
      listed,
      rules.map(({ alert }) => alert)
    )
  })

  test("every panel of the dashboard reads metrics and labels that a server has", () => {
    const dashboard = JSON.parse(textOf("packages/integrations/grafana/lazaret.json"))
    const panels: ReadonlyArray<{ readonly targets?: ReadonlyArray<{ readonly expr: string }> }> = dashboard.panels
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const queries: ReadonlyArray<{ readonly definition?: string }> = dashboard.templating.list
    const labels = queries.flatMap(({ definition }) => {
      const [, name, label] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? "") ?? []
      return name === undefined ? [] : [`${name}{${label}=""}`]
    })
    assert.isAbove(expressions.length, 10)
    assert.deepStrictEqual(unknownIn([...expressions, ...labels]), [])
  })

  test("an expression with an unknown metric or label is found", () => {
    assert.deepStrictEqual(unknownIn(['rate(lazaret_nothing_total[5m]) + lazaret_tests{colour="red"}']), [
      "lazaret_nothing_total does not exist",
      "lazaret_tests has no label colour"
    ])
  })

  test.skipIf(lacks("promtool"))("promtool accepts the rules, and each fires on what it is for", () => {
    const cwd = new URL("packages/integrations/prometheus/", root)
    assert.deepStrictEqual(promtool(["check", "rules", "--lint-fatal", "alerts.yml"], cwd), [0, ""])
    assert.deepStrictEqual(promtool(["test", "rules", "alerts.test.yml"], cwd), [0, ""])
  })

  test.skipIf(lacks("promtool"))("promtool accepts the scrape configuration of the page", () => {
    const file = join(folder, "prometheus.yml")
    writeFileSync(join(folder, "token"), "secret")
    const configuration = blockOf(production, "scrape_configs").replace(
      "/etc/prometheus/lazaret-metrics-token",
      join(folder, "token")
    )
    writeFileSync(file, configuration)
    assert.deepStrictEqual(promtool(["check", "config", file], folder), [0, ""])
  })
})

describe("the unit of systemd", () => {
  test.skipIf(lacks("systemd-analyze"))("systemd-analyze finds no fault in the unit of the page", () => {
    const file = join(folder, "lazaret.service")
    const unit = blockOf(production, "# /etc/systemd/system/lazaret.service")
    // The unit starts the program of a clone, which this machine lacks: use this Node instead.
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { status, stderr } = spawnSync(place("systemd-analyze"), ["verify", file], { encoding: "utf8" })
    assert.deepStrictEqual([status, stderr.split("\n").filter((line) => line.includes("lazaret"))], [0, []])
  })
})

/** A server with counters of its own: tests of other files may have counted in this process before. */
const whole = Server.layer(settings, Redacted.make("key")).pipe(
  Layer.provide(Layer.sync(Metric.MetricRegistry, () => new Map()))
)

layer(whole, { excludeTestServices: true })("a server", (it) => {
  const address = Effect.map(HttpServer.HttpServer, Server.urlOf)

  it.effect.skipIf(lacks("nginx", "openssl"))("nginx with the configuration of the page passes requests on", () =>
    Effect.gen(function* () {
      const url = yield* address
      yield* Effect.promise(() => upload(url))
      const port = yield* Effect.promise(freePort)
      const [certificate, key] = [join(folder, "tests.pem"), join(folder, "tests.key")]
      const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"]
      execFileSync(place("openssl"), [...args, "-subj", "/CN=tests.example.com", "-keyout", key, "-out", certificate], {
        stdio: "ignore"
      })
      const server = blockOf(production, "server {")
        .replace("listen 443 ", `listen 127.0.0.1:${port} `)
        .replace("/etc/ssl/tests.example.com.pem", certificate)
        .replace("/etc/ssl/private/tests.example.com.key", key)
        .replace("http://127.0.0.1:4180", url)
      const conf = nginxConfiguration("nginx.conf", server)
      yield* behind("nginx", ["-e", "stderr", "-c", conf], () => proxies((path, headers) => ask(port, path, headers)))
    })
  )

  it.effect.skipIf(lacks("nginx"))(
    "nginx with the configuration for jobs passes what they need, and nothing else",
    () =>
      Effect.gen(function* () {
        const url = yield* address
        const port = yield* Effect.promise(freePort)
        const server = blockOf(firewall, "server {")
          .replace(/listen 443 .*/u, `listen 127.0.0.1:${port};`)
          .replaceAll(/ +ssl_certificate.*\n/gu, "")
          .replaceAll("http://10.0.0.5:4180", url)
        const args = ["-e", "stderr", "-c", nginxConfiguration("narrow.conf", server)]
        yield* behind("nginx", args, async () => {
          const outside = `http://127.0.0.1:${port}`
          await assertNarrow(outside)
          const junit = join(folder, "junit.xml")
          writeFileSync(junit, `<testsuite><testcase classname="cart" name="pays"><failure/></testcase></testsuite>`)
          const run = ["run", "--reports", junit, "--retry-exit-code", "77", "--", "sh", "-c", `touch ${junit}; exit 3`]
          assert.deepInclude(await lazaretAt(outside, run), { exitCode: 10 })
          assert.deepInclude(await lazaretAt(outside, ["quarantine", "check", junit]), { exitCode: 10 })
          const shard = await lazaretAt(
            outside,
            ["shard", "--index", "1", "--total", "1", "--when-away", "fail"],
            "a.test\n"
          )
          assert.deepInclude(shard, { exitCode: 0, output: "a.test\n" })
        })
      })
  )

  it.effect.skipIf(lacks("caddy"))("Caddy with the configuration of the page passes requests on", () =>
    Effect.gen(function* () {
      const url = yield* address
      yield* Effect.promise(() => upload(url))
      const port = yield* Effect.promise(freePort)
      const file = join(folder, "Caddyfile")
      // A certificate of its own needs the real name: here Caddy listens without one.
      const site = blockOf(production, "tests.example.com {").replace(
        "tests.example.com {",
        `http://127.0.0.1:${port} {`
      )
      writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site.replace("127.0.0.1:4180", new URL(url).host)}`)
      const plain = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch((error: Error) => {
          throw error.cause
        })
        return { status: answer.status, text: await answer.text() }
      }
      yield* behind("caddy", ["run", "--config", file, "--adapter", "caddyfile"], () => proxies(plain))
    })
  )

  it.effect("every series of /metrics is in the reference, with its labels, and counters start at 0", () =>
    Effect.gen(function* () {
      const url = yield* address
      const text = yield* Effect.promise(async () => {
        await upload(url)
        return (await fetch(`${url}/metrics`)).text()
      })
      const series = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
        ([, name = "", labels = "", value = ""]) => ({
          name,
          value,
          labels: [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label).filter((label) => label !== "le")
        })
      )
      for (const { labels, name } of series) {
        const known = documented.get(baseOf(name)) ?? documented.get(name)
        assert.deepStrictEqual(labels.toSorted(), [...(known ?? ["not in the reference"])].toSorted(), name)
      }
      assert.include(text, 'lazaret_reports_total{outcome="refused"} 0\n')
      assert.include(text, 'lazaret_queue_pauses_total{action="paused"} 0\n')
      assert.include(text, "lazaret_bodies_refused_total 0\n")
      assert.match(text, /lazaret_http_requests_total\{route="\S+\/reports",method="POST",status="500"\} 0\n/)
    })
  )

  it.effect.skipIf(lacks("promtool"))("promtool finds no fault in /metrics", () =>
    Effect.gen(function* () {
      const url = yield* address
      const text = yield* Effect.promise(async () => (await fetch(`${url}/metrics`)).text())
      const { status, stderr } = spawnSync(place("promtool"), ["check", "metrics"], { input: text, encoding: "utf8" })
      assert.deepStrictEqual([status, stderr], [0, ""])
    })
  )
})
