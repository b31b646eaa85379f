/** Requests that Node refuses before they reach a route: they are answered with a problem document too. */
import { randomUUID } from "node:crypto"
import type { Server } from "node:http"
import type { Duplex } from "node:stream"

/**
 * Answers requests that are not HTTP, have too long headers, or are too slow.
 *
 * **Details**
 *
 * The caller has `linger` milliseconds to read the answer and to close the connection. Then the server closes it, because
 * a caller that goes on sending would keep it open for ever.
 */
export const answer = (server: Server, linger = 2000): Server =>
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) return
    socket.end(response(error.code ?? "", randomUUID()))
    const cut = setTimeout(() => socket.destroy(), linger)
    socket.once("close", () => clearTimeout(cut))
  })

/** The HTTP answer to an error code of Node. */
export const response = (code: string, requestId: string): string => {
  const { detail, status, title } = answers[code] ?? malformed
  const body = JSON.stringify({ type: "about:blank", status, title, detail, request_id: requestId })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    "Connection: close",
    "Content-Type: application/problem+json",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`
  ]
  return `${head.join("\r\n")}\r\n\r\n${body}`
}

interface ErrorAnswer {
  readonly status: number
  readonly title: string
  readonly detail: string
}

const malformed: ErrorAnswer = {
  status: 400,
  title: "Bad Request",
  detail: "The request is not valid HTTP/1.1: check its request line, its headers and its length."
}

const answers: { readonly [code: string]: ErrorAnswer } = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: "Request Header Fields Too Large",
    detail: "The URL and the headers are longer than 1 MiB together: send fewer or shorter parameters."
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: "Request Timeout",
    detail: "The request did not arrive in time: send it again over a faster connection."
  }
}
