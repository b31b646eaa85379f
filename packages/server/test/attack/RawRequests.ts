/** Requests that no client library sends: odd framing, odd lengths, random bytes; no answer may be 5xx or hang. */
import { once } from "node:events"
import { connect } from "node:net"
import { notes, type Part, type Size } from "./Part.ts"
import { ask, start } from "./Target.ts"

const counts: Record<Size, number> = { short: 300, full: 20_000 }

const head = "GET /health/live HTTP/1.1\r\nHost: a\r\n"
const post = "POST /session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

/** Requests with the only answers that they may have; an empty answer is a closed connection. */
const odd: ReadonlyArray<readonly [name: string, bytes: string, allowed: RegExp]> = [
  ["two Host headers", `${head}Host: b\r\n\r\n`, /^(?:400)?$/u],
  ["no Host header", "GET / HTTP/1.1\r\n\r\n", /^(?:400)?$/u],
  ["length and chunks", `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^(?:400)?$/u],
  ["two lengths", `${post}Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}..`, /^(?:400)?$/u],
  ["an odd coding", `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, /^(?:400|501)?$/u],
  ["an overflowing chunk", `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`, /^(?:400)?$/u],
  ["a folded header", `${head}X: a\r\n b\r\n\r\n`, /^(?:400)?$/u],
  ["a NUL", `${head}X: a\0b\r\n\r\n`, /^(?:400)?$/u],
  ["bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", /^(?:400)?$/u],
  ["a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", /^(?:400)?$/u],
  ["an unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", /^(?:400|405)?$/u],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", /^(?:4\d\d)?$/u],
  ["a URL of 2 MiB", `GET /${"a".repeat(2_097_152)} HTTP/1.1\r\nHost: a\r\n\r\n`, /^(?:431)?$/u],
  ["a traversal", "GET /assets/../../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", /^404$/u],
  ["an encoded traversal", "GET /assets/%2e%2e%2f%2e%2e%2fetc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", /^404$/u],
  ["a bad escape", "GET /v1/ci/%ff%fe/repositories/a/search/tests HTTP/1.1\r\nHost: a\r\n\r\n", /^4\d\d$/u]
]

/** Each request on a connection of its own. */
export const part: Part = {
  name: "raw",
  run: async (size) => {
    const { expect, findings } = notes()
    await using target = await start({ LAZARET_STORE: "memory" })
    const port = Number(new URL(target.url).port)
    for (const [name, bytes, allowed] of odd) {
      const status = await statusOf(port, Buffer.from(bytes, "latin1"))
      expect(allowed.test(status), `${name}: ${status === "" ? "no answer" : status}`)
    }
    const draw = randomOf(size === "short" ? 1 : 7)
    for (let index = 0; index < counts[size]; index++) {
      const status = await statusOf(port, mutated(draw))
      expect(!/^(?:5\d\d|hung)$/u.test(status), `mutation ${index}: ${status}`)
    }
    const live = await ask(target.url, "/health/live", null)
    expect(live.status === 200, `afterwards /health/live is ${live.status}`)
    expect(
      !target.server.logged().includes("The request failed"),
      "a request failed by a fault of the server: see its log"
    )
    return { figures: { "odd requests": odd.length, mutations: counts[size], "peak MiB": target.peak() }, findings }
  }
}

/** The status of the first answer; `hung` without an answer and an end within five seconds. */
const statusOf = async (port: number, bytes: Uint8Array): Promise<string> => {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  let answer = ""
  socket.on("data", (chunk) => (answer += chunk.toString("latin1")))
  socket.end(bytes)
  const closed = once(socket, "close").then(() => true)
  const late = new Promise<boolean>((resolve) => void setTimeout(resolve, 5000, false).unref())
  const isClosed = await Promise.race([closed, late])
  socket.destroy()
  return isClosed || answer !== "" ? (/^HTTP\/1\.1 (\d{3})/u.exec(answer)?.[1] ?? "") : "hung"
}

const seeds: ReadonlyArray<string> = [
  `${head}Connection: close\r\n\r\n`,
  `${post}Content-Length: 13\r\nConnection: close\r\n\r\n{"key":"abcd"}`,
  "GET /v1/ci/acme/repositories/widgets/search/tests?per_page=3&sort=test_name HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
]

/** A request with some bytes replaced, dropped or repeated. */
const mutated = (draw: (below: number) => number): Uint8Array => {
  const bytes = [...Buffer.from(seeds[draw(seeds.length)] ?? "", "latin1")]
  for (let change = draw(6); change >= 0; change--) {
    const at = draw(bytes.length)
    const kind = draw(3)
    if (kind === 0) bytes[at] = draw(256)
    else if (kind === 1) bytes.splice(at, 1 + draw(8))
    else bytes.splice(at, 0, ...bytes.slice(at, at + draw(64)))
  }
  return Uint8Array.from(bytes)
}

/** Numbers that follow from a seed (Park and Miller). */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % Math.max(1, below)
  }
}
