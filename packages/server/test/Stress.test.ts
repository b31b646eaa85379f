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
