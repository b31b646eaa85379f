/** A receiver of outgoing webhooks that counts them. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A running receiver. */
export interface Receiver {
  readonly url: string
  readonly received: () => number
  readonly close: () => void
}

/** Starts a receiver on a free port. */
export const start = async (): Promise<Receiver> => {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      received += 1
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/`, received: () => received, close }
}
