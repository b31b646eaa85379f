/** Kill and restart: the crash test, in which every acknowledged upload must count exactly once. */
import * as Crash from "../crash/Crash.ts"
import type { Part, Size } from "./Part.ts"

const sizes: Record<Size, Parameters<typeof Crash.run>[0]> = {
  short: { seed: 5, uploads: 12, kills: 1, stops: 0 },
  full: { seed: 5, uploads: 300, kills: 15, stops: 3 }
}

/** Servers and databases are killed while reporters upload. */
export const part: Part = {
  name: "restarts",
  run: async (size) => {
    const { acknowledged, executions, faults, seen } = await Crash.run(sizes[size], 0.05)
    return { figures: { acknowledged, executions, ...seen }, findings: faults }
  }
}
