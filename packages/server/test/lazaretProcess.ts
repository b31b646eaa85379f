/** The command line in child processes, from the one file of `npm start`, which loads in half the time of the sources. */
import { spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** An admin key that a server accepts. */
export const adminKey = "the-admin-key-of-a-test"

const bundled = fileURLToPath(new URL("../start.js", import.meta.url))

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The file that Node runs, instead of that of `npm start`. */
  readonly program?: string
}

/** The flag of Node that `npm start`, the container and the systemd unit have. */
export const nodeFlag = "--max-semi-space-size=16"

/**
 * Of the environment of the tests the command gets only the path and the cache of compiled modules. It keeps its data in
 * memory and listens on a free port unless `env` says otherwise: commands that run at once would fight for one port.
 */
const start = (args: ReadonlyArray<string>, { cwd, env = {}, program = bundled }: Surroundings) => {
  const { NODE_COMPILE_CACHE, PATH } = process.env
  return spawn(process.execPath, [nodeFlag, program, ...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, LAZARET_STORE: "memory", PORT: "0", ...env }
  })
}

/** Runs a command to its end. */
export const run = (args: ReadonlyArray<string>, surroundings: Surroundings): Promise<Ended> => {
  const child = start(args, surroundings)
  const ended = { stdout: "", stderr: "" }
  child.stdout.on("data", (text) => (ended.stdout += text))
  child.stderr.on("data", (text) => (ended.stderr += text))
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (exitCode) => resolve({ exitCode, ...ended }))
  })
}

/** Repeats a check until it holds, with pauses of 20 ms, and fails after `attempts`. */
export const until = async (
  condition: string,
  holds: () => Promise<boolean> | boolean,
  attempts = 1000
): Promise<void> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await holds()) return
    await sleep(20)
  }
  throw new Error(`${attempts} checks: ${condition} did not become true`)
}

export interface Running extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  readonly printed: string
  /** The text on stderr so far. */
  readonly logged: () => string
  /** Tells the server to stop and waits for its end. */
  readonly stop: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => Promise<Ended>
}

/** Starts a server on a free port and waits until it says where it is and what to try. */
export const serve = async (surroundings: Surroundings): Promise<Running> => {
  const child = start(["serve"], { ...surroundings, env: { PORT: "0", ...surroundings.env } })
  const output = { stdout: "", stderr: "" }
  child.stderr.on("data", (text) => (output.stderr += text))
  const end = new Promise<Ended>((resolve) => child.once("close", (exitCode) => resolve({ exitCode, ...output })))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (text) => {
      output.stdout += text
      const ready = /is ready at (\S+)[^]*lazaret ingest.*\n/.exec(output.stdout)?.[1]
      if (ready !== undefined) resolve(ready)
    })
    void end.then(({ stderr }) => reject(new Error(`the server ended: ${stderr}`)))
  })
  const stop: Running["stop"] = (signal) => {
    child.kill(signal)
    return end
  }
  return {
    // A process that printed something has started.
    pid: child.pid ?? 0,
    url,
    printed: output.stdout,
    logged: () => output.stderr,
    stop,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) await stop("SIGTERM")
    }
  }
}
