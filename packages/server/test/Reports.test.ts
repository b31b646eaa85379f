import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-"))

const file = (name: string) => join(folder, name)

const report = (name: string, outcome: "passed" | "failed" = "passed") =>
  `<testsuite name="s"><testcase classname="a.B" name="${name}">${
    outcome === "passed" ? "" : `<failure message="no"/>`
  }</testcase></testsuite>`

const ctrf = JSON.stringify({
  results: { tool: { name: "vitest" }, tests: [{ name: "c", status: "failed", duration: 1 }] }
})

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

const otlp = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [attribute("cicd.pipeline.name", "CI"), attribute("vcs.ref.head.revision", "c1")] },
      scopeSpans: [
        {
          spans: [
            {
              name: "s > d",
              startTimeUnixNano: "1769860800000000000",
              endTimeUnixNano: "1769860800012000000",
              attributes: [attribute("test.scope", "case"), attribute("test.case.result.status", "passed")]
            }
          ]
        }
      ]
    }
  ]
})

mkdirSync(file("all/deep"), { recursive: true })
writeFileSync(file("all/a.xml"), report("a"))
writeFileSync(file("all/deep/b.xml.gz"), gzipSync(report("b")))
writeFileSync(file("all/deep/c.json"), ctrf)
writeFileSync(file("all/coverage.xml"), "<coverage/>")
writeFileSync(file("all/notes.txt"), "no report")
writeFileSync(file("d.json"), otlp)
writeFileSync(file("clean.xml"), report("a"))
writeFileSync(file("one.xml"), report("one", "failed"))
writeFileSync(file("two.xml"), report("two", "failed"))
writeFileSync(
  file("event.json"),
  JSON.stringify({
    pull_request: {
      id: 9,
      number: 42,
      title: "Pay",
      user: { id: 7, login: "ada", type: "User" },
      head: { sha: "head1" }
    }
  })
)

afterAll(() => rmSync(folder, { recursive: true }))

const gitHub = (repository: string) => ({
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: `acme/${repository}`,
  GITHUB_WORKFLOW: "CI",
  GITHUB_JOB: "unit",
  GITHUB_SHA: "merge1",
  GITHUB_REF: "refs/pull/42/merge",
  GITHUB_REF_NAME: "42/merge",
  GITHUB_HEAD_REF: "topic",
  GITHUB_BASE_REF: "main",
  GITHUB_RUN_ID: "77",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_EVENT_PATH: file("event.json")
})

const lazaret = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    run(args, { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: "key", ...env })
  )

const succeed = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.map(lazaret(args, env), (ended) => {
    assert.strictEqual(ended.exitCode, 0, ended.stderr)
    return ended.stdout
  })

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("reports", (it) => {
  it.effect(
    "`lazaret ingest` of a folder uploads reports of every format and packing, under the run of the CI system",
    () =>
      Effect.gen(function* () {
        const ended = yield* lazaret(["ingest", file("all"), "--json"], gitHub("folder"))
        assert.strictEqual(ended.exitCode, 0, ended.stderr)
        assert.match(ended.stderr, /^lazaret: .*coverage\.xml is passed over\. [^\n]*\n$/)
        const { failures, reports } = JSON.parse(ended.stdout)
        assert.deepStrictEqual(failures, [])
        assert.deepStrictEqual(
          reports.map((each: { file: string; executions: { recorded: number } }) => [
            each.file.slice(folder.length),
            each.executions.recorded
          ]),
          [
            ["/all/a.xml", 1],
            ["/all/deep/b.xml.gz", 1],
            ["/all/deep/c.json", 1]
          ]
        )
        const again = JSON.parse(yield* succeed(["ingest", join(file("all"), "**/*.xml*"), "--json"], gitHub("folder")))
        assert.deepStrictEqual(
          again.reports.map((each: { executions: { duplicates: number } }) => each.executions.duplicates),
          [1, 1]
        )
      })
  )

  it.effect("a time of the run in the future gets a warning", () =>
    Effect.gen(function* () {
      const upload = (at: string) => succeed(["ingest", file("one.xml"), "--finished-at", at], gitHub("ahead"))
      assert.match(
        yield* upload("2999-01-01T00:00:00Z"),
        /warning: .*2999-01-01.*is in the future: the time of arrival/
      )
      assert.notInclude(yield* upload("2026-01-01T00:00:00Z"), "warning")
    })
  )

  it.effect("several files count once under one idempotency key, in any order", () =>
    Effect.gen(function* () {
      const args = ["ingest", "--idempotency-key", "k", "--json"]
      yield* succeed([...args, file("one.xml"), file("two.xml")], gitHub("keyed"))
      const { reports } = JSON.parse(yield* succeed([...args, file("two.xml"), file("one.xml")], gitHub("keyed")))
      assert.deepStrictEqual(
        reports.map((each: { executions: { duplicates: number } }) => each.executions.duplicates),
        [1, 1]
      )
    })
  )

  it.effect("a report that the server refuses does not stop the others, and the command fails", () =>
    Effect.gen(function* () {
      const args = ["ingest", "--repo", "acme/partly", "--idempotency-key", "k"]
      const env = { ...gitHub("partly"), GITHUB_JOB: "a" }
      yield* succeed([...args, file("one.xml"), file("two.xml")], env)
      const ended = yield* lazaret(
        ["ingest", file("one.xml"), file("clean.xml"), "--job", "x", "--idempotency-key", "k", "--json"],
        env
      )
      const { failures, reports } = JSON.parse(ended.stdout)
      assert.strictEqual(ended.exitCode, 5)
      assert.deepStrictEqual([failures.length, reports.length], [1, 1])
      assert.match(ended.stderr, /^lazaret: 1 of 2 reports not uploaded/)
    })
  )

  it.effect("a report of spans names its own run", () =>
    Effect.gen(function* () {
      assert.match(yield* succeed(["ingest", "--repo", "acme/spans", file("d.json")], {}), /d\.json +1 +1/)
    })
  )
})

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("the quarantine gate", (it) => {
  const check = (repository: string, ...args: ReadonlyArray<string>) =>
    lazaret(["quarantine", "check", ...args], gitHub(repository))

  it.effect("the gate passes when nothing failed, unless the test command failed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* check("none", file("clean.xml")), {
        exitCode: 0,
        stdout: "no report has a failure\n",
        stderr: ""
      })
      const { exitCode, stderr } = yield* check("none", "--tests-ended", "7", file("clean.xml"))
      assert.strictEqual(exitCode, 7)
      assert.match(stderr, /The tests ended with 7, but no report has a failure/)
    })
  )

  it.effect("the quarantine gate does not pass a folder with half a report, and reads the rest of it", () =>
    Effect.gen(function* () {
      mkdirSync(file("half"))
      writeFileSync(file("half/clean.xml"), report("a"))
      writeFileSync(file("half/cut.xml"), report("b", "failed").slice(0, 60))
      writeFileSync(file("half/empty.xml"), "")
      const half = yield* check("none", file("half"))
      assert.deepStrictEqual([half.exitCode, half.stdout], [2, "no report has a failure\n"])
      assert.match(
        half.stderr,
        /^lazaret: .*cut\.xml: It cannot be read: [^]*\nlazaret: Incomplete report: .*cut\.xml .*\n$/
      )
      assert.strictEqual((yield* check("none", "--tests-ended", "7", file("half"))).exitCode, 7)
      writeFileSync(file("half/failed.xml"), report("c", "failed"))
      assert.strictEqual((yield* check("none", file("half"))).exitCode, 10)
    })
  )

  it.effect("the quarantine gate leaves the exit code of the tests when there is no report", () =>
    Effect.gen(function* () {
      mkdirSync(file("nothing"))
      writeFileSync(file("nothing/results.tap"), "ok 1")
      for (const [testsEnded, exitCode] of [
        ["0", 2],
        ["7", 7]
      ] as const) {
        const ended = yield* check("none", "--tests-ended", testsEnded, file("nothing"))
        assert.strictEqual(ended.exitCode, exitCode)
        assert.match(ended.stderr, /There is no report in the folder .*nothing .*: it holds results\.tap\./)
      }
    })
  )

  it.effect("the gate passes only when every failure is quarantined on the base branch of the pull request", () =>
    Effect.gen(function* () {
      const add = (test: string, ...more: ReadonlyArray<string>) =>
        succeed(["quarantine", "add", "--force", test, "--reason", "slow", "--json", ...more], gitHub("gate"))
      const first = yield* check("gate", file("one.xml"), file("two.xml"))
      assert.strictEqual(first.exitCode, 10)
      assert.match(
        first.stdout,
        /^✗ a\.B\.one: new test that fails: .* · http.*\n✗ a\.B\.two: new test that fails: .*\n$/
      )
      assert.match(first.stderr, /^lazaret: 2 of 2 failed tests are not quarantined\.\n$/)
      const { id } = JSON.parse(yield* add("a.B.one", "--branch", "main"))
      assert.deepStrictEqual(JSON.parse(yield* add("a.B.one", "--branch", "main")), { id }, "the same again")
      yield* add("a.B.two", "--branch", "release")
      const second = yield* check("gate", "--json", file("one.xml"), file("two.xml"))
      assert.strictEqual(second.exitCode, 10)
      const { failures, ...checked } = JSON.parse(second.stdout)
      assert.deepStrictEqual(checked, {
        quarantined_tests_names: ["a.B.one"],
        non_quarantined_tests_names: ["a.B.two"],
        missing: []
      })
      assert.deepStrictEqual(
        failures.map((each: { readonly is_blocking: boolean }) => each.is_blocking),
        [false, true]
      )
      assert.strictEqual((yield* check("gate", file("one.xml"))).exitCode, 0)
      assert.strictEqual((yield* check("gate", "--branch", "release", file("two.xml"))).exitCode, 0)
    })
  )

  it.effect("the gate follows the list of quarantines, from which tests are removed by name or by id", () =>
    Effect.gen(function* () {
      const quarantine = (...args: ReadonlyArray<string>) => succeed(["quarantine", ...args], gitHub("list"))
      assert.strictEqual((yield* lazaret(["quarantine", "list"], gitHub("list"))).exitCode, 5)
      yield* quarantine("add", "--force", "a.B.one", "--reason", "slow")
      const { id } = JSON.parse(
        yield* quarantine("add", "--force", "a.B.two", "--reason", "odd\u001B[2J", "--branch", "topic", "--json")
      )
      const shown = yield* quarantine("list")
      assert.match(
        shown,
        /^test +where +since +ends +by +recovered +reason +id\na\.B\.one +every branch .* never +key [0-9a-f]+ +no +slow/
      )
      assert.notInclude(shown, "\u001B")
      const other = yield* lazaret(["quarantine", "remove", "a.B.two"], gitHub("list"))
      assert.strictEqual(other.exitCode, 5)
      assert.match(other.stderr, /a\.B\.two is not quarantined on every branch\. It is on: give --branch topic\./)
      yield* quarantine("remove", "a.B.one")
      yield* quarantine("remove", id)
      const left = JSON.parse(yield* quarantine("list", "--json"))
      assert.deepStrictEqual(left, { size: 0, per_page: null, quarantined_tests: [] })
    })
  )

  it.effect("a second quarantine of a test with another reason is a conflict", () =>
    Effect.gen(function* () {
      const args = (reason: string) => ["quarantine", "add", "--force", "t", "--reason", reason]
      yield* succeed(args("a"), gitHub("twice"))
      const { exitCode, stderr } = yield* lazaret(args("b"), gitHub("twice"))
      assert.strictEqual(exitCode, 5)
      assert.match(stderr, /already quarantined/)
    })
  )
})
