import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, layer } from "@effect/vitest"
import { FirstVerdictPace } from "@lazaret/services"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-triage-"))

afterAll(() => rmSync(folder, { recursive: true }))

type Outcomes = Readonly<Record<string, "passed" | "failed">>

const report = (name: string, outcomes: Outcomes): string => {
  const path = join(folder, `${name}.xml`)
  const cases = Object.entries(outcomes).map(
    ([test, outcome]) =>
      `<testcase classname="Cart" name="${test}" time="1500">${outcome === "failed" ? `<failure message="no ${test}"/>` : ""}</testcase>`
  )
  writeFileSync(path, `<testsuite>${cases.join("")}</testsuite>`)
  return path
}

interface Job {
  readonly repo: string
  readonly commit: string
  readonly branch?: string
  readonly attempt?: number
}

/** First verdicts are kept soon after a report. */
const lately = Server.layer(settings, Redacted.make("key")).pipe(
  Layer.provide(Layer.succeed(FirstVerdictPace, { pause: 20, every: 20 }))
)

layer(lately, { excludeTestServices: true })("lazaret triage", (it) => {
  const lazaret = (args: ReadonlyArray<string>) =>
    Effect.flatMap(HttpServer.HttpServer, (server) =>
      run(args, { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: "key", PATH: process.env["PATH"] ?? "" })
    )

  const contextOf = ({ attempt = 1, branch = "topic", commit, repo }: Job) => {
    const named = ["--repo", repo, "--pipeline", "CI", "--job", "unit", "--commit", commit, "--branch", branch]
    const base = branch === "main" ? [] : ["--base-branch", "main"]
    return [...named, ...base, "--run-id", commit, "--run-attempt", String(attempt)]
  }

  const ingest = Effect.fnUntraced(function* (job: Job, outcomes: Outcomes) {
    const path = report(`${job.repo.replace("/", " ")} ${job.commit} ${job.attempt ?? 1}`, outcomes)
    const { exitCode, stderr } = yield* lazaret(["ingest", path, ...contextOf(job)])
    assert.strictEqual(exitCode, 0, stderr)
  })

  const settingsOf = (repo: string, gate: object) =>
    Effect.flatMap(HttpServer.HttpServer, (server) =>
      Effect.promise(() => {
        const [owner, repository] = repo.split("/")
        return fetch(`${Server.urlOf(server)}/v1/ci/${owner}/repositories/${repository}/settings`, {
          method: "PATCH",
          headers: { authorization: "Bearer key", "content-type": "application/json" },
          body: JSON.stringify({ gate })
        })
      })
    )

  it.effect("the command says whose each failure is, exits by what blocks, and follows a rerun and the base", () =>
    Effect.gen(function* () {
      const repo = "acme/triage"
      const green = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`green ${index}`, "passed"] as const))
      for (const commit of ["m1", "m2", "m3"]) {
        yield* ingest({ repo, commit, branch: "main" }, { ...green, sorts: "passed", totals: "failed" })
      }
      yield* ingest({ repo, commit: "p1" }, { ...green, sorts: "failed", totals: "failed", added: "failed" })
      const first = yield* lazaret(["triage", "--repo", repo, "--commit", "p1"])
      assert.strictEqual(first.exitCode, 10, first.stderr)
      assert.match(first.stdout, /✗ Cart\.added: new test that fails: never ran on main/u)
      assert.match(first.stdout, /✗ Cart\.totals: broken on the base branch: failed in the last 3 runs of main/u)
      assert.include(first.stdout, "3 failures: ")
      assert.match(first.stdout, /\/acme\/triage\/commits\/p1\n$/u)

      yield* ingest(
        { repo, commit: "p1", attempt: 2 },
        { ...green, sorts: "passed", totals: "failed", added: "failed" }
      )
      const second = yield* lazaret(["triage", "--repo", repo, "--run", "p1", "--json"])
      const answered = JSON.parse(second.stdout)
      const sorts = answered.failures.find((one: { test_name: string }) => one.test_name === "Cart.sorts")
      assert.strictEqual(sorts.verdict, "flaky")
      assert.strictEqual(sorts.reason, "passed on this commit in job unit")

      const files = { summary: join(folder, "summary.md"), annotations: join(folder, "annotations.json") }
      const flags = ["--summary", files.summary, "--annotations", files.annotations]
      yield* lazaret(["triage", "--repo", repo, "--commit", "p1", ...flags])
      assert.include(readFileSync(files.summary, "utf8"), "broken on the base branch")
      assert.include(readFileSync(files.annotations, "utf8"), "/acme/triage/tests/")

      const unknown = yield* lazaret(["triage", "--repo", repo, "--commit", "p9"])
      assert.notStrictEqual(unknown.exitCode, 0)
      assert.include(unknown.stderr, "commit p9")
    })
  )

  it.effect(
    "a flake of pull requests is shown before it reaches the default branch, and a test that never did says so",
    () =>
      Effect.gen(function* () {
        const repo = "acme/prflake"
        yield* ingest({ repo, commit: "m1", branch: "main" }, { flakes: "passed" })
        for (const pull of [1, 2]) {
          const job = { repo, commit: `p${pull}`, branch: `topic-${pull}` }
          yield* ingest(job, { flakes: "failed", fresh: "failed" })
          yield* ingest({ ...job, attempt: 2 }, { flakes: "passed", fresh: "failed" })
        }
        const known = yield* lazaret(["tests", "show", "Cart.flakes", "--repo", repo])
        assert.include(known.stdout, "Cart.flakes is flaky")
        assert.include(known.stdout, "It failed in 2 of 4 job runs of 2 other branches in the last 30 days.")
        const why = yield* lazaret(["tests", "explain", "Cart.flakes", "--repo", repo])
        assert.include(why.stdout, "failed and passed in one run of another branch")
        assert.include(why.stdout, "Other branches: It failed in 2 of 4 job runs")

        const sentence = "It has not run on the default branch. It failed in 4 of 4 job runs of 2 other branches"
        for (const command of ["show", "explain"]) {
          const fresh = yield* lazaret(["tests", command, "Cart.fresh", "--repo", repo])
          assert.strictEqual(fresh.exitCode, 0, fresh.stderr)
          assert.include(fresh.stdout, "Cart.fresh has no health yet")
          assert.include(fresh.stdout, sentence)
          assert.include(fresh.stdout, "topic-2")
        }
        const listed = yield* lazaret(["tests", "elsewhere", "--repo", repo, "--json"])
        assert.deepStrictEqual(
          JSON.parse(listed.stdout).tests.map((one: Record<string, unknown>) => [
            one["test_name"],
            one["failed"],
            one["branches"]
          ]),
          [["Cart.fresh", 4, 2]]
        )
        const unknown = yield* lazaret(["tests", "show", "Cart.none", "--repo", repo])
        assert.notStrictEqual(unknown.exitCode, 0)
        assert.include(unknown.stderr, "or on another branch in the last 30 days")
      })
  )

  it.effect("an outage is listed with the counts of all of its uploads", () =>
    Effect.gen(function* () {
      const repo = "acme/outage"
      const all = (outcome: "passed" | "failed", names: ReadonlyArray<string>) =>
        Object.fromEntries(names.map((name) => [name, outcome]))
      const none = yield* lazaret(["outages", "--repo", repo])
      assert.notStrictEqual(none.exitCode, 0)
      yield* ingest({ repo, commit: "m1", branch: "main" }, all("passed", ["a", "b", "c", "d", "e"]))
      yield* ingest({ repo, commit: "m2", branch: "main" }, all("failed", ["a", "b", "c"]))
      const path = report("another part", all("failed", ["d"]))
      yield* lazaret(["ingest", path, ...contextOf({ repo, commit: "m2", branch: "main" })])
      const listed = yield* lazaret(["outages", "--repo", repo])
      assert.match(listed.stdout, /4 of 5 +excused +CI +unit +m2/u)
    })
  )

  it.effect("the trend says how many job runs flakes alone made red, and how long the tests of these runs took", () =>
    Effect.gen(function* () {
      const job = { repo: "acme/cost", commit: "m1", branch: "main" }
      yield* ingest(job, { a: "failed", b: "passed", c: "passed" })
      yield* ingest({ ...job, attempt: 2 }, { a: "passed", b: "passed", c: "passed" })
      const { stdout } = yield* lazaret(["repo", "trend", "--repo", job.repo])
      assert.match(stdout, /^flaky tests +1 \(30 days ago 0\)$/mu)
      assert.match(stdout, /^red, all failing tests flaky now +1 \(50\.0 %\)$/mu)
      assert.match(stdout, /^time of their tests +1 h 15 min$/mu)
      assert.match(stdout, /\/acme\/cost$/mu)
    })
  )

  it.effect("what a job has just uploaded does not count as an earlier failure of it", () =>
    Effect.gen(function* () {
      const job = { repo: "acme/own", commit: "p1" }
      yield* ingest({ repo: "acme/own", commit: "m1", branch: "main" }, { sorts: "passed" })
      const path = join(folder, "own.xml")
      const write = `require("fs").writeFileSync(${JSON.stringify(path)}, require("fs").readFileSync(${JSON.stringify(report("own made", { sorts: "failed" }))})); process.exit(1)`
      const ended = yield* lazaret(["run", ...contextOf(job), "--reports", path, "--", "node", "-e", write])
      assert.strictEqual(ended.exitCode, 10, ended.stderr)
      const printed = `${ended.stdout}${ended.stderr}`
      assert.include(printed, "Cart.sorts: ")
      assert.notInclude(printed, "attempts")
      const uploaded = yield* lazaret(["triage", "--repo", job.repo, "--commit", job.commit])
      assert.include(uploaded.stdout, "Cart.sorts: ")
      assert.notInclude(uploaded.stdout, "attempts")
    })
  )

  it.effect("marks correct verdicts, and excuses end while flaky is wrong too often", () =>
    Effect.gen(function* () {
      const repo = "acme/marks"
      const green = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`green ${index}`, "passed"] as const))
      const names = [...Array.from({ length: 20 }, (_, index) => `test ${index}`), "other"]
      const failing = (...failed: ReadonlyArray<string>) => ({
        ...green,
        ...Object.fromEntries(
          names.map((name) => [name, failed.includes(name) ? ("failed" as const) : ("passed" as const)])
        )
      })
      const pairs = Array.from({ length: 10 }, (_, index) => [`test ${2 * index}`, `test ${2 * index + 1}`] as const)
      yield* ingest({ repo, commit: "f", branch: "main" }, failing())
      const none = yield* lazaret(["verdicts", "precision", "--repo", repo])
      assert.include(none.stdout, "there is no known outcome yet")
      // Each test has flaked once: a failure with the same message is a flake, as far as is known.
      for (const [index, pair] of [...pairs, ["other"]].entries()) {
        yield* ingest({ repo, commit: `f${index}`, branch: "main" }, failing(...pair))
        yield* ingest({ repo, commit: `f${index}`, branch: "main", attempt: 2 }, failing())
      }
      for (const [index, pair] of pairs.entries()) {
        yield* ingest({ repo, commit: `m${index}`, branch: "main" }, failing(...pair))
        const before = yield* lazaret(["triage", "--repo", repo, "--commit", `m${index}`])
        assert.include(before.stdout, "2 failures: 2 flaky")
      }
      const marked = yield* lazaret(["verdicts", "mark", "flaky", "Cart.test 0", "--repo", repo, "--commit", "m0"])
      assert.strictEqual(marked.stdout, "marked as flaky: Cart.test 0 in job unit (the verdict was flaky)\n")
      yield* lazaret(["verdicts", "mark", "real", "Cart.test 2", "--repo", repo, "--commit", "m1"])
      for (const [index, pair] of pairs.entries()) {
        yield* ingest({ repo, commit: `m${index}`, branch: "main", attempt: 2 }, failing(...pair))
      }
      const known = yield* lazaret(["verdicts", "precision", "--repo", repo])
      const [, right, cases] =
        /flaky was right in (\d+) of (\d+) known cases of the last 30 days/u.exec(known.stdout) ?? []
      // Of the 20 that failed again, the marked one counts as right.
      assert.strictEqual(Number(cases) - Number(right), 19)
      // Both failures of its job run were called flaky.
      assert.match(known.stdout, /would have run [1-9]\d* of \d+ job runs with a real failure again/u)

      yield* settingsOf(repo, { flaky: 0.01 })
      yield* ingest({ repo, commit: "last", branch: "main" }, failing("other"))
      const after = yield* lazaret(["triage", "--repo", repo, "--commit", "last", "--json"])
      const [failure] = JSON.parse(after.stdout).failures
      assert.deepStrictEqual([failure.verdict, failure.is_blocking], ["flaky", true])
      assert.include(
        failure.gate_reason,
        `the gate lets no flaky failures pass at the moment: flaky was right in ${right} of ${cases}`
      )
      const events = yield* Effect.repeat(lazaret(["events", "--repo", repo, "--type", "gate.excuses_suspended"]), {
        until: ({ stdout }) => stdout.includes("No failure passes the gate by its verdict any more"),
        schedule: Schedule.spaced("50 millis")
      })
      assert.strictEqual(events.exitCode, 0)

      const nothing = yield* lazaret(["verdicts", "mark", "real", "Cart.none", "--repo", repo, "--commit", "m0"])
      assert.strictEqual(nothing.exitCode, 2)
    })
  )
})
