import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request as forward, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Hub, SimulatedGitHub, SimulatedProvider } from "@lazaret/forge-simulated"
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { serve } from "./invented.ts"
import { key, visit } from "./visit.ts"

/** A server as people reach it: its public address, and what ends it. */
interface Reached {
  readonly url: string
  readonly stop: () => Promise<unknown>
}

const scope = Scope.makeUnsafe()

const listening = (server: Server): Promise<number> =>
  // A server that listens on a port of TCP has such an address.
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

/** A proxy that takes a prefix off, as the example of nginx does. */
const proxy = async (prefix: string) => {
  let target = ""
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    if (!path.startsWith(`${prefix}/`)) return void response.writeHead(404).end()
    const { headers, method = "GET" } = request
    const asked = forward(`${target}${path.slice(prefix.length)}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(asked)
  })
  const port = await listening(server)
  return {
    url: `http://localhost:${port}${prefix}`,
    leadTo: (url: string) => (target = url),
    stop: () => (server.closeAllConnections(), server.close())
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

const homes: Array<string> = []

/** Starts a server with both kinds of providers; Ada may see everything. */
const started = async (url: string, port: number): Promise<Awaited<ReturnType<typeof serve>>> => {
  const app = Hub.addApp(github.server.hub, { callbackUrls: [`${url}/sign-in/github/callback`] })
  const home = mkdtempSync(join(tmpdir(), "lazaret-sign-in-"))
  homes.push(home)
  const server = await serve(home, "memory", {
    PORT: String(port),
    LAZARET_PUBLIC_URL: url,
    LAZARET_SIGN_IN_ISSUER: provider.issuer,
    LAZARET_SIGN_IN_TITLE: "Example ID",
    LAZARET_SIGN_IN_CLIENT_ID: "lazaret",
    LAZARET_SIGN_IN_CLIENT_SECRET: "a secret of the client",
    LAZARET_SIGN_IN_ROLES: "*=viewer@*",
    LAZARET_GITHUB_API_URL: github.url,
    LAZARET_GITHUB_CLIENT_ID: app.clientId,
    LAZARET_GITHUB_CLIENT_SECRET: app.clientSecret
  })
  const given = await fetch(`http://127.0.0.1:${port}/v1/roles`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ login: "ada", provider: "github", role: "viewer", owner: null, repository: null })
  })
  assert.isTrue(given.ok, await given.text())
  return server
}

let github: SimulatedGitHub.SimulatedGitHub
let provider: SimulatedProvider.SimulatedProvider
const reached: Record<"directly" | "behind a proxy that adds a path", Reached | null> = {
  directly: null,
  "behind a proxy that adds a path": null
}

beforeAll(async () => {
  const run = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  github = await run(SimulatedGitHub.start)
  github.addPerson("ada")
  provider = await run(SimulatedProvider.start("lazaret"))
  provider.next.claims = { preferred_username: "ada" }
  const direct = async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    reached.directly = { url, stop: (await started(url, port)).stop }
  }
  const behind = async () => {
    const { leadTo, stop, url } = await proxy("/lazaret")
    const port = await freePort()
    const server = await started(url, port)
    leadTo(`http://127.0.0.1:${port}`)
    reached["behind a proxy that adds a path"] = { url, stop: () => server.stop().then(stop) }
  }
  await Promise.all([direct(), behind()])
})

afterAll(async () => {
  await Promise.all(Object.values(reached).map((each) => each?.stop()))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  for (const home of homes) rmSync(home, { recursive: true })
})

const cases = [
  ["a click", "GitHub", "directly"],
  ["Enter", "Example ID", "directly"],
  ["a click", "Example ID", "behind a proxy that adds a path"],
  ["Enter", "GitHub", "behind a proxy that adds a path"]
] as const

describe("the buttons of the sign-in page", () => {
  for (const [by, title, way] of cases) {
    it(`${by} on "Sign in with ${title}" signs in, and leads back to the page, ${way}`, async () => {
      const { url } = reached[way] ?? { url: "" }
      const origins = [url, provider.issuer, github.url] as const
      await using visitor = await visit({ isSignedIn: false, expected: /status of 403/u, origins })
      await visitor.context.addCookies([{ name: "person", value: "ada", url: github.url }])
      const { page } = visitor
      await visitor.open(`${url}/admin?from=here`)
      const button = page.getByRole("link", { name: `Sign in with ${title}`, exact: true })
      if (by === "a click") await button.click()
      else await button.press("Enter")
      await page.locator("summary[aria-label^='Signed in']").waitFor()
      assert.strictEqual(page.url(), `${url}/admin?from=here`)
    })
  }
})
