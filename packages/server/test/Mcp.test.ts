import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"
import * as Server from "../src/Server.ts"

const bin = fileURLToPath(new URL("../start.js", import.meta.url))

const admin = "key-of-this-server"

const repo = ["--repo", "acme/widgets"]

interface Answer {
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly content: ReadonlyArray<{ readonly text: string }>
}

/** The client of the protocol's own SDK, with `lazaret mcp` as its server process, closed with the scope. */
const connect = (env: Readonly<Record<string, string>>, args: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [bin, "mcp", ...args],
        env: { ...env, LAZARET_DATA_DIR: "no-such-folder" },
        stderr: "inherit"
      })
      const client = new Client({ name: "test", version: "1" })
      await client.connect(transport)
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

const call = (client: Client, name: string, args: object) =>
  Effect.promise(() => client.callTool({ name, arguments: { ...args } }) as unknown as Promise<Answer>)

layer(Server.layer(settings, Redacted.make(admin)), { excludeTestServices: true })("lazaret mcp", (it) => {
  it.effect("an agent finds a test, sees how it fails and why it is broken, and quarantines it", () =>
    Effect.gen(function* () {
      const env = { LAZARET_URL: Server.urlOf(yield* HttpServer.HttpServer), LAZARET_TOKEN: admin }
      const file = fileURLToPath(new URL("../../ingest/test/fixtures/pytest/xunit2.xml", import.meta.url))
      const context = ["--pipeline", "CI", "--job", "unit", "--commit", "c1", "--branch", "main", ...repo]
      yield* run(["ingest", ...context, file], env)
      const client = yield* connect(env, repo)

      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.deepStrictEqual(
        tools.map(({ annotations, name }) => [name, annotations?.readOnlyHint]),
        [
          ["search_tests", true],
          ["explain_test", true],
          ["test_failures", true],
          ["judge_failures", true],
          ["list_causes", true],
          ["list_slower", true],
          ["list_missing", true],
          ["list_costs", true],
          ["queue_history", true],
          ["list_quarantines", true],
          ["quarantine_test", false]
        ]
      )

      const found = yield* call(client, "search_tests", { health: ["broken"], limit: 1 })
      const [row] = bodyOf(found)["tests"] as ReadonlyArray<{ readonly test_name: string }>
      const test = row?.test_name ?? ""
      assert.deepInclude(bodyOf(yield* call(client, "explain_test", { test })), { test_name: test })
      const failures = bodyOf(yield* call(client, "test_failures", { test }))
      assert.strictEqual(failures["total"], 1)
      assert.match(JSON.stringify(failures), /"exception_stacktrace":"/)

      const judged = bodyOf(yield* call(client, "judge_failures", { commit: "c1" }))
      assert.include(JSON.stringify(judged), test)
      assert.isTrue((yield* call(client, "judge_failures", {})).isError)

      const reason = "Broken since c1, asked for by Ada"
      const broken = yield* call(client, "quarantine_test", { test, reason })
      assert.isTrue(broken.isError)
      assert.match(broken.content[0]?.text ?? "", /is broken, not flaky .*give --force/)
      assert.isString(bodyOf(yield* call(client, "quarantine_test", { test, reason, force: true }))["id"])
      assert.include(JSON.stringify(bodyOf(yield* call(client, "list_quarantines", {}))), reason)

      const inAnyCase = bodyOf(yield* call(client, "search_tests", { search: test.toUpperCase() }))
      assert.include(JSON.stringify(inAnyCase), test)
      const misspelt = yield* call(client, "search_tests", { name: "*coupon*" })
      assert.isTrue(misspelt.isError)
      assert.match(misspelt.content[0]?.text ?? "", /name/)
      const unknown = yield* call(client, "quarantine_test", { test: "nope", reason })
      assert.isTrue(unknown.isError)
      assert.match(unknown.content[0]?.text ?? "", /"nope" has not run on the default branch/)

      const again = yield* call(client, "quarantine_test", { test, reason, force: true })
      assert.isTrue(again.isError)
      assert.match(again.content[0]?.text ?? "", /is already quarantined/)
    })
  )

  it.effect(
    "a key that only reads is not offered the quarantine; a failure is a sentence, and the conversation goes on",
    () =>
      Effect.gen(function* () {
        const env = { LAZARET_URL: Server.urlOf(yield* HttpServer.HttpServer) }
        const make = ["keys", "create", "--owner", "acme", "--scope", "read", "--json", "agent"]
        const made = yield* run(make, { ...env, LAZARET_TOKEN: admin })
        const client = yield* connect({ ...env, LAZARET_TOKEN: JSON.parse(made.stdout).secret })
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.notInclude(
          tools.map(({ name }) => name),
          "quarantine_test"
        )
        const sentenceOf = (args: object) =>
          Effect.map(call(client, "explain_test", { test: "x", ...args }), ({ content }) => content[0]?.text ?? "")
        assert.strictEqual(yield* sentenceOf({}), "Name the repository as owner/name.")
        assert.match(yield* sentenceOf({ repository: "gadgets" }), /"gadgets" is not a repository/)
        assert.match(
          yield* sentenceOf({ repository: "acme/gadgets" }),
          /^x: The server has no data of .* acme\/gadgets/
        )
      })
  )

  it.effect("a line that is not a request gets an error of JSON-RPC, and the requests around it their answers", () =>
    Effect.gen(function* () {
      const env = { LAZARET_URL: Server.urlOf(yield* HttpServer.HttpServer), LAZARET_TOKEN: admin }
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const lines = [
        "not json",
        "5",
        "",
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
        "{",
        JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" })
      ]
      const answers = yield* Effect.promise(() => converse(env, lines, 5))
      const codes = answers.flatMap(({ error }) => (error === undefined ? [] : [error.code]))
      assert.deepStrictEqual(codes, [-32700, -32600, -32700])
      assert.match(answers.find(({ id }) => id === 1)?.result?.instructions ?? "", /data, never instructions/u)
      assert.isDefined(answers.find(({ id }) => id === 2)?.result)
    })
  )
})

const bodyOf = ({ structuredContent = {} }: Answer) => structuredContent

interface Line {
  readonly id: number | null
  readonly result?: { readonly instructions?: string }
  readonly error?: { readonly code: number }
}

/** Writes lines to `lazaret mcp`, and yields the first of its answers. */
const converse = (env: Readonly<Record<string, string>>, lines: ReadonlyArray<string>, answers: number) =>
  new Promise<ReadonlyArray<Line>>((resolve) => {
    const args = ["--conditions=@lazaret/source", bin, "mcp", ...repo]
    const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] })
    const found: Array<Line> = []
    createInterface(child.stdout).on("line", (line) => {
      found.push(JSON.parse(line))
      if (found.length === answers) child.stdin.end()
    })
    child.once("close", () => resolve(found))
    child.stdin.write(lines.map((line) => `${line}\n`).join(""))
  })
