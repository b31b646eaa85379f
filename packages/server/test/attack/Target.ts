/** The server that is attacked: with the embedded database, on a loopback port, with keys of two owners. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { adminKey, type Running, serve } from "../lazaretProcess.ts"

/** A running server, and how it is spoken to. */
export interface Target extends AsyncDisposable {
  readonly url: string
  readonly folder: string
  readonly server: Running
  /** The keys: of all owners, and a CI key of each owner. */
  readonly keys: { readonly admin: string; readonly noisy: string; readonly quiet: string }
  /** The most memory that the process has had, in MiB. */
  readonly peak: () => number
}

/** An answer, and how long it took in milliseconds; status 0 when the connection ended before it. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly ms: number
}

/** The parts of a request besides its path. */
export interface Request {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly patienceMs?: number
}

/** Starts a server in a folder of its own, on another storage or with other settings when `env` says so. */
export const start = async (env: Readonly<Record<string, string>> = {}, folder?: string): Promise<Target> => {
  const home = folder ?? mkdtempSync(join(tmpdir(), "lazaret-attack-"))
  const server = await serve({ cwd: home, env: { LAZARET_STORE: "embedded", LAZARET_ADMIN_KEY: adminKey, ...env } })
  const issue = async (owner: string): Promise<string> => {
    const answer = await ask(server.url, "/v1/application-keys", adminKey, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: `attack ${owner}`, scope: "ci", owner })
    })
    return String(Object(JSON.parse(answer.text)).secret)
  }
  const keys = { admin: adminKey, noisy: await issue("noisy"), quiet: await issue("quiet") }
  return {
    url: server.url,
    folder: home,
    server,
    keys,
    peak: () => peakOf(server.pid),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      if (folder === undefined) rmSync(home, { recursive: true, force: true })
    }
  }
}

/** Sends a request with a key. */
export const ask = async (url: string, path: string, key: string | null, request: Request = {}): Promise<Answer> => {
  const { body, headers, method = "GET", patienceMs = 300_000 } = request
  const started = performance.now()
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(patienceMs)
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, ms: performance.now() - started }
  } catch (error) {
    return { status: 0, headers: new Headers(), text: reasonOf(error), ms: performance.now() - started }
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? `${error.message}: ${reasonOf(error.cause)}` : String(error)

/** The path of an upload. */
export const uploadPath = (owner: string, repository: string, commit: string, job = "unit"): string =>
  `/v1/ci/${owner}/repositories/${repository}/reports?pipeline_name=CI&job_name=${job}&commit=${commit}&branch=main`

const peakOf = (pid: number): number => {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
