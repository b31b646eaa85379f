/**
 * The attack: `npm run attack`, `npm run attack -- --short`, `npm run attack -- --only bombs,neighbour`.
 *
 * It starts servers of its own on loopback ports, prints what it measured, and exits with 1 when something did not hold.
 */
import { parseArgs } from "node:util"
import * as Attack from "./Attack.ts"

const { values } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } }
})

const only = values.only === "" ? Attack.names : values.only.split(",")
const unknown = only.filter((name) => !Attack.names.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(", ")}: use ${Attack.names.join(", ")}.\n`)
  process.exit(2)
}

for await (const { figures, findings, name, seconds } of Attack.run(values.short ? "short" : "full", only)) {
  process.stdout.write(`${name} (${seconds} s): ${findings.length === 0 ? "held" : `${findings.length} findings`}\n`)
  for (const [what, value] of Object.entries(figures)) process.stdout.write(`  ${what}: ${value}\n`)
  for (const finding of findings) process.stdout.write(`  FINDING ${finding}\n`)
  if (findings.length > 0) process.exitCode = 1
}
