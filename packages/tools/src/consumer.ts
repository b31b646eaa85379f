/**
 * `npm run consumer`: uses the packages as others do. It packs them, and checks and runs every example against what was
 * packed. It packs what `npm run build` left.
 */
import * as Consumer from "./consumer/Consumer.ts"
import * as Totals from "./check/Totals.ts"

const examples = Consumer.prepare()
const checks = [Consumer.types(), ...examples.map(Consumer.declared), ...examples.map(Consumer.run)]

for (const { problem } of checks) {
  if (problem !== null) console.error(problem)
}
const totals = checks.map(({ problem }) => Totals.one(problem === null)).reduce(Totals.combine, Totals.none)
console.log(`${examples.length} examples as consumers: ${Totals.toLine(totals)}`)
process.exitCode = totals.failed === 0 ? 0 : 1
