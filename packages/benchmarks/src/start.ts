/**
 * The start of a server with its own PostgreSQL: `npm run bench -- start [--rounds=10]`.
 *
 * From the command to the line that says the server is ready, and its processor time until then, without that of PostgreSQL: from
 * source with an empty cache of compiled modules, and from the bundle of `npm start`, in turns. The data folder is new in the
 * first, uncounted round.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { median } from "./Paired.ts"
import type { Lines } from "./Section.ts"

/** The benchmark of starts. Aim: ready in less than two seconds. Linux only. */
export const start: Lines = {
  name: "start",
  lines: async function* (options) {
    const rounds = Number(options.find((option) => option.startsWith("--rounds="))?.slice(9) ?? 10)
    const folder = mkdtempSync(join(tmpdir(), "lazaret-start-"))
    const costs: Record<keyof typeof programs, Array<Cost>> = { source: [], bundle: [] }
    try {
      for (let round = -1; round < rounds; round++) {
        for (const name of ["source", "bundle"] as const) {
          const cost = await started(programs[name], folder, name === "source" ? join(folder, `cache-${round}`) : null)
          if (round >= 0) costs[name].push(cost)
          else yield `start: from ${name}, first round: ${shown(cost)}`
        }
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
    for (const [name, each] of Object.entries(costs)) {
      const middle = { wall: median(each.map(({ wall }) => wall)), cpu: median(each.map(({ cpu }) => cpu)) }
      yield `start: from ${name}, medians of ${rounds} rounds: ${shown(middle)}`
    }
  }
}

const root = resolve(import.meta.dirname, "../../..")

const programs = {
  source: join(root, "packages/server/bin/lazaret.js"),
  bundle: join(root, "packages/server/start.js")
}

interface Cost {
  readonly wall: number
  readonly cpu: number
}

const shown = ({ cpu, wall }: Cost): string =>
  `ready after ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time`

const started = async (program: string, folder: string, cache: string | null): Promise<Cost> => {
  const env = {
    PATH: process.env["PATH"],
    PORT: "0",
    LAZARET_DATA_DIR: join(folder, "data"),
    ...(cache !== null && { NODE_COMPILE_CACHE: cache })
  }
  const begun = performance.now()
  const child = spawn(process.execPath, ["--max-semi-space-size=16", program, "serve"], { env, cwd: folder })
  const ended = new Promise<void>((done) => child.once("close", () => done()))
  let printed = ""
  await Promise.race([
    ended,
    new Promise<void>((done) =>
      child.stdout.on("data", (text) => {
        printed += text
        if (printed.includes(" is ready at ")) done()
      })
    )
  ])
  const wall = performance.now() - begun
  if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${printed}`)
  const cpu = processorTimeOf(child.pid ?? 0)
  child.kill()
  await ended
  return { wall, cpu }
}

/** Fields 14 and 15 of the line: user and system time in hundredths of a second. */
const processorTimeOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return 10 * (Number(fields[11]) + Number(fields[12]))
}
