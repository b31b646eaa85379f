/**
 * The crash test for as long as one likes: `npm run crash -- --uploads 600 --seed 1 --minutes 10`.
 *
 * Rounds with the seeds `seed`, `seed + 1` … follow one another until the minutes are over; one round at least.
 */
import { parseArgs } from "node:util"
import * as Crash from "./Crash.ts"

const { values } = parseArgs({
  options: {
    uploads: { type: "string", default: "600" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "0" },
    scale: { type: "string", default: "0.1" }
  }
})

const uploads = Number(values.uploads)
const end = performance.now() + Number(values.minutes) * 60_000
let seed = Number(values.seed)
do {
  const size = { seed, uploads, kills: Math.ceil(uploads / 20), stops: Math.ceil(uploads / 150) }
  const { faults, ...figures } = await Crash.run(size, Number(values.scale))
  process.stdout.write(`seed ${seed}: ${JSON.stringify(figures)}\n`)
  for (const fault of faults.slice(0, 50)) process.stdout.write(`  FAULT ${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
  seed += 1
} while (performance.now() < end)
