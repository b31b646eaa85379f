import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it as test, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-run-"))

afterAll(() => rmSync(folder, { recursive: true }))

const failure = (name: string) => `<testcase name="${name}"><failure message="no"/></testcase>`

/** A case of a test in a file; failed with this message, or passed. */
const attempt = (message?: string) =>
  `<testcase name="known" file="cart.rb">${message === undefined ? "" : `<failure message="${message}"/>`}</testcase>`

const passing = Array.from({ length: 20 }, (_, index) => `<testcase name="steady ${index}"/>`).join("")

/** The reports of the tests of a job, by name. */
const reports = {
  passed: `<testsuite><testcase name="a"/></testsuite>`,
  quarantined: `<testsuite>${failure("known")}<testcase name="a"/></testsuite>`,
  blocking: `<testsuite>${failure("known")}${failure("new")}</testsuite>`,
  placed: `<testsuite><testcase name="slow" file="/in the container/app/a.js"><failure message="no"/></testcase></testsuite>`,
  half: `<testsuite>${failure("known")}`,
  attempts: `<testsuite>${attempt("no")}${attempt("no")}${attempt()}</testsuite>`,
  namesakes: `<testsuite>${attempt("no")}${attempt("another")}${attempt()}</testsuite>`,
  fewer: `<testsuite tests="3" failures="2">${failure("known")}</testsuite>`,
  green: `<testsuite>${passing}<testcase name="wobbly"/></testsuite>`,
  wobbly: `<testsuite>${passing}${failure("wobbly")}</testsuite>`,
  mixed: `<testsuite>${passing}${failure("wobbly")}<testcase name="cart"><failure message="1 is not 2"/></testcase></testsuite>`,
  wobblyHalf: `<testsuite tests="50">${passing}${failure("wobbly")}</testsuite>`,
  none: null
} as const

type Written = keyof typeof reports

/** A command that writes a report, when it has one, and exits with a code. */
const tests = (place: string, written: Written, code: number): ReadonlyArray<string> => {
  const text = reports[written]
  const write =
    text === null ? "" : `require("fs").writeFileSync(${JSON.stringify(`${place}/r.xml`)}, ${JSON.stringify(text)});`
  return ["node", "-e", `${write} process.exit(${code})`]
}

const context = ["--repo", "acme/run", "--pipeline", "CI", "--job", "unit", "--commit", "c1", "--branch", "main"]

const lazaret = (
  place: string,
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  ...more: ReadonlyArray<string>
) => run(["run", ...context, "--reports", place, ...more, "--", ...command], env)

/** The rows of the table in docs/reference/command-line.md. */
const table: ReadonlyArray<readonly [testsEnded: number, Written, exitCode: number]> = [
  [0, "passed", 0],
  [0, "quarantined", 0],
  [7, "quarantined", 0],
  [7, "blocking", 10],
  [0, "blocking", 10],
  [1, "attempts", 0],
  [1, "namesakes", 10],
  [7, "none", 7],
  [7, "passed", 7],
  [7, "half", 7],
  [7, "fewer", 7],
  [0, "none", 0],
  [0, "half", 0]
]

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("lazaret run", (it) => {
  const env = Effect.map(HttpServer.HttpServer, (server) => ({
    LAZARET_URL: Server.urlOf(server),
    LAZARET_TOKEN: "key",
    PATH: process.env["PATH"] ?? ""
  }))

  for (const [testsEnded, written, exitCode] of table) {
    it.effect(`tests that end with ${testsEnded} and a report that is ${written}: the exit code is ${exitCode}`, () =>
      Effect.gen(function* () {
        const place = mkdtempSync(join(folder, "job-"))
        const known = ["quarantine", "add", "--force", "known", "--repo", "acme/run", "--reason", "slow"]
        assert.strictEqual((yield* run(known, yield* env)).exitCode, 0)
        const ended = yield* lazaret(place, tests(place, written, testsEnded), yield* env)
        assert.strictEqual(ended.exitCode, exitCode, ended.stderr)
      })
    )
  }

  it.effect("lazaret run says which tests did not run, and does not pass where the gate stops for them", () =>
    Effect.gen(function* () {
      const place = mkdtempSync(join(folder, "job-"))
      const repo = context.map((each) => each.replace("acme/run", "acme/missing"))
      const onRun = (written: Written, id: string, code = 0) =>
        Effect.flatMap(env, (at) =>
          run(["run", ...repo, "--run-id", id, "--reports", place, "--", ...tests(place, written, code)], at)
        )
      for (const id of ["1", "2", "3", "4", "5", "6"])
        assert.notInclude((yield* onRun("green", id)).stderr, "did not run")
      const fewer = yield* onRun("passed", "7")
      assert.strictEqual(fewer.exitCode, 0, fewer.stderr)
      assert.match(
        fewer.stderr,
        /^lazaret: 21 of 21 tests did not run in unit\.\ndid not run in CI · unit:\n {2}steady 0\n/m
      )
      const setting = ["repo", "set", "gate.missing=block", "--repo", "acme/missing"]
      assert.strictEqual((yield* run(setting, yield* env)).exitCode, 0)
      const blocked = yield* onRun("passed", "7")
      assert.strictEqual(blocked.exitCode, 10)
      assert.match(blocked.stderr, /21 of 21 tests did not run in unit\. The gate does not let such a run pass\.$/m)
    })
  )

  it.effect("a run of tests that ended with an error, and whose report has no failure, is a failure of the run", () =>
    Effect.gen(function* () {
      const place = mkdtempSync(join(folder, "job-"))
      const onCommit = context.map((each) => (each === "c1" ? "ended" : each))
      const command = ["run", ...onCommit, "--reports", place, "--", ...tests(place, "passed", 7)]
      const ended = yield* run(command, yield* env)
      assert.strictEqual(ended.exitCode, 7, ended.stderr)
      const judged = yield* run(["triage", "--repo", "acme/run", "--commit", "ended"], yield* env)
      assert.strictEqual(judged.exitCode, 10, judged.stderr)
      assert.match(judged.stdout, /^✗ test run: /)
    })
  )

  it.effect("lazaret run prints what is wrong with the names of tests", () =>
    Effect.gen(function* () {
      const place = mkdtempSync(join(folder, "job-"))
      const { stderr } = yield* lazaret(place, tests(place, "namesakes", 1), yield* env)
      assert.match(stderr, /warning: .*r\.xml: 2 cases with the name of another case.*"known #2"/)
      const proven = yield* lazaret(place, tests(place, "attempts", 1), yield* env)
      assert.notInclude(proven.stderr, "warning: ")
      assert.include(proven.stdout, "an attempt of known")
    })
  )

  it.effect(
    "the checkout of another machine, which a flag names, is taken off names by each command, and a wrong one is refused",
    () =>
      Effect.gen(function* () {
        const place = mkdtempSync(join(folder, "job-"))
        const flag = ["--checkout", "/in the container/app"]
        const quarantine = ["quarantine", "add", "--force", "a.js › slow", "--repo", "acme/run", "--reason", "slow"]
        assert.strictEqual((yield* run(quarantine, yield* env)).exitCode, 0)
        const ended = yield* lazaret(place, tests(place, "placed", 1), yield* env, ...flag)
        assert.strictEqual(ended.exitCode, 0, ended.stderr)
        const file = join(place, "r.xml")
        const check = ["quarantine", "check", "--repo", "acme/run", "--branch", "main", file]
        assert.strictEqual((yield* run([...check, ...flag], yield* env)).exitCode, 0)
        assert.strictEqual((yield* run(check, yield* env)).exitCode, 10)
        const job = ["ingest", "--json", ...context, "--run-id", "other machine", file]
        assert.strictEqual((yield* run([...job, ...flag], yield* env)).exitCode, 0)
        const refused = yield* run([...job, "--checkout", "app"], yield* env)
        assert.strictEqual(refused.exitCode, 2)
        assert.include(refused.stderr, '"app" is not an absolute path')
        const found = yield* run(["tests", "search", "*slow", "--repo", "acme/run", "--json"], yield* env)
        const names = JSON.parse(found.stdout).tests.map((each: { readonly test_name: string }) => each.test_name)
        assert.deepStrictEqual(names, ["a.js › slow"])
      })
  )

  it.effect(
    "--retry-exit-code is the exit code when all that blocks is flaky, and not for a failure of the change",
    () =>
      Effect.gen(function* () {
        const place = mkdtempSync(join(folder, "job-"))
        const ofCommit = [...context.map((each) => each.replace("acme/run", "acme/retry")), "--reports", place]
        const onCommit = (written: Written, ...more: ReadonlyArray<string>) =>
          Effect.flatMap(env, (at) => run(["run", ...ofCommit, ...more, "--", ...tests(place, written, 1)], at))
        yield* onCommit("green", "--run-id", "green")
        const flaky = yield* onCommit("wobbly", "--run-id", "red", "--retry-exit-code", "77")
        assert.strictEqual(flaky.exitCode, 77, flaky.stderr + flaky.stdout)
        assert.match(flaky.stderr, /Every one of them is judged flaky: run the job again\./)
        const without = yield* onCommit("wobbly", "--run-id", "red")
        assert.strictEqual(without.exitCode, 10)
        const mixed = yield* onCommit("mixed", "--run-id", "mixed", "--retry-exit-code", "77")
        assert.strictEqual(mixed.exitCode, 10, mixed.stdout)
        const half = yield* onCommit("wobblyHalf", "--run-id", "half", "--retry-exit-code", "77")
        assert.strictEqual(half.exitCode, 10)
        const wrong = yield* onCommit("wobbly", "--retry-exit-code", "10")
        assert.strictEqual(wrong.exitCode, 2)
      })
  )

  it.effect("lazaret run uploads the reports that the tests write, and no older one", () =>
    Effect.gen(function* () {
      const place = mkdtempSync(join(folder, "job-"))
      const first = yield* lazaret(place, tests(place, "blocking", 1), yield* env, "--run-id", "new reports")
      assert.strictEqual(first.exitCode, 10)
      assert.match(
        first.stdout,
        /^○ known: new test that fails: .* \(passes: the test is quarantined\) · http.*\n✗ new: new test that fails: .* · http.*\n$/
      )
      assert.match(
        first.stderr,
        /^lazaret: 1 report uploaded: 2 executions recorded\. http:[^ ]*\/acme\/run\/commits\/c1\n/
      )
      const again = yield* lazaret(place, tests(place, "blocking", 1), yield* env, "--run-id", "new reports")
      assert.match(again.stderr, /^lazaret: 1 report uploaded: 0 executions recorded, 2 known already\. http:[^ ]*\n/)
      const second = yield* lazaret(place, tests(place, "none", 3), yield* env)
      assert.deepStrictEqual([second.exitCode, second.stdout], [3, ""])
      const green = yield* lazaret(place, tests(place, "none", 0), yield* env)
      assert.match(
        green.stderr,
        /^lazaret: No report was written to .*job-.*: nothing was uploaded\. Check --reports\.\n$/
      )
      const found = yield* run(["tests", "search", "new", "--repo", "acme/run", "--json"], yield* env)
      assert.strictEqual(JSON.parse(found.stdout).total, 1)
    })
  )

  it.effect(
    "lazaret run shows GitHub Actions each failure with annotations and a summary, and writes files for others",
    () =>
      Effect.gen(function* () {
        const place = mkdtempSync(join(folder, "job-"))
        const step = join(place, "step.md")
        const ci = { ...(yield* env), GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: step }
        const more = ["--run-id", "told", "--annotations", join(place, "links.json")]
        const ended = yield* lazaret(place, tests(place, "blocking", 1), ci, ...more)
        assert.strictEqual(ended.exitCode, 10)
        assert.match(
          ended.stdout,
          /^::error title=new::new: new test that fails: [^\n]*%0Ano%0Ahttp:[^\n]*\/acme\/run\/tests\/[\w-]+\n::notice title=known::known: new test/m
        )
        // The log says each failure once.
        assert.notMatch(ended.stdout, /[✗○]/)
        assert.match(readFileSync(step, "utf8"), /^### Lazaret: 2 failures; 1 of them blocks\./)
        const { Lazaret: links } = JSON.parse(readFileSync(join(place, "links.json"), "utf8"))
        assert.match(links[0].external_link.label, /^new: new test that fails: /)
        const unwritable = { ...ci, GITHUB_STEP_SUMMARY: join(place, "nowhere/step.md") }
        const still = yield* lazaret(place, tests(place, "blocking", 1), unwritable, "--run-id", "told")
        assert.strictEqual(still.exitCode, 10)
        assert.match(still.stderr, /step\.md cannot be written .*the summary is missing\./)
      })
  )

  it.effect("an upload that the server refuses leaves the exit code of the tests, or is 4 with --strict", () =>
    Effect.gen(function* () {
      const wrong = { ...(yield* env), LAZARET_TOKEN: "wrong" }
      for (const [code, written] of [
        [0, "blocking"],
        [7, "quarantined"]
      ] as const) {
        const place = mkdtempSync(join(folder, "job-"))
        const ended = yield* lazaret(place, tests(place, written, code), wrong)
        assert.strictEqual(ended.exitCode, code)
        assert.match(ended.stderr, /^lazaret: .*refused the key[^\n]*stays\.\n$/)
        assert.strictEqual((yield* lazaret(place, tests(place, written, code), wrong, "--strict")).exitCode, 4)
      }
    })
  )
})

/** A server with one answer, and how often it was asked. */
const listening = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let requests = 0
      const server = createServer((request, response) => {
        requests += 1
        answer(request, response)
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { server, url: `http://127.0.0.1:${port}`, requests: () => requests }
    }),
    ({ server }) => Effect.sync(() => void server.close().closeAllConnections())
  )

const blocking = join(folder, "blocking.xml")

describe("lazaret run without a server", () => {
  beforeAll(() => writeFileSync(blocking, reports.blocking))

  const away = { LAZARET_URL: "http://127.0.0.1:1", LAZARET_TOKEN: "key", PATH: process.env["PATH"] ?? "" }

  for (const code of [0, 7]) {
    test.live(
      `lazaret run without a server leaves the exit code ${code} of the tests with one warning, or is 4 with --strict`,
      () =>
        Effect.gen(function* () {
          const place = mkdtempSync(join(folder, "job-"))
          const ended = yield* lazaret(place, tests(place, "blocking", code), away)
          assert.strictEqual(ended.exitCode, code)
          assert.match(
            ended.stderr,
            /^lazaret: There is no server at [^\n]* The exit code of the tests \(\d\) stays\.\n$/
          )
          assert.strictEqual((yield* lazaret(place, tests(place, "blocking", code), away, "--strict")).exitCode, 4)
        })
    )
  }

  test.live("lazaret run leaves the exit code of the tests without a key, as in a fork", () =>
    Effect.gen(function* () {
      const place = mkdtempSync(join(folder, "job-"))
      const env = { LAZARET_DATA_DIR: place, PATH: away.PATH }
      const ended = yield* lazaret(place, tests(place, "blocking", 7), env)
      assert.strictEqual(ended.exitCode, 7)
      assert.match(ended.stderr, /There is no key/)
    })
  )

  const commands: ReadonlyArray<readonly [name: string, args: (report: string) => ReadonlyArray<string>]> = [
    ["ingest", (report) => ["ingest", ...context, report]],
    ["quarantine check", (report) => ["quarantine", "check", "--repo", "acme/run", report]],
    ["triage", () => ["triage", "--repo", "acme/run", "--commit", "c1"]],
    ["run --strict", () => ["run", ...context, "--strict", "--reports", folder, "--", ...tests(folder, "blocking", 1)]]
  ]
  for (const [name, args] of commands) {
    test.live(`lazaret ${name} does not wait for a server that answers 503 for longer than 10 seconds`, () =>
      Effect.gen(function* () {
        const busy = yield* listening((_, response) => response.writeHead(503, { "retry-after": "11" }).end())
        const ended = yield* run(args(blocking), { ...away, LAZARET_URL: busy.url })
        assert.strictEqual(ended.exitCode, 4)
        assert.match(ended.stderr, /answered 503\. \(tried 1 time\)/)
        assert.strictEqual(busy.requests(), 1)
      }).pipe(Effect.scoped)
    )
  }

  test.effect("lazaret ingest ends after 10 seconds when the server answers nothing", () =>
    Effect.gen(function* () {
      const frozen = yield* listening(() => {})
      const asking = yield* Effect.forkChild(
        run(["ingest", ...context, blocking], { ...away, LAZARET_URL: frozen.url })
      )
      yield* TestClock.withLive(Effect.repeat(Effect.sleep("5 millis"), { until: () => frozen.requests() > 0 }))
      yield* TestClock.adjust("10 seconds")
      const ended = yield* Fiber.join(asking)
      assert.strictEqual(ended.exitCode, 4)
      assert.match(ended.stderr, /did not answer within 10 seconds\./)
    }).pipe(Effect.scoped)
  )

  test.live("a command that does not exist is 127, and one that a signal ends is 128 and its number", () =>
    Effect.gen(function* () {
      const place = mkdtempSync(join(folder, "job-"))
      assert.strictEqual((yield* lazaret(place, ["no-such-command"], away)).exitCode, 127)
      const killed = ["node", "-e", "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)"]
      assert.strictEqual((yield* lazaret(place, killed, away)).exitCode, 143)
    })
  )

  test.live("nothing is run when the run is not known", () =>
    Effect.gen(function* () {
      const ended = yield* run(["run", "--repo", "acme/run", "--", "node", "-e", "process.exit(9)"], away)
      assert.strictEqual(ended.exitCode, 2)
      assert.match(ended.stderr, /Give --pipeline, --job, --commit/)
    })
  )
})
