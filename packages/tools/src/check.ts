/**
 * `npm test` and `npm run check`: the steps of the suites that the arguments name. It goes on after a failure. The last
 * lines name the steps and the tests that failed; the very last one is `N passed, N failed`.
 */
import * as Step from "./check/Step.ts"
import * as Totals from "./check/Totals.ts"

const suites: Readonly<Record<string, ReadonlyArray<Step.Step>>> = { test: Step.test, check: Step.check }

const named = process.argv.slice(2).map((name) => suites[name])
const steps = named.flatMap((suite) => suite ?? [])
let totals = named.length === 0 || named.includes(undefined) ? Totals.one(false) : Totals.none
const failed: Array<string> = totals.failed === 0 ? [] : [`choose of ${Object.keys(suites).join(", ")}`]
for (const { run, title } of steps) {
  console.log(`\n=== ${title}`)
  const started = performance.now()
  const result = run()
  totals = Totals.combine(totals, result)
  if (result.failed > 0) failed.push(title)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`--- ${title}: ${Totals.toLine(result)} (${seconds} s)`)
}

if (failed.length > 0) console.log([`\nfailed: ${failed.join(", ")}`, ...Totals.toLines(totals)].join("\n"))
console.log(`\n${Totals.toLine(totals)}`)
process.exitCode = totals.failed === 0 ? 0 : 1
