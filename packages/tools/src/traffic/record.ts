/** Runs in each worker of `npm run traffic`: appends every exchange with a simulated platform to a file of the worker. */
import { subscribe } from "node:diagnostics_channel"
import { appendFileSync } from "node:fs"
import { join } from "node:path"

const folder = process.env["TRAFFIC_FOLDER"]
const recorded = Symbol.for("lazaret.traffic")

// A worker loads this module once for each file of tests.
if (folder !== undefined && !(recorded in globalThis)) {
  Object.assign(globalThis, { [recorded]: true })
  const file = join(folder, `${process.pid}.jsonl`)
  subscribe("lazaret.simulated.exchange", (exchange) => appendFileSync(file, `${JSON.stringify(exchange)}\n`))
}
