/** A bare `node:http` server that answers given bytes: the cost of the machine and Node without any service. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Answer } from "./Answer.ts"

const answers = new Map<string, Answer>()

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? "")
  response.writeHead(answer?.status ?? 404, answer?.headers)
  response.end(answer?.body)
})

server.listen(0, "127.0.0.1", () => {
  // A server that listens on a port has an address with a port.
  process.send?.({ port: (server.address() as AddressInfo).port })
})

process.on("message", (message: { readonly answers?: ReadonlyArray<readonly [string, Answer]> }) => {
  for (const [path, answer] of message.answers ?? []) answers.set(path, answer)
  process.send?.(process.cpuUsage())
})

process.on("disconnect", () => process.exit())
