/**
 * The start of a server with its own PostgreSQL: `npm run bench -- start [--rounds=10] [--source]`.
 *
 * From the command of `npm start` to the line that says the server is ready, in turns: the first start, in a new folder and with
 * what `npm ci` left, and the second, on the data of the first. `--source` adds starts from source with an empty cache of compiled
 * modules. Processor time is that of the server, without that of PostgreSQL.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median } from "./Paired.ts"
import type { Lines } from "./Section.ts"
import * as Started from "./start/Started.ts"

/** The benchmark of starts. Aims: the first in less than three seconds, the second in less than two. Linux only. */
export const start: Lines = {
  name: "start",
  lines: async function* (options) {
    const rounds = Number(options.find((option) => option.startsWith("--rounds="))?.slice(9) ?? 10)
    const costs = { first: new Array<Cost>(), second: new Array<Cost>(), source: new Array<Cost>() }
    for (let round = 0; round < rounds; round++) {
      const folder = mkdtempSync(join(tmpdir(), "lazaret-start-"))
      try {
        costs.first.push(await started({ folder }))
        costs.second.push(await started({ folder }))
        if (options.includes("--source")) {
          const settings = { NODE_COMPILE_CACHE: join(folder, "compiled") }
          costs.source.push(await started({ folder, program: Started.programs.source, settings }))
        }
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
    for (const [name, each] of Object.entries(costs)) {
      if (each.length > 0) yield `start: ${name}, ${rounds} rounds: ready after ${shown(each)}`
    }
  }
}

interface Cost {
  readonly wall: number
  readonly cpu: number
}

const shown = (costs: ReadonlyArray<Cost>): string =>
  `${spread(costs.map(({ wall }) => wall))}, ${spread(costs.map(({ cpu }) => cpu))} of processor time`

const spread = (values: ReadonlyArray<number>): string =>
  `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}) ms`

const started = async (options: Started.Options): Promise<Cost> => {
  const begun = performance.now()
  const server = await Started.start(options)
  const cost = { wall: performance.now() - begun, cpu: server.processorTime() }
  await server.close()
  return cost
}
