/** Clients that ask and do not read the answers: their connections are closed, because each holds what it does not read. */
import type { RequestListener, Server } from "node:http"
import type { Socket } from "node:net"

/**
 * Closes connections whose client has read nothing for `patience` milliseconds while an answer waits for it.
 *
 * **Details**
 *
 * A connection on which a request is being answered stays open however long that takes. An idle one is closed as well:
 * Node leaves that to who listens for `timeout`.
 */
export const close = (server: Server, patience = 60_000): Server => {
  const running = new WeakMap<Socket, number>()
  const onRequest: RequestListener = ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1)
    response.once("close", () => running.set(socket, (running.get(socket) ?? 0) - 1))
  }
  server.on("request", onRequest)
  // A request with `Expect: 100-continue` is another event, where a listener takes it.
  server.on("checkContinue", onRequest)
  return server.setTimeout(patience, (socket: Socket) => {
    const isAnswering = (running.get(socket) ?? 0) > 0 && socket.writableLength === 0
    if (isAnswering) socket.setTimeout(patience)
    else socket.destroy()
  })
}
