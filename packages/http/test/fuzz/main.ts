/** The fuzz test by command: `npm run fuzz -w packages/http -- --count 20000 --seed 7`. */
import { parseArgs } from "node:util"
import { run } from "./run.ts"

const { values } = parseArgs({
  options: { count: { type: "string", default: "20000" }, seed: { type: "string", default: "1" } }
})

const outcome = await run(Number(values.count), Number(values.seed))

const lines = [
  ...Array.from(outcome.statuses, ([key, count]) => `${String(count).padStart(7)}  ${key}`).toSorted((a, b) =>
    a.slice(9).localeCompare(b.slice(9))
  ),
  ...outcome.complaints.slice(0, 20),
  `${outcome.sent} requests, ${outcome.complaints.length} complaints`
]
process.stdout.write(`${lines.join("\n")}\n`)
process.exitCode = outcome.complaints.length === 0 ? 0 : 1
