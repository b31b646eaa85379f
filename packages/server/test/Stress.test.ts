import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"
import { env, placeOf, stress, twice } from "./stress.ts"

/** A command whose test `swings` fails in the runs with these numbers; it counts its runs and its arguments. */
const tests = (place: string, failing: ReadonlyArray<number>): ReadonlyArray<string> => {
  const script = `
    const fs = require("fs"), count = ${JSON.stringify(join(place, "count"))}
    const n = fs.existsSync(count) ? Number(fs.readFileSync(count, "utf8")) + 1 : 1
    fs.writeFileSync(count, String(n))
    const isBad = ${JSON.stringify(failing)}.includes(n)
    const of = (name) => "<testcase name='" + name + "' time='0." + n + "'>" + (isBad && name === "swings" ? "<failure message='no'/>" : "") + "</testcase>"
    fs.writeFileSync(${JSON.stringify(join(place, "r.xml"))}, "<testsuite>" + process.argv.slice(1).map(of).join("") + "</testsuite>")
    process.exit(isBad ? 1 : 0)`
  return ["node", "-e", script, "{tests}"]
}

/** Uploads 24 runs of three days of the default branch, in which `swings` fails and passes on every second commit. */
const flakyPast = (url: string) =>
  Effect.promise(async () => {
    for (let index = 0; index < 24; index++) {
      const isBad = index % 4 === 0
      const query = new URLSearchParams({
        pipeline_name: "CI",
        job_name: "unit",
        commit: `p${Math.floor(index / 2)}`,
        run_id: `${index}`,
        branch: "main",
        finished_at: new Date(Date.now() - (72 - 2 * index) * 3_600_000).toISOString()
      })
      const answer = await fetch(`${url}/v1/ci/acme/repositories/stress/reports?${query}`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/xml" },
        body: `<testsuite><testcase name="swings" time="0.1">${isBad ? "<failure message='no'/>" : ""}</testcase></testsuite>`
      })
      assert.strictEqual(answer.status, 201)
    }
  })

const runsOf = (place: string) => Number(readFileSync(join(place, "count"), "utf8"))

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("lazaret stress", (it) => {
  it.effect("clean runs end at the number that the bound needs, and say what they prove", () =>
    Effect.gen(function* () {
      const place = yield* placeOf
      const output = join(place, "judgement.txt")
      const names = ["--tests", "steady", "--tests", "swings", "--output", output]
      const ended = yield* stress(place, ["--below", "50%", ...names], tests(place, []))
      assert.strictEqual(ended.exitCode, 0, ended.stderr)
      assert.strictEqual(runsOf(place), 5)
      assert.include(ended.stdout, "2 tests, 5 clean runs each: below 45.1 % with 95 %")
      assert.include(readFileSync(output, "utf8"), `"judgement": "clean"`)
      const shown = yield* run(["tests", "show", "steady", "--repo", "acme/stress"], yield* env)
      assert.match(
        shown.stdout,
        /stress run of .* on c1: 5 clean runs: fails in less than 45\.1 % of its runs, with 95 %/u
      )
    })
  )

  it.effect(
    "the first contradiction ends the runs, and the server has every one of them as an attempt of one run",
    () =>
      Effect.gen(function* () {
        const place = yield* placeOf
        const ended = yield* stress(place, ["--tests", "swings"], tests(place, [3]))
        assert.strictEqual(ended.exitCode, 10, ended.stderr)
        assert.strictEqual(runsOf(place), 3)
        assert.include(ended.stdout, "swings: passed 2 and failed 1 of 3 runs on one commit: it is flaky")
        const { LAZARET_URL: url } = yield* env
        const verdict = yield* Effect.promise(async () => {
          const path = "/v1/ci/acme/repositories/stress/commits/c1/failures"
          return await (await fetch(`${url}${path}`, { headers: { authorization: "Bearer key" } })).text()
        })
        assert.match(verdict, /"run_id":"c1-stress-[0-9a-z]+","run_attempt":3/u)
        assert.include(verdict, `"kind":"passed_on_rerun"`)
      })
  )

  it.effect(
    "a flaky test is quarantined, and clean runs on a commit of the default branch release it where a setting says so",
    () =>
      Effect.gen(function* () {
        const place = yield* placeOf
        const variables = { ...(yield* env), LAZARET_REPO: "acme/stress" }
        yield* flakyPast(variables.LAZARET_URL)
        const listed = Effect.map(run(["quarantine", "list"], variables), ({ stdout }) => /\bswings\b/u.test(stdout))
        // The automation evaluates an upload after its answer.
        const becomes = (isListed: boolean) =>
          Effect.repeat(Effect.delay(listed, "20 millis"), { until: (is) => is === isListed, times: 100 })
        const settled = ["auto_quarantine=flaky", "auto_quarantine_policy.stress_runs=5"]
        assert.strictEqual((yield* run(["repo", "set", ...settled], variables)).exitCode, 0)
        const begun = ["ingest", "--pipeline", "CI", "--job", "unit", "--commit", "p12", "--branch", "main"]
        writeFileSync(join(place, "first.xml"), `<testsuite><testcase name="swings"/></testsuite>`)
        const uploaded = yield* run([...begun, join(place, "first.xml")], variables)
        assert.strictEqual(uploaded.exitCode, 0, uploaded.stderr)
        assert.isTrue(yield* becomes(true), "quarantined")
        const clean = (on: ReadonlyArray<string>) =>
          stress(place, ["--below", "50%", "--tests", "swings"], tests(place, []), on)
        assert.strictEqual((yield* clean(["--commit", "c9", "--branch", "topic"])).exitCode, 0)
        assert.isTrue(yield* listed, "a commit of another branch proves nothing")
        assert.strictEqual((yield* clean(["--commit", "fixed", "--branch", "main"])).exitCode, 0)
        assert.isFalse(yield* becomes(false), "released")
        const events = yield* run(["events", "--type", "quarantine.removed", "--json"], variables)
        assert.match(events.stdout, /"stress_runs": ?5/u)
        assert.match(events.stdout, /"stress_commit": ?"fixed"/u)
      })
  )

  it.effect("a test that fails three times is broken and not run again", () =>
    Effect.gen(function* () {
      const place = yield* placeOf
      const ended = yield* stress(place, ["--tests", "swings"], tests(place, [1, 2, 3, 4]))
      assert.deepStrictEqual([ended.exitCode, runsOf(place)], [10, 3])
      assert.include(ended.stdout, "swings: failed in each of 3 runs: it is broken")
    })
  )

  it.effect(
    "--new runs the tests of the reports that have not run on the default branch, and none when all are known",
    () =>
      Effect.gen(function* () {
        const place = yield* placeOf
        const report = join(place, "first.xml")
        const main = [
          "--repo",
          "acme/stress",
          "--pipeline",
          "CI",
          "--job",
          "unit",
          "--commit",
          "c0",
          "--branch",
          "main"
        ]
        writeFileSync(report, `<testsuite><testcase name="old"/></testsuite>`)
        assert.strictEqual((yield* run(["ingest", ...main, report], yield* env)).exitCode, 0)
        const none = yield* stress(place, ["--new"], tests(place, []))
        assert.deepStrictEqual([none.exitCode, /no new test/u.test(none.stdout)], [0, true])
        writeFileSync(report, `<testsuite><testcase name="old"/><testcase name="fresh"/></testsuite>`)
        const ended = yield* stress(place, ["--new", ...twice], tests(place, []))
        assert.strictEqual(ended.exitCode, 0, ended.stderr)
        assert.include(ended.stdout, "1 test, 2 clean runs each")
        assert.notInclude(ended.stdout, "old")
      })
  )

  it.effect(
    "a command that cannot be filled, two sources, a name without a result and a wrong percentage exit with 2",
    () =>
      Effect.gen(function* () {
        const place = yield* placeOf
        const cases = [
          [["--tests", "a"], ["node", "-e", "0"], /has no placeholder/u],
          [[], ["node", "{tests}"], /Give one of --tests/u],
          [["--tests", "a", "--new"], ["node", "{tests}"], /Give one of --tests/u],
          [["--tests", "a", "--until", "100%"], ["node", "{tests}"], /not a percentage/u],
          [["--tests", "a"], ["node", "-e", "0", "{tests}"], /wrote no report/u]
        ] as const
        for (const [args, command, sentence] of cases) {
          const ended = yield* stress(place, args, command)
          assert.deepStrictEqual([ended.exitCode, sentence.test(ended.stderr)], [2, true], ended.stderr)
        }
        const other = yield* stress(
          place,
          ["--tests", "absent"],
          [...tests(place, []).slice(0, -1), "present{pattern}"]
        )
        assert.deepStrictEqual([other.exitCode, /No report has a result of absent/u.test(other.stderr)], [2, true])
      })
  )
})
