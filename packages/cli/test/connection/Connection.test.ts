import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import * as Connection from "../../src/connection/Connection.ts"

/** The connection to a server with this environment, or the message of the failure. */
const resolve = (url: string, env: Readonly<Record<string, string>>) =>
  Connection.resolve({ url: Option.some(url), token: Option.none() }).pipe(
    Effect.map(({ token }) => Redacted.value(token)),
    Effect.catchTag("CommandFailure", ({ exitCode, message }) => Effect.succeed(`${exitCode}: ${message}`)),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnvRecord({ LAZARET_DATA_DIR: "no-such-folder", ...env })
    ),
    Effect.provide(NodeServices.layer)
  )

/** A token service like that of GitHub Actions: it answers with the audience as the token. */
const withActions = <A, E>(test: (env: Readonly<Record<string, string>>) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const server = createServer((request, response) => {
      const query = new URL(request.url ?? "", "http://localhost").searchParams
      const isRight = request.headers.authorization === "Bearer runner-secret" && query.get("api-version") === "2.0"
      response.writeHead(isRight ? 200 : 401).end(JSON.stringify({ value: `token for ${query.get("audience")}` }))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => server.close())
    )
    // A server that listens on a port has an address with a port.
    const { port } = server.address() as AddressInfo
    return yield* test({
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "runner-secret"
    })
  }).pipe(Effect.scoped)

describe("the token of a job without a key", () => {
  it.live("GitHub Actions is asked for one whose audience is the address of the server", () =>
    withActions((env) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* resolve("https://x.test/", env), "token for https://x.test")
        assert.strictEqual(yield* resolve("https://x.test/", { ...env, LAZARET_TOKEN: "key" }), "key")
        const refused = yield* resolve("https://x.test", { ...env, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "wrong-secret" })
        assert.match(refused, /^4: GitHub Actions does not issue a token/)
        assert.notInclude(refused, "wrong-secret")
      })
    )
  )

  it.live("the one that a GitLab job declares is taken as it is", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* resolve("https://x.test", { LAZARET_ID_TOKEN: " eyJ.a.b\n" }), "eyJ.a.b")
      assert.match(yield* resolve("https://x.test", {}), /^2: There is no key: .* let the CI system issue a token/)
    })
  )
})
