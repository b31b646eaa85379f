/** A client that costs little: keep-alive connections that send one prepared request at a time and only count bytes. */
import { type Socket, connect } from "node:net"

/** A load: the requests, their number, and the number of connections. */
export interface Load {
  readonly port: number
  readonly path: string
  readonly token: string
  /** The entity tag that the client has; none asks for the whole answer. */
  readonly etag?: string
  readonly connections: number
  readonly requests: number
}

/** Sends the load and yields the number of requests when every answer is complete. Answers must all have the length of the first. */
export const send = async (load: Load): Promise<number> => {
  const each = Math.ceil(load.requests / load.connections)
  await Promise.all(Array.from({ length: load.connections }, () => connection(load, each)))
  return each * load.connections
}

const connection = ({ etag, path, port, token }: Load, requests: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const condition = etag === undefined ? "" : `If-None-Match: ${etag}\r\n`
    const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n${condition}`
    const request = `GET ${path} HTTP/1.1\r\n${head}\r\n`
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(request))
    socket.setNoDelay(true)
    let left = requests
    let length = 0
    let received = 0
    socket.on("data", (chunk) => {
      length ||= lengthOf(chunk, etag === undefined ? 200 : 304)
      received += chunk.length
      if (received < length) return
      received -= length
      left -= 1
      if (left > 0) return socket.write(request)
      socket.end()
      return resolve()
    })
    socket.on("error", reject)
  })

/** Head and body of an answer, from its first piece. */
const lengthOf = (chunk: Buffer, status: number): number => {
  const text = chunk.toString("latin1")
  const head = text.indexOf("\r\n\r\n") + 4
  const body = status === 304 ? 0 : /content-length: (\d+)/iu.exec(text)?.[1]
  if (head < 4 || body === undefined || !text.startsWith(`HTTP/1.1 ${status}`))
    throw new Error(`unexpected answer: ${text}`)
  return head + Number(body)
}
