/** The server in operation: probes, metrics, log, traces, and its stop. */
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { type ClientRequest, createServer, type IncomingMessage, request, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as ClientError from "../src/ClientError.ts"
import * as SlowReaders from "../src/SlowReaders.ts"
import { adminKey, type Running, serve, until } from "./lazaretProcess.ts"

const metricsToken = "the-metrics-token-of-a-test"

const start = (env: Readonly<Record<string, string>> = {}): Promise<Running> =>
  serve({
    cwd: mkdtempSync(join(tmpdir(), "lazaret-operations-")),
    env: { LAZARET_ADMIN_KEY: adminKey, LAZARET_LOG_LEVEL: "debug", ...env }
  })

const get = (server: Running, path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers })

/** An upload whose headers have arrived, and whose body is still to come. */
const slowUpload = async (server: Running): Promise<ClientRequest> => {
  const upload = request(
    `${server.url}/v1/ci/acme/repositories/widgets/reports?pipeline_name=CI&job_name=unit&commit=c`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/xml", expect: "100-continue" }
    }
  )
  upload.flushHeaders()
  await once(upload, "continue")
  return upload
}

const report = '<testsuite><testcase name="a"/></testsuite>'

const lines = (stderr: string): ReadonlyArray<{ message: string; annotations: Record<string, unknown> }> =>
  stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** Sends bytes as they are, and yields all that comes back. */
const raw = (server: Running, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => socket.end(bytes))
    let answer = ""
    socket.on("data", (chunk) => (answer += String(chunk)))
    socket.once("close", () => resolve(answer))
    socket.once("error", reject)
  })

/** A receiver of telemetry, and what it has received. */
const collect = async () => {
  const received: Array<{ url: string | undefined; secret: unknown; body: string }> = []
  const collector = createServer((incoming, response) => {
    let body = ""
    incoming.on("data", (chunk) => (body += String(chunk)))
    incoming.on("end", () => {
      received.push({ url: incoming.url, secret: incoming.headers["x-secret"], body })
      response.end("{}")
    })
  })
  await once(collector.listen(0, "127.0.0.1"), "listening")
  // A server that listens on a port has such an address.
  const { port } = collector.address() as AddressInfo
  return { received, url: `http://127.0.0.1:${port}/`, close: () => collector.close() }
}

describe("a refused connection", () => {
  it("a refused connection is closed when its caller goes on sending", async () => {
    const server = ClientError.answer(createServer(), 20)
    await once(server.listen(0, "127.0.0.1"), "listening")
    // A server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo
    const accepted = once(server, "connection")
    const caller = connect({ port, allowHalfOpen: true }).on("error", () => {})
    const [connection] = await accepted
    let answer = ""
    caller.on("data", (chunk) => (answer += String(chunk)))
    caller.write("no request\r\n\r\n")
    await once(connection, "close")
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/u)
    caller.destroy()
    server.close()
  })
})

describe("a client that does not read its answers", () => {
  it("a client that does not read its answers is cut off after its patience, and one whose answer takes long is not", async () => {
    const large = Buffer.alloc(32 * 1024 * 1024)
    const server = SlowReaders.close(createServer(), 100)
    const respond: RequestListener = (incoming, response) => {
      if (incoming.url === "/large") response.end(large)
      else setTimeout(() => response.end("late"), 500)
    }
    server.on("request", respond).on("checkContinue", respond)
    await once(server.listen(0, "127.0.0.1"), "listening")
    // A server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo
    const accepted = once(server, "connection")
    const caller = connect(port, "127.0.0.1").on("error", () => {})
    const [connection] = await accepted
    caller.pause().write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    await once(connection, "close")
    caller.destroy()
    assert.strictEqual(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "late")
    // As curl sends a large body.
    const asking = request(`http://127.0.0.1:${port}/`, { method: "POST", headers: { expect: "100-continue" } })
    asking.flushHeaders()
    const [late] = await once(asking, "response")
    assert.strictEqual(late.statusCode, 200)
    asking.destroy()
    server.close()
  })
})

describe("an upload that is refused", () => {
  it("an upload that is refused can send all of its body, and then finds the answer", async () => {
    const server = await start()
    const body = Buffer.alloc(24 * 1024 * 1024)
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1").pause()
    const closed = once(socket, "close")
    let answer = ""
    socket.on("data", (chunk) => (answer += String(chunk)))
    socket.write(
      [
        "POST /v1/ci/acme/repositories/widgets/reports?pipeline_name=CI&job_name=unit&commit=c HTTP/1.1",
        "Host: a",
        "Connection: close",
        `Authorization: Bearer ${adminKey}`,
        "Content-Type: image/png",
        `Content-Length: ${body.length}\r\n\r\n`
      ].join("\r\n")
    )
    // Many clients read nothing before they have sent everything.
    await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())))
    socket.resume()
    await closed
    assert.match(answer, /^HTTP\/1\.1 415 /u)
    await server.stop("SIGTERM")
  })
})

describe("a running server", () => {
  let collector: Awaited<ReturnType<typeof collect>>
  let server: Running
  beforeAll(async () => {
    collector = await collect()
    server = await start({
      LAZARET_METRICS_TOKEN: metricsToken,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-secret=a%20b",
      OTEL_SERVICE_NAME: "tests"
    })
  })

  it("probes and metrics are answered, and metrics only to this machine or with the token", async () => {
    assert.strictEqual((await get(server, "/health/live")).status, 200)
    assert.strictEqual((await get(server, "/health/ready")).status, 200)
    const metrics = await (await get(server, "/metrics")).text()
    assert.match(metrics, /^lazaret_http_requests_total\{route="\/health\/ready",method="GET",status="200"\} 1$/mu)
    assert.match(metrics, /^process_resident_memory_bytes [1-9]\d+$/mu)
    assert.match(metrics, /^lazaret_build_info\{version="[^"]+",node="[^"]+"\} 1$/mu)
    // A page that rebinds its name to this machine sends that name, as does a proxy that does not identify itself.
    for (const host of ["tests.example.com", "127.0.0.1.example.com", "localhost.example.com:4180"]) {
      const answer = await raw(server, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 403 /u, host)
    }
    // A request that a local proxy forwards is not a local request.
    const proxied = { "x-forwarded-for": "203.0.113.7" }
    assert.strictEqual((await get(server, "/metrics", proxied)).status, 403)
    assert.strictEqual(
      (await get(server, "/metrics", { ...proxied, authorization: `Bearer ${metricsToken}` })).status,
      200
    )
  })

  it("bytes that are not a request are answered with a problem document", async () => {
    const malformed = await raw(server, "nonsense\r\n\r\n")
    assert.match(malformed, /^HTTP\/1\.1 400 Bad Request\r\n/u)
    const { request_id: requestId, status } = JSON.parse(malformed.slice(malformed.indexOf("{")))
    assert.strictEqual(status, 400)
    assert.include(malformed, `X-Request-Id: ${requestId}\r\n`)
    const two = await raw(server, "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n")
    assert.match(two, /^HTTP\/1\.1 400 /u)
    const long = await raw(server, `GET /${"a".repeat(1_100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    assert.match(long, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/u)
    assert.match(ClientError.response("ERR_HTTP_REQUEST_TIMEOUT", "i"), /^HTTP\/1\.1 408 [^]*send it again/u)
  })

  it("the log and the traces name requests by route and id, and contain nothing that was sent", async () => {
    const trace = "0af7651916cd43dd8448eb211c80319c"
    await get(server, "/v1/ci/acme/repositories/widgets/quarantines?branch=private", {
      authorization: "Bearer wrong-key",
      "x-request-id": "find-me",
      traceparent: `00-${trace}-b7ad6b7169203331-01`
    })
    const { stderr } = await server.stop("SIGTERM")
    collector.close()
    const route = "/v1/ci/:owner/repositories/:repository/quarantines"
    const line = lines(stderr).find(({ annotations }) => annotations["requestId"] === "find-me")
    assert.deepInclude(line?.annotations, {
      method: "GET",
      path: "/v1/ci/acme/repositories/widgets/quarantines",
      route,
      status: "403"
    })
    const spans = collector.received
      .filter(({ url }) => url === "/v1/traces")
      .map(({ body }) => body)
      .join("")
    for (const shown of [`"name":"GET ${route}"`, trace, "find-me", '"stringValue":"tests"']) {
      assert.include(spans, shown)
    }
    for (const hidden of ["private", "wrong-key", "health"]) assert.notInclude(spans, hidden)
    for (const hidden of ["private", "wrong-key"]) assert.notInclude(stderr, hidden)
    const metrics = collector.received.filter(({ url }) => url === "/v1/metrics")
    assert.isTrue(metrics.some(({ body }) => body.includes("lazaret_http_requests_total")))
    assert.isTrue(collector.received.every(({ secret }) => secret === "a b"))
  })
})

describe("a stopping server", () => {
  it("a draining server is not ready and still answers, then it finishes the running uploads", async () => {
    const server = await start({ LAZARET_DRAIN_SECONDS: "2" })
    const upload = await slowUpload(server)
    const stopped = server.stop("SIGTERM")
    await until("the server is not ready", async () => (await get(server, "/health/ready")).status === 503)
    assert.strictEqual((await get(server, "/v1/application", { authorization: `Bearer ${adminKey}` })).status, 200)
    const isUp = () => get(server, "/health/live").then(Boolean, () => false)
    await until("the server refuses connections", async () => !(await isUp()))
    upload.end(report)
    // `once` yields the arguments of the event: the answer.
    const [answer] = (await once(upload, "response")) as [IncomingMessage]
    assert.strictEqual(answer.statusCode, 201)
    assert.strictEqual((await stopped).exitCode, 0)
  })

  it("a stopping server answers 503 to a request that runs longer than LAZARET_SHUTDOWN_SECONDS", async () => {
    const server = await start({ LAZARET_SHUTDOWN_SECONDS: "1" })
    const upload = await slowUpload(server)
    const answer = once(upload, "response")
    const { exitCode } = await server.stop("SIGTERM")
    // The sender can try again.
    const [{ statusCode }] = (await answer) as [IncomingMessage]
    assert.strictEqual(statusCode, 503)
    assert.strictEqual(exitCode, 0)
  })

  it("callers behind a trusted proxy have a rate limit each, and a second signal ends the server", async () => {
    const server = await start({ LAZARET_RATE_LIMIT: "1", LAZARET_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1" })
    const statusFor = async (address: string) =>
      (await get(server, "/openapi.json", { "x-forwarded-for": address })).status
    // The address that counts is that of the caller behind the proxy.
    const [first, second, other] = ["203.0.113.1", "203.0.113.1, 10.0.0.9", "203.0.113.2"] as const
    assert.deepStrictEqual([await statusFor(first), await statusFor(second), await statusFor(other)], [200, 429, 200])
    // The proxy ends TLS: the cookie of a session never leaves the browser without it.
    const session = await fetch(`${server.url}/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": "203.0.113.3", "x-forwarded-proto": "https" },
      body: JSON.stringify({ key: adminKey })
    })
    assert.match(session.headers.get("set-cookie") ?? "", /; Secure/u)
    const upload = await slowUpload(server)
    upload.on("error", () => {})
    // Only a signal after the first second ends the server, so that one control-C never counts twice.
    const ended = server.stop("SIGTERM")
    let hasEnded = false
    void ended.then(() => (hasEnded = true))
    await until("a second signal ends the server", () => {
      if (!hasEnded) void server.stop("SIGTERM")
      return hasEnded
    })
    assert.strictEqual((await ended).exitCode, 130)
  })
})
