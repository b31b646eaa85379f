import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-"))

const file = (name: string) => join(folder, name)

writeFileSync(file("queue.yml"), "queue_rules:\n  - name: hotfix\n  - name: default\n    checks_timeout: 90m\n")
writeFileSync(file("wrong.yml"), "queue_rules:\n  - name: default\n    batchsize: 3\n    batch_size: 0\n")
writeFileSync(file("large.yml"), "#".repeat(65_537))
writeFileSync(file("latin1.yml"), Buffer.from([0x23, 0xe9]))

afterAll(() => rmSync(folder, { recursive: true }))

const url = Effect.map(HttpServer.HttpServer, Server.urlOf)

const env = Effect.map(url, (address) => ({ LAZARET_URL: address, LAZARET_TOKEN: "key" }))

/** Runs `lazaret queue` for a repository of `acme`. */
const queue = (repository: string, command: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(env, (each) => run(["queue", command, "--repo", `acme/${repository}`, ...args], each))

/** Runs a command that succeeds and yields what it prints. */
const succeed = (repository: string, command: string, ...args: ReadonlyArray<string>) =>
  Effect.map(queue(repository, command, ...args), ({ exitCode, stderr, stdout }) => {
    assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
    return stdout
  })

const fails = (exitCode: number, line: RegExp) => (ended: { exitCode: number; stderr: string }) => {
  assert.match(ended.stderr, line)
  assert.match(ended.stderr, /^lazaret[^\n]*\n$/)
  assert.strictEqual(ended.exitCode, exitCode)
}

/** Sends events to the server, each about a pull request of a branch. */
const record = (repository: string, ...events: ReadonlyArray<object>) =>
  Effect.flatMap(url, (address) =>
    Effect.promise(async () => {
      const response = await fetch(`${address}/v1/repos/acme/${repository}/queue/events`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/json" },
        body: JSON.stringify({ events: events.map((each, index) => ({ id: `e${index}`, ...each })) })
      })
      assert.strictEqual(response.status, 200)
    })
  )

const queued = (branch: string, number: number, fields: object = {}) => ({
  at: "2026-06-30T11:00:00Z",
  branch,
  pull_request: number,
  kind: "queued",
  ...fields
})

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("a merge queue", (it) => {
  it.effect("`lazaret queue show` prints a table for each base branch, in merge order", () =>
    Effect.gen(function* () {
      const started = { at: "2026-06-30T11:01:00Z", kind: "checks_started", check_type: "draft_pr" }
      yield* record(
        "shown",
        queued("main", 7),
        queued("main", 1234, { priority: "high", queue_rule: "hotfix" }),
        queued("main", 1234, started),
        queued("release/4.2", 8, { priority: 2500 })
      )
      assert.strictEqual(
        yield* succeed("shown", "show"),
        [
          "main",
          "position  number  priority  rule     check        estimated merge",
          "0         1234    high      hotfix   pending      unknown",
          "1         7       medium    default  not started  unknown",
          "",
          "release/4.2",
          "position  number  priority  rule     check        estimated merge",
          "0         8       2500      default  not started  unknown",
          ""
        ].join("\n")
      )
    })
  )

  it.effect("`lazaret queue show` prints the estimated merge time of a pull request", () =>
    Effect.gen(function* () {
      const round = (number: number, minute: number) => [
        queued("main", number, { at: `2026-06-30T11:0${minute}:00Z` }),
        queued("main", number, {
          at: `2026-06-30T11:0${minute}:10Z`,
          kind: "checks_started",
          check_type: "draft_pr"
        })
      ]
      const ended = { at: "2026-06-30T11:02:00Z", kind: "checks_ended", state: "success" }
      const merged = { at: "2026-06-30T11:02:10Z", kind: "merged" }
      yield* record("estimated", ...round(1, 1), queued("main", 1, ended), queued("main", 1, merged), ...round(2, 3))
      assert.match(yield* succeed("estimated", "show"), /\n0 .* pending +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$/)
    })
  )

  it.effect("`lazaret queue show --json` prints the answer of the server", () =>
    Effect.gen(function* () {
      yield* record("programs", queued("main", 7))
      const { queue_pause, queues } = JSON.parse(yield* succeed("programs", "show", "--json"))
      assert.deepStrictEqual(queue_pause, [])
      assert.strictEqual(queues[0].pull_requests[0].queued_at, "2026-06-30T11:00:00.000Z")
      assert.strictEqual(queues[0].pull_requests[0].queue_rule.config.merge_method, "merge")
    })
  )

  it.effect("`lazaret queue show` prints a banner while the queue is paused", () =>
    Effect.gen(function* () {
      const paused = yield* succeed("paused", "pause", "--reason", "Release\u001B[2J\nis cut.")
      assert.match(
        paused,
        /^paused since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: Release\\u001b\[2J\\nis cut\.\nThe pause is only shown: .*\n$/
      )
      const [banner] = paused.split("\n")
      assert.strictEqual(yield* succeed("paused", "show"), `${banner}\n\nno pull request is queued\n`)
      const again = JSON.parse(yield* succeed("paused", "pause", "--json", "--reason", "x".repeat(255)))
      assert.strictEqual(again.queue_pause[0].reason, "x".repeat(255))
      assert.strictEqual(yield* succeed("paused", "unpause"), "the pause has ended\n")
      assert.strictEqual(yield* succeed("paused", "show"), "no pull request is queued\n")
      yield* queue("paused", "unpause").pipe(Effect.map(fails(5, /acme\/paused: .* is not paused\./)))
    })
  )

  it.effect("a mirror says that it takes no requests, and has nothing to explain", () =>
    Effect.gen(function* () {
      yield* record("mirrored", queued("main", 4))
      assert.match(
        yield* succeed("mirrored", "chain"),
        /^no base branch has an engine\. The merge queue knows no base branch/
      )
      assert.strictEqual(yield* succeed("mirrored", "log"), "the log is empty\n")
      assert.match(yield* succeed("mirrored", "preflight"), /^main: mode mirror; the rules matter/)
      yield* queue("mirrored", "why", "4").pipe(
        Effect.map(fails(5, /acme\/mirrored: Pull request 4 is not in a merge/))
      )
      yield* queue("mirrored", "add", "4").pipe(Effect.map(fails(5, /No merge queue .* knows an open pull request 4/)))
    })
  )

  it.effect("a valid configuration is accepted, and its rules are printed", () =>
    Effect.gen(function* () {
      const rules = [
        "rule     batch size  wait for batch  checks time out  merge method",
        "hotfix   1           30 s            never            merge",
        "default  1           30 s            5400 s           merge",
        ""
      ].join("\n")
      const path = file("queue.yml")
      assert.strictEqual(yield* succeed("ruled", "configure", path), `${path} is valid and stored\n\n${rules}`)
      assert.strictEqual(yield* succeed("ruled", "configure", "--show"), rules)
      const { configuration, errors, valid } = JSON.parse(yield* succeed("ruled", "configure", "--json", path))
      assert.deepStrictEqual([valid, errors, configuration.length], [true, [], 2])
      assert.strictEqual(configuration[1].config.queue_branch_prefix, "gh-readonly-queue/")
      writeFileSync(file("empty.yml"), "")
      assert.match(yield* succeed("ruled", "configure", file("empty.yml")), /there are no queue rules\n$/)
    })
  )

  it.effect("an invalid configuration is kept, and each fault is printed with its line", () =>
    Effect.gen(function* () {
      const ended = yield* queue("faulty", "configure", file("wrong.yml"))
      fails(2, /wrong\.yml is invalid \(2 faults\)\. The server has stored it/)(ended)
      const lines = ended.stdout.trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((each) => each.slice(file("wrong.yml").length, each.lastIndexOf("]") + 1)),
        [":3: queue_rules[0]", ":4: queue_rules[0]"]
      )
      assert.include(lines[0], "did you mean batch_size?")
      const json = yield* queue("faulty", "configure", "--json", file("wrong.yml"))
      assert.deepStrictEqual([json.exitCode, JSON.parse(json.stdout).valid], [2, false])
      yield* queue("faulty", "configure", "--show").pipe(Effect.map(fails(5, /acme\/faulty: .*Line 3: .*Line 4: /)))
    })
  )

  it.effect("an unknown repository, a wrong key and a file that is not UTF-8 text are refused", () =>
    Effect.gen(function* () {
      for (const args of [["show"], ["unpause"], ["configure", "--show"]]) {
        yield* queue("nowhere", args[0] ?? "", ...args.slice(1)).pipe(Effect.map(fails(5, /acme\/nowhere/)))
      }
      yield* queue("nowhere", "show", "--token", "wrong").pipe(Effect.map(fails(5, /refused the key/)))
      yield* queue("nowhere", "configure", file("latin1.yml")).pipe(
        Effect.map(fails(2, /latin1\.yml is not UTF-8 text/))
      )
    })
  )
})

const repo = ["--repo", "acme/widgets"]

const cases: Readonly<Record<string, readonly [args: ReadonlyArray<string>, exitCode: number, line: RegExp]>> = {
  "no such command": [["shwo"], 2, /There is no command shwo\. Did you mean show\?/],
  "no repository": [["show"], 2, /There is no repository: give --repo owner\/repository, or set LAZARET_REPO/],
  "no reason": [["pause", ...repo], 2, /--reason is missing/],
  "an empty reason": [["pause", ...repo, "--reason", " "], 2, /--reason: " " is empty/],
  "a reason that is too long": [["pause", ...repo, "--reason", "x".repeat(256)], 2, /is longer than 255 characters/],
  "neither a file nor --show": [["configure", ...repo], 2, /Name either the file with the rules, or give --show/],
  "both a file and --show": [["configure", ...repo, "--show", file("queue.yml")], 2, /Name either/],
  "a missing file": [["configure", ...repo, file("none.yml")], 2, /There is no file .*none\.yml/],
  "a folder": [["configure", ...repo, folder], 2, /is a folder: name a file with queue rules/],
  "a large file": [["configure", ...repo, file("large.yml")], 2, /large\.yml is larger than 64 KiB/],
  "no key": [["show", ...repo, "--url", "https://x.test"], 2, /There is no key.*LAZARET_TOKEN/],
  "no server": [["show", ...repo, "--url", "http://127.0.0.1:1", "--token", "k"], 4, /There is no server at/]
}

describe("a command about a merge queue that cannot be carried out says why in one line", () => {
  for (const [name, [args, exitCode, line]] of Object.entries(cases)) {
    test.live(name, () =>
      Effect.map(run(["queue", ...args]), (ended) => {
        fails(exitCode, line)(ended)
        assert.strictEqual(ended.stdout, "")
      })
    )
  }
})
