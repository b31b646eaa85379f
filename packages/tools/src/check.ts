/**
 * `npm test` and `npm run check`: the steps of the suites that the arguments name. It goes on after a failure. The last
 * lines name the steps and the tests that failed; the very last one is `N passed, N failed`.
 */
import * as Step from "./check/Step.ts"
import * as Totals from "./check/Totals.ts"

const suites: Readonly<Record<string, ReadonlyArray<Step.Lanes>>> = { test: Step.test, check: Step.check }

const named = process.argv.slice(2).map((name) => suites[name])
const stages = named.flatMap((suite) => suite ?? [])
let totals = named.length === 0 || named.includes(undefined) ? Totals.one(false) : Totals.none
const failed: Array<string> = totals.failed === 0 ? [] : [`choose of ${Object.keys(suites).join(", ")}`]

const write: Step.Print = (text) => process.stdout.write(text)

/** Runs a step. What it prints stays together: with other steps at the same time, it is printed when the step has ended. */
const runStep = async ({ run, title }: Step.Step, isAlone: boolean): Promise<void> => {
  const started = performance.now()
  const printed = [`\n=== ${title}\n`]
  if (isAlone) write(printed.join(""))
  const result = await run(isAlone ? write : (text) => printed.push(text))
  if (!isAlone) write(printed.join(""))
  totals = Totals.combine(totals, result)
  if (result.failed > 0) failed.push(title)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  write(`--- ${title}: ${Totals.toLine(result)} (${seconds} s)\n`)
}

for (const lanes of stages) {
  await Promise.all(
    lanes.map(async (steps) => {
      for (const step of steps) await runStep(step, lanes.length === 1)
    })
  )
}

if (failed.length > 0) console.log([`\nfailed: ${failed.join(", ")}`, ...Totals.toLines(totals)].join("\n"))
console.log(`\n${Totals.toLine(totals)}`)
process.exitCode = totals.failed === 0 ? 0 : 1
