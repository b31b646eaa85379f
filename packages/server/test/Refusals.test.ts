import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { adminKey } from "./lazaretProcess.ts"
import { settings } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-"))

const file = (name: string) => join(folder, name)

const report = (name: string) => `<testsuite name="s"><testcase classname="a.B" name="${name}"/></testsuite>`

writeFileSync(file("good.xml"), report("good"))
writeFileSync(file("other.xml"), report("other"))
writeFileSync(file("notes.xml"), "no report at all")
writeFileSync(file("notes.txt"), "no report at all")
writeFileSync(file("cut.xml.gz"), gzipSync(report("good")).subarray(0, 40))
mkdirSync(file("empty"))
writeFileSync(file("cut.xml"), report("good").slice(0, 40))

afterAll(() => rmSync(folder, { recursive: true }))

const ingest = ["ingest", "--repo", "acme/widgets", "--pipeline", "CI", "--job", "unit", "--commit", "c1"]

const elsewhere = ["--url", "https://x.test"]

const nowhere = ["--url", "http://127.0.0.1:1", "--token", "k"]

type Case = readonly [
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  exitCode: number,
  line: RegExp
]

const cases: Readonly<Record<string, Case>> = {
  "no such command": [["ingets"], {}, 2, /There is no command ingets\. Did you mean ingest\? See lazaret --help/],
  "no such command below another, with flags of its own": [
    ["tests", "serach", "--repo", "acme/widgets"],
    {},
    2,
    /^lazaret tests: There is no command serach\. Did you mean search\? See/
  ],
  "no such flag": [["ingest", "--repos", "x"], {}, 2, /There is no flag --repos\. Did you mean --repo\?/],
  "no repository at all": [["ingest", file("good.xml")], {}, 2, /no repository: give --repo .*LAZARET_REPO/],
  "no run": [
    ["ingest", "--repo", "acme/widgets", "--job", "unit", file("good.xml")],
    {},
    2,
    /Give --pipeline, --commit: .*GitHub Actions/
  ],
  "a run that the CI system does not tell": [
    ["ingest", file("good.xml")],
    { BUILDKITE: "true", BUILDKITE_REPO: "git@github.com:acme/widgets.git", BUILDKITE_COMMIT: "c1" },
    2,
    /Give --pipeline, --job: Buildkite does not say/
  ],
  "an invalid time": [
    [...ingest, "--finished-at", "yesterday", file("good.xml")],
    {},
    2,
    /"yesterday" is not an instant/
  ],
  "a repository that no path can name": [
    ["ingest", "--repo", "acme/..", "a.xml"],
    {},
    2,
    /"acme\/\.\." is not a repository/
  ],
  "no file": [ingest, {}, 2, /The argument report\.xml is missing\. See lazaret ingest --help/],
  "no repository": [["ingest", "--repo", "acme"], {}, 2, /"acme" is not a repository: write owner\/repository/],
  "no number": [
    [...ingest, "--run-attempt", "x", file("good.xml")],
    {},
    2,
    /--run-attempt is "x", expected a whole number\. See/
  ],
  "an attempt before the first": [[...ingest, "--run-attempt", "0", file("good.xml")], {}, 2, /"0" is not an attempt/],
  "an invalid pull request": [
    [...ingest, "--pull-request", "{", file("good.xml")],
    {},
    2,
    /"\{" is not a pull request: write its number, or JSON with id, number, title and user\./
  ],
  "a missing file": [[...ingest, file("none.xml")], {}, 2, /There is no file .*none\.xml/],
  "a folder without reports": [[...ingest, file("empty")], {}, 2, /no report in the folder .*empty/],
  "a pattern that matches nothing": [[...ingest, file("*.tap")], {}, 2, /No file matches .*\*\.tap/],
  "half a packed report": [[...ingest, file("cut.xml.gz")], {}, 2, /cut\.xml\.gz: It is not a whole gzip file/],
  "no format": [[...ingest, file("notes.txt")], {}, 2, /notes\.txt: It cannot be read: .*Readable are/],
  "no report": [[...ingest, file("notes.xml")], {}, 2, /notes\.xml: It cannot be read/],
  "half a report": [[...ingest, file("cut.xml")], {}, 2, /cut\.xml: It cannot be read/],
  "no key": [[...ingest, file("good.xml")], { LAZARET_DATA_DIR: folder }, 2, /There is no key.*LAZARET_TOKEN/],
  "no key for elsewhere": [[...ingest, ...elsewhere, file("good.xml")], {}, 2, /There is no key.*LAZARET_TOKEN/],
  "no address": [[...ingest, "--url", "x", file("good.xml")], {}, 2, /"x" is not the address of a server/],
  "no server": [
    [...ingest, ...nowhere, file("good.xml")],
    {},
    4,
    /There is no server at http:\/\/127\.0\.0\.1:1\. Start it/
  ],
  "too small a demonstration": [["demo", "--tests", "3"], {}, 2, /"3" is not between 50 and 20000/],
  "a wrong port": [["serve"], { PORT: "x" }, 3, /PORT is "x": set it to a number/],
  "a key that is guessed": [
    ["serve"],
    { LAZARET_ADMIN_KEY: "a" },
    3,
    /LAZARET_ADMIN_KEY cannot be used: .*at least 16/
  ],
  "an unknown store": [["serve"], { LAZARET_STORE: "redis" }, 3, /LAZARET_STORE is "redis"/],
  "a store without its address": [["serve"], { LAZARET_STORE: "postgres" }, 3, /DATABASE_URL is not set: set it to/],
  "a database that is not there": [
    ["serve"],
    { DATABASE_URL: "postgres://ada:secret@127.0.0.1:1/lazaret", LAZARET_ADMIN_KEY: adminKey },
    3,
    /ECONNREFUSED 127\.0\.0\.1:1\. Check DATABASE_URL, and that the server runs there\.\n$/
  ],
  "tables of a store that has none": [["migrate"], { LAZARET_STORE: "memory" }, 2, /memory, which has no tables/],
  "an unusable data folder": [["serve"], { LAZARET_DATA_DIR: file("good.xml/data") }, 3, /data cannot be used/],
  "no address of this machine": [
    ["serve"],
    { HOST: "203.0.113.7", LAZARET_ADMIN_KEY: adminKey, LAZARET_STORE: "memory" },
    3,
    /HOST is "203\.0\.113\.7"/
  ]
}

describe("a command that cannot be carried out says why in one line", () => {
  for (const [name, [args, env, exitCode, line]] of Object.entries(cases)) {
    test.live(name, () =>
      Effect.gen(function* () {
        const ended = yield* run(args, env)
        assert.strictEqual(ended.stdout, "")
        assert.match(ended.stderr, line)
        assert.match(ended.stderr, /^lazaret[^\n]*\n$/)
        assert.notInclude(ended.stderr, "secret")
        assert.strictEqual(ended.exitCode, exitCode)
      })
    )
  }
})

layer(Server.layer(settings, Redacted.make("the key")), { excludeTestServices: true })(
  "a server refuses in one line",
  (it) => {
    const upload = (...args: ReadonlyArray<string>) =>
      Effect.flatMap(HttpServer.HttpServer, (server) =>
        run([...ingest, ...args], { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: "the key" })
      )

    it.effect("a server refuses a wrong key in one line", () =>
      Effect.gen(function* () {
        const { exitCode, stderr } = yield* upload("--token", "wrong", file("good.xml"))
        assert.match(stderr, /^lazaret: .*refused the key.*LAZARET_TOKEN.*\n$/)
        assert.strictEqual(exitCode, 5)
      })
    )

    it.effect("an idempotency key that was used for another report", () =>
      Effect.gen(function* () {
        assert.strictEqual(
          (yield* upload("--job-url", "https://ci.test/1", "--idempotency-key", "k", file("good.xml"))).exitCode,
          0
        )
        const { exitCode, stderr } = yield* upload("--idempotency-key", "k", file("other.xml"))
        assert.match(stderr, /^lazaret: .*other\.xml: This idempotency key was used .*\n$/)
        assert.strictEqual(exitCode, 5)
      })
    )

    it.effect("a folder with half a report and an empty one: the whole ones are uploaded, the others are named", () =>
      Effect.gen(function* () {
        mkdirSync(file("mixed"))
        writeFileSync(file("mixed/cut.xml"), report("cut").slice(0, 40))
        writeFileSync(file("mixed/empty.xml"), "")
        writeFileSync(file("mixed/good.xml"), report("mixed good"))
        writeFileSync(file("mixed/other.xml"), report("mixed other"))
        const context = ["--branch", "main", "--run-id", "7", "--run-attempt", "2"]
        const mixed = yield* upload(...context, file("mixed"))
        assert.strictEqual(mixed.exitCode, 2)
        assert.match(mixed.stderr, /^lazaret: .*cut\.xml: It cannot be read: .*$/m)
        assert.match(mixed.stderr, /^lazaret: .*empty\.xml: It cannot be read: .*$/m)
        assert.match(mixed.stderr, /\nlazaret: 2 of 4 reports not uploaded; the others are recorded\. .*\n$/)
        const after = yield* upload(...context, "--json", file("mixed"))
        const { failures, reports } = JSON.parse(after.stdout)
        assert.deepStrictEqual(
          reports.map((each: { readonly executions: object }) => each.executions),
          [0, 1].map(() => ({ received: 1, recorded: 0, duplicates: 1, skipped: 0 }))
        )
        assert.deepStrictEqual(
          failures.map((each: { readonly file: string }) => each.file),
          [file("mixed/cut.xml"), file("mixed/empty.xml")]
        )
      })
    )
  }
)
