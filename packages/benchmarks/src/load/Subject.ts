/** The server under load: the command `lazaret serve` with its own PostgreSQL, in a new folder. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Figures } from "./Probe.ts"

/** A running server. */
export interface Subject {
  readonly url: string
  readonly figures: () => Promise<Figures>
  readonly close: () => Promise<void>
}

/** The secrets of the server. */
export const secrets = { admin: "the admin key of a benchmark".replaceAll(" ", "-"), gitHub: "the secret of GitHub" }

/** Starts a server and yields it when it is ready. */
export const start = async (): Promise<Subject> => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-load-"))
  const child = fork(bin, ["serve"], {
    cwd: folder,
    // As `npm start` does.
    execArgv: ["--max-semi-space-size=16", "--import", new URL("Probe.ts", import.meta.url).href],
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      LAZARET_STORE: "embedded",
      LAZARET_ADMIN_KEY: secrets.admin,
      LAZARET_GITHUB_WEBHOOK_SECRET: secrets.gitHub,
      LAZARET_LOG_LEVEL: "error"
    },
    stdio: ["ignore", "pipe", "inherit", "ipc"]
  })
  const ended = once(child, "close")
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ""
    child.stdout?.on("data", (text) => {
      printed += text
      const found = /is ready at (\S+)/u.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(`the server ended before it was ready: ${printed}`)))
  })
  const figures = async (): Promise<Figures> => {
    child.send("figures")
    const [found] = (await once(child, "message")) as [Figures]
    return found
  }
  const close = async (): Promise<void> => {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  process.once("SIGINT", () => void close().finally(() => process.exit(130)))
  return { url, figures, close }
}

const bin = fileURLToPath(new URL("../../../server/bin/lazaret.js", import.meta.url))
