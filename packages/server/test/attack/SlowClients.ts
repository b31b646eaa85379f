/** Clients that hold what they can: unsigned deliveries that stop, and connections that send nothing. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { notes, type Part, type Size } from "./Part.ts"
import { ask, start } from "./Target.ts"

const counts: Record<Size, { readonly deliveries: number; readonly idle: number }> = {
  short: { deliveries: 20, idle: 100 },
  full: { deliveries: 60, idle: 1000 }
}

/** The memory, in MiB, that a crowd of strangers may take. */
const mostMore = 200

/** Deliveries of which all but the last mebibyte is sent, with and without a signature header. */
export const part: Part = {
  name: "slow clients",
  run: async (size) => {
    const { expect, findings } = notes()
    const { deliveries, idle } = counts[size]
    await using target = await start({
      LAZARET_STORE: "memory",
      LAZARET_GITHUB_WEBHOOK_SECRET: "a secret of an attack"
    })
    const port = Number(new URL(target.url).port)
    const atRest = target.peak()
    const sockets: Array<Socket> = []
    try {
      for (let index = 0; index < idle; index++) sockets.push(await open(port, "GET / HTTP/1.1\r\nHo"))
      for (let index = 0; index < deliveries; index++) {
        const signature = index % 2 === 0 ? `X-Hub-Signature-256: sha256=${"0".repeat(64)}\r\n` : ""
        const head = `POST /v1/webhooks/github HTTP/1.1\r\nHost: a\r\n${signature}Content-Length: ${25 * mebibyte}\r\n\r\n`
        const socket = await open(port, head)
        socket.write(Buffer.alloc(24 * mebibyte))
        sockets.push(socket)
      }
      await sleep(1000)
      const { ms, status } = await ask(target.url, "/health/ready", null, { patienceMs: 30_000 })
      expect(status === 200, `/health/ready is ${status} while ${deliveries} deliveries hang`)
      const more = target.peak() - atRest
      expect(more < mostMore, `${deliveries} deliveries that hang took ${more} MiB: more than ${mostMore}`)
      return {
        figures: { "idle connections": idle, deliveries, "MiB more": more, "probe, ms": Math.round(ms) },
        findings
      }
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  }
}

const mebibyte = 1_048_576

const open = async (port: number, bytes: string): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  await once(socket, "connect")
  socket.write(bytes)
  return socket
}
