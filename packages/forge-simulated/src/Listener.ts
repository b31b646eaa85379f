/**
 * An HTTP server of a simulated platform, on a free port of this machine.
 *
 * **Details**
 *
 * Every exchange is published on the diagnostics channel `lazaret.simulated.exchange`, for `npm run traffic`.
 */
import { channel } from "node:diagnostics_channel"
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A request with its whole body, and the answer to it. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
  readonly bytes: Buffer
}

/** Starts a server, closed with the scope, and yields its address. */
export const listen = (answer: (url: string, exchange: Exchange) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const started = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const bytes = Buffer.concat(chunks)
            const body = bytes.toString()
            publish(request, response, body)
            answer(urlOf(started), { request, response, body, bytes })
          })
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

const exchanges = channel("lazaret.simulated.exchange")

/** Publishes the exchange when its answer ends. An answer is one text or archive, given to `end` after `writeHead`. */
const publish = ({ headers, method, url }: IncomingMessage, response: ServerResponse, body: string): void => {
  if (!exchanges.hasSubscribers) return
  const end = response.end.bind(response)
  const writeHead = response.writeHead.bind(response)
  let answered: OutgoingHttpHeaders = {}
  // The servers of the simulated platforms give `writeHead` no words, and `end` no encoding and no callback.
  response.writeHead = ((status: number, given: OutgoingHttpHeaders = {}) => {
    answered = given
    return writeHead(status, given)
  }) as ServerResponse["writeHead"]
  response.end = ((chunk?: string | Uint8Array) => {
    const answer = typeof chunk === "string" ? chunk : ""
    exchanges.publish({ method, url, headers, body, status: response.statusCode, answered, answer })
    return chunk === undefined ? end() : end(chunk)
  }) as ServerResponse["end"]
}
