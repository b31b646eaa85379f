/** A server with an invented history, and the browser of this machine. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "./chromium.ts"

const web = join(import.meta.dirname, "../..")

const lazaret = join(web, "../server/start.js")

const key = "lzr_admin_of_the_browser_tests"

/** A running server: its address, its process, its admin key, the link that signs in once, and the path of the browser. */
export interface Invented {
  readonly url: string
  readonly pid: number
  readonly key: string
  readonly link: string
  readonly browser: string
  /** The path of the page of the red pull request. */
  readonly pull: string
  readonly stop: () => Promise<void>
  /** Ends the server, and starts another one on what it has stored; one in memory has stored nothing. */
  readonly restart: () => Promise<Invented>
}

/** Starts everything; `history` are the flags of `lazaret demo`. */
export const start = async (
  history: ReadonlyArray<string>,
  store: "memory" | "postgres" = "memory"
): Promise<Invented> => {
  const browser = chromium()
  if (browser === null) throw new Error("Chromium was not found: install it, or set CHROMIUM_PATH.")
  const home = mkdtempSync(join(tmpdir(), "lazaret-browser-"))
  let pull = ""
  const started = async (): Promise<Invented> => {
    const { link, pid, stop, url } = await serve(home, store)
    return {
      url,
      pid,
      key,
      link,
      browser,
      pull,
      stop: async () => {
        await stop()
        rmSync(home, { recursive: true })
      },
      restart: () => stop().then(started)
    }
  }
  const server = await started()
  const printed = run([lazaret, "demo", ...history], { LAZARET_URL: server.url, LAZARET_TOKEN: key })
  pull = /\/[^/\s]+\/[^/\s]+\/pulls\/\d+/u.exec(printed.replaceAll(server.url, " "))?.[0] ?? ""
  return { ...server, pull }
}

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${String(status)}: ${stderr}`)
  return stdout
}

/** A server on a free port, as people start it: its address, and the link that it prints. */
export const serve = async (
  cwd: string,
  store: "memory" | "postgres",
  settings: Readonly<Record<string, string>> = {}
) => {
  const storage = store === "memory" ? { LAZARET_STORE: store } : { LAZARET_DATA_DIR: join(cwd, "data") }
  const env = { PATH: process.env["PATH"], PORT: "0", ...storage, LAZARET_ADMIN_KEY: key, ...settings }
  const child = spawn(process.execPath, [lazaret, "serve"], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const output = { stdout: "", stderr: "" }
  child.stderr.on("data", (text) => (output.stderr += text))
  const end = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const [url, link] = await new Promise<readonly [string, string]>((resolve, reject) => {
    child.stdout.on("data", (text) => {
      output.stdout += text
      const [, ready, signIn] = /is ready at (\S+)[^]*dashboard +(\S+)\n/u.exec(output.stdout) ?? []
      if (ready !== undefined && signIn !== undefined) resolve([ready, signIn])
    })
    void end.then(() => reject(new Error(`the server ended: ${output.stderr}`)))
  })
  const stop = () => {
    child.kill("SIGTERM")
    return end
  }
  return { url, pid: child.pid ?? 0, link, stop }
}
