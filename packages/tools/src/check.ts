/** `npm run check`: every check of the repository. It goes on after a failure and ends with `N passed, N failed`. */
import * as Step from "./check/Step.ts"
import * as Totals from "./check/Totals.ts"

const isContinuous = process.env["CI"] === "true"
// The tests are last, so that the log ends with the list of those that failed.
const steps = [
  ...Step.always,
  ...(isContinuous ? [Step.effectAware, Step.unused, Step.distributed, Step.failOver] : []),
  Step.tests
]

let totals = Totals.none
const failed: Array<string> = []
for (const { run, title } of steps) {
  console.log(`\n=== ${title}`)
  const started = performance.now()
  const result = run()
  totals = Totals.combine(totals, result)
  if (result.failed > 0) failed.push(title)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`--- ${title}: ${Totals.toLine(result)} (${seconds} s)`)
}

if (failed.length > 0) console.log(`\nfailed: ${failed.join(", ")}`)
console.log(`\n${Totals.toLine(totals)}`)
process.exitCode = totals.failed === 0 ? 0 : 1
