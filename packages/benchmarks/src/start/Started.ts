/** The server of `npm start` in a process of its own, until it says that it is ready. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** The folder of the workspace. */
const root = resolve(import.meta.dirname, "../../../..")

/** The program that `npm start` runs, and the one that runs from source. */
export const programs = {
  source: join(root, "packages/server/bin/lazaret.js"),
  bundle: join(root, "packages/server/start.js")
}

/** How to start a server: where, which program, and settings that are not the usual ones. */
export interface Options {
  readonly folder: string
  readonly program?: string
  readonly settings?: Readonly<Record<string, string>>
}

/** A running server. */
export interface Server {
  readonly pid: number
  readonly url: string
  /** Asks as the administrator, and yields the text of a success. */
  readonly ask: (path: string, init?: RequestInit) => Promise<string>
  /** Milliseconds of processor time since its start, without that of PostgreSQL. */
  readonly processorTime: () => number
  readonly close: () => Promise<void>
}

/** The key of the administrator. */
const key = "the-admin-key-of-a-benchmark"

/** Starts a server and yields it when it is ready. */
export const start = async ({ folder, program = programs.bundle, settings }: Options): Promise<Server> => {
  const env = {
    PATH: process.env["PATH"],
    PORT: "0",
    LAZARET_DATA_DIR: join(folder, "data"),
    LAZARET_ADMIN_KEY: key,
    ...settings
  }
  const child = spawn(process.execPath, ["--max-semi-space-size=16", program, "serve"], {
    env,
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "close")
  const url = await new Promise<string>((done, failed) => {
    let printed = ""
    child.stdout.on("data", (text) => {
      printed += text
      const found = /is ready at (\S+)/u.exec(printed)?.[1]
      if (found !== undefined) done(found)
    })
    void ended.then(() => failed(new Error(`the server ended with ${child.exitCode}: ${printed}`)))
  })
  const pid = child.pid ?? 0
  return {
    pid,
    url,
    ask: async (path, init = {}) => {
      const headers = { authorization: `Bearer ${key}`, ...init.headers }
      const response = await fetch(`${url}${path}`, { ...init, headers })
      const text = await response.text()
      if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`)
      return text
    },
    processorTime: () => processorTimeOf(pid),
    close: async () => {
      child.kill()
      await ended
    }
  }
}

/** Fields 14 and 15 of the line: user and system time in hundredths of a second. */
const processorTimeOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return 10 * (Number(fields[11]) + Number(fields[12]))
}
