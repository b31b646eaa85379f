/** An HTTP server of a simulated platform, on a free port of this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A request with its whole body, and the answer to it. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
}

/** Starts a server, closed with the scope, and yields its address. */
export const listen = (answer: (url: string, exchange: Exchange) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const started = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => answer(urlOf(started), { request, response, body: Buffer.concat(chunks).toString() }))
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(started)))
      }),
      (started) =>
        Effect.callback<void>((resume) => {
          started.close(() => resume(Effect.void))
          started.closeAllConnections()
        })
    ),
    urlOf
  )

// A server that listens on a port of TCP has such an address.
const urlOf = (server: ReturnType<typeof createServer>) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
