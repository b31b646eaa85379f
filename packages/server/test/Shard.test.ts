import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-shard-"))

afterAll(() => rmSync(folder, { recursive: true }))

const files = Array.from({ length: 12 }, (_, index) => `tests/test_${String(index).padStart(2, "0")}.py`)

/** The command against the server, or against an address at which nobody listens. */
const shard = (args: ReadonlyArray<string>, names: ReadonlyArray<string> = files, isAway = false) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    run(["shard", ...args, ...names], {
      LAZARET_URL: isAway ? "http://127.0.0.1:9" : Server.urlOf(server),
      LAZARET_TOKEN: "key",
      LAZARET_REPO: "acme/shards"
    })
  )

const of = (runId: string, index: number, total = 3) => [
  "--run-id",
  runId,
  "--job",
  "unit",
  "--index",
  `${index}`,
  "--total",
  `${total}`
]

const namesIn = ({ stdout }: { readonly stdout: string }) => stdout.split("\n").filter((line) => line !== "")

/** Uploads a run in which the file with the number takes this many seconds. */
const upload = (runId: string, secondsOf: (number: number) => number) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    Effect.promise(async () => {
      const query = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", commit: runId, branch: "main" })
      const cases = files.map(
        (file, number) => `<testcase name="t${number}" file="${file}" time="${secondsOf(number)}"/>`
      )
      const response = await fetch(`${Server.urlOf(server)}/v1/ci/acme/repositories/shards/reports?${query}`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/xml" },
        body: `<testsuite>${cases.join("")}</testsuite>`
      })
      assert.strictEqual(response.status, 201)
    })
  )

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("lazaret shard", (it) => {
  const test = stepsOf(it)
  test("all shards and a rerun of one share the plan of the first, whatever is uploaded in between", function* () {
    yield* upload("c1", (number) => (number === 0 ? 300 : 10))
    const first = yield* shard(of("run 1", 1))
    assert.strictEqual(first.exitCode, 0)
    assert.match(first.stderr, /3 shards by count: 5\.5 min; by time: 5\.0 min; the longest file bounds it at 5\.0 min/)
    assert.match(first.stderr, /tests\/test_00\.py alone takes 2\.2 × a shard/)
    yield* upload("c2", (number) => 400 - 30 * number)
    const shares = [first, yield* shard(of("run 1", 2), files.toReversed()), yield* shard(of("run 1", 3))]
    assert.deepStrictEqual(shares.flatMap(namesIn).sort(), files)
    assert.deepStrictEqual(namesIn(yield* shard(of("run 1", 1))), namesIn(first), "the rerun")
  })

  test("the union of all shards is the whole list when the server is lost between shards", function* () {
    const [here, away] = [yield* shard(of("run 2", 1)), yield* shard(of("run 2", 2), files, true)]
    assert.deepStrictEqual(namesIn(away), files, "a shard without a server runs all")
    assert.strictEqual(away.exitCode, 0)
    assert.match(away.stderr, /This shard runs all 12 names\./)
    assert.isBelow(namesIn(here).length, files.length)
    const failing = yield* shard([...of("run 2", 3), "--when-away", "fail"], files, true)
    assert.deepStrictEqual([failing.exitCode, failing.stdout], [4, ""])
  })

  test("with a plan file, shards with and without a server make one plan, also of a new file", function* () {
    const plan = join(folder, "plan.json")
    const printed = yield* shard(["plan"], files)
    assert.strictEqual(printed.exitCode, 0)
    writeFileSync(plan, printed.stdout)
    const all = [...files, "tests/test_new.py"]
    const asked = (index: number, isAway: boolean) => shard([...of("run 3", index), "--when-away", plan], all, isAway)
    // An earlier plan must not change the shares: shards without a server do not know it.
    const shares = [yield* asked(1, false), yield* asked(2, true), yield* asked(3, false)]
    assert.deepStrictEqual(
      shares.map(({ exitCode }) => exitCode),
      [0, 0, 0]
    )
    assert.deepStrictEqual(shares.flatMap(namesIn).sort(), all)
    yield* shard(of("run 4", 1))
    writeFileSync(plan, JSON.stringify({ by: "file", durations: [{ name: files[3], seconds: 900 }] }))
    const other = yield* shard([...of("run 4", 1), "--when-away", plan])
    assert.deepStrictEqual([other.exitCode, other.stdout], [2, ""])
    assert.match(other.stderr, /is not the plan of the run run 4/)
  })

  test("a shard that does not belong to the plan, or has no place in it, exits with 2 and prints nothing", function* () {
    yield* shard(of("run 5", 1))
    const refused: ReadonlyArray<readonly [args: ReadonlyArray<string>, names: ReadonlyArray<string>, line: RegExp]> = [
      [of("run 5", 1, 4), files, /are 3, and this one says that there are 4/],
      [of("run 5", 2), files.slice(1), /have a list of 12 names, and this one has 11/],
      [of("run 5", 2), [...files.slice(1), "tests/unknown.py"], /and this one has other names/],
      [[...of("run 5", 2), "--by", "class"], files, /are split by file, and this one by class/],
      [of("run 5", 4), files, /--index 4 is above --total 3/],
      [of("run 5", 0), files, /not between 1 and 1000/],
      [["--index", "1", "--total", "2"], files, /--run-id and --job/],
      [["--run-id", "r", "--job", "unit"], files, /--index and --total/],
      [[...of("run 6", 1), "--when-away", join(folder, "none.json")], files, /There is no file/]
    ]
    for (const [args, names, line] of refused) {
      const ended = yield* shard(args, names)
      assert.match(ended.stderr, line)
      assert.deepStrictEqual([ended.exitCode, ended.stdout], [2, ""], args.join(" "))
    }
  })

  test("a test that never ended, and one that took no time, are in one shard each", function* () {
    const pkg = (name: string) => `example.com/shop/${name}`
    const events = [
      { Action: "start", Package: pkg("hangs") },
      { Action: "run", Package: pkg("hangs"), Test: "TestHangs" },
      { Action: "output", Package: pkg("hangs"), Test: "TestHangs", Output: "panic: test timed out after 10m0s\n" },
      { Action: "fail", Package: pkg("hangs"), Elapsed: 600 },
      { Action: "start", Package: pkg("quick") },
      { Action: "run", Package: pkg("quick"), Test: "TestQuick" },
      { Action: "pass", Package: pkg("quick"), Test: "TestQuick", Elapsed: 0 },
      { Action: "pass", Package: pkg("quick"), Elapsed: 0 },
      { Action: "run", Package: pkg("slow"), Test: "TestSlow" },
      { Action: "pass", Package: pkg("slow"), Test: "TestSlow", Elapsed: 9 },
      { Action: "pass", Package: pkg("slow"), Elapsed: 9 }
    ]
    const server = yield* HttpServer.HttpServer
    const answer = yield* Effect.promise(() =>
      fetch(
        `${Server.urlOf(server)}/v1/ci/acme/repositories/shards/reports?pipeline_name=CI&job_name=go&commit=c3&branch=main`,
        {
          method: "POST",
          headers: { authorization: "Bearer key", "content-type": "application/x-ndjson" },
          body: events.map((event) => `${JSON.stringify(event)}\n`).join("")
        }
      )
    )
    assert.strictEqual(answer.status, 201, yield* Effect.promise(() => answer.text()))
    const names = ["hangs", "quick", "slow", "new"].map(pkg)
    const shares = yield* Effect.forEach([1, 2], (index) => shard([...of("run 8", index, 2), "--by", "class"], names))
    assert.deepStrictEqual(shares.flatMap(namesIn).sort(), names.toSorted())
    assert.deepStrictEqual(
      shares.map(({ exitCode }) => exitCode),
      [0, 0]
    )
    assert.match(shares[0]?.stderr ?? "", /2 shards by count: .* by time: \d/u)
  })

  test("files of no recorded duration, and more shards than files, still run once each", function* () {
    const names = ["unknown/a.py", "unknown/b.py"]
    const shares = yield* Effect.forEach([1, 2, 3], (index) => shard(of("run 7", index), names))
    assert.deepStrictEqual(
      shares.map(({ exitCode }) => exitCode),
      [0, 0, 0]
    )
    assert.deepStrictEqual(shares.flatMap(namesIn).sort(), names)
    assert.match(shares[0]?.stderr ?? "", /split by count: no file of the list has a recorded duration/)
  })
})
