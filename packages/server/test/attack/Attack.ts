/** All parts of the attack, one after another. */
import { performance } from "node:perf_hooks"
import * as AccessMatrix from "./AccessMatrix.ts"
import * as Bombs from "./Bombs.ts"
import * as DiskFull from "./DiskFull.ts"
import * as Neighbour from "./Neighbour.ts"
import type { Outcome, Part, Size } from "./Part.ts"
import * as RawRequests from "./RawRequests.ts"
import * as Restarts from "./Restarts.ts"
import * as SlowClients from "./SlowClients.ts"

const parts: ReadonlyArray<Part> = [
  AccessMatrix.part,
  RawRequests.part,
  SlowClients.part,
  Neighbour.part,
  Bombs.part,
  DiskFull.part,
  Restarts.part
]

/** The names of the parts. */
export const names: ReadonlyArray<string> = parts.map(({ name }) => name)

/** The outcome of a part, and how long it took. */
export interface Ran extends Outcome {
  readonly name: string
  readonly seconds: number
}

/** Runs parts, each on a server of its own. */
export async function* run(size: Size, only: ReadonlyArray<string> = names): AsyncGenerator<Ran> {
  for (const part of parts) {
    if (!only.includes(part.name)) continue
    const started = performance.now()
    const outcome = await part.run(size)
    yield { ...outcome, name: part.name, seconds: Math.round((performance.now() - started) / 1000) }
  }
}
