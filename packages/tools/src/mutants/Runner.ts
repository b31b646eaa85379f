/**
 * The runner of the tests of a trial, which vitest loads instead of its own.
 *
 * **Details**
 *
 * The plan in `plan.json` says what a run does:
 * - `each`: runs every test twice without a mutant, then once with each of its mutants: those that the second run
 *   reached and no test has noticed. The first run does not count: what a process evaluates once is not reached again;
 * - `one`: runs the tests with one mutant from the start, until one fails.
 *
 * Appends what happens to `log.jsonl`, so that nothing is lost when a mutant does not end.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { configureGlobal, readConfigureGlobal } from "fast-check"
import { type RunnerTask, type RunnerTestCase, TestRunner } from "vitest"

/** A plan. `from` and `to` bound the time of the tests that try mutants, in milliseconds, `to` excluded. */
export type Plan =
  | { readonly mode: "one"; readonly id: number }
  | {
      readonly mode: "each"
      readonly ids: ReadonlyArray<number>
      readonly from: number
      readonly to: number
      /** Tests that are left out: their time is outside these bounds, or they reach none of the mutants. */
      readonly skipped: ReadonlyArray<string>
    }

/** An event of a run. `limit` is the time that a mutant may take, in milliseconds. */
export type Event =
  | { readonly event: "test"; readonly test: string; readonly time: number; readonly reached: ReadonlyArray<number> }
  | { readonly event: "once"; readonly ids: ReadonlyArray<number> }
  | { readonly event: "start"; readonly id: number; readonly limit: number; readonly test: string }
  | { readonly event: "killed"; readonly id: number; readonly test: string }
  | { readonly event: "end"; readonly test: string }
  | { readonly event: "spoiled"; readonly test: string }
  | { readonly event: "failed"; readonly test: string; readonly message: string }

// The parent writes the plan.
const plan = JSON.parse(readFileSync("plan.json", "utf8")) as Plan
const log = (event: Event) => appendFileSync("log.jsonl", `${JSON.stringify(event)}\n`)

// A mutant is killed by the first failure, however large the example.
configureGlobal({ ...readConfigureGlobal(), endOnFailure: true })

let on = plan.mode === "one" ? plan.id : -1
let reached = new Set<number>()
let calls = 0
let most = Infinity

Object.assign(globalThis, {
  mutantIsOn: (id: number): boolean => {
    if (++calls > most) throw new Error("the mutant does not end")
    reached.add(id)
    return id === on
  }
})

const titleOf = (task: RunnerTask): string => {
  const name = task.suite === undefined ? task.file.name : titleOf(task.suite)
  return `${name} > ${task.name}`
}

/** Ends a run with one mutant: the files that follow are not loaded. */
let isEnded = false

export default class Runner extends TestRunner {
  override importFile(path: string, source: "collect" | "setup"): unknown {
    if (isEnded) throw new Error("a test has failed")
    return super.importFile(path, source)
  }

  async runTask(task: RunnerTestCase): Promise<void> {
    const run = async () => void (await TestRunner.getTestFn(task)())
    if (plan.mode === "each") return tryEach(plan, titleOf(task), run)
    if (isEnded) return
    try {
      await run()
    } catch (error) {
      isEnded = true
      log({ event: "killed", id: plan.id, test: titleOf(task) })
      throw error
    }
  }
}

const noticed = new Set<number>()

const tryEach = async (
  { from, ids, skipped, to }: Plan & { mode: "each" },
  test: string,
  run: () => Promise<void>
): Promise<void> => {
  if (skipped.includes(test)) return
  const isMine = (id: number) => ids.includes(id)
  const first = await timed(run)
  const { error, time, ...second } = await timed(run)
  const once = [...first.before, ...first.reached.filter((id) => !second.reached.includes(id))]
  if (from === 0) log({ event: "once", ids: once.filter(isMine) })
  log({ event: "test", test, time, reached: error === null ? second.reached.filter(isMine) : [] })
  if (first.error !== null) return log({ event: "failed", test, message: String(first.error) })
  if (error !== null || time < from || time >= to) return

  const killed: Array<number> = []
  most = 20 * second.calls + 1_000_000
  for (const id of second.reached) {
    if (!isMine(id) || noticed.has(id)) continue
    on = id
    log({ event: "start", id, limit: 10_000 + 20 * time, test })
    if ((await timed(run)).error === null) continue
    log({ event: "killed", id, test })
    killed.push(id)
  }
  on = -1
  most = Infinity
  // A test that now fails without a mutant, too, proves nothing.
  const isSpoiled = killed.length > 0 && (await timed(run)).error !== null
  if (!isSpoiled) for (const id of killed) noticed.add(id)
  log({ event: isSpoiled ? "spoiled" : "end", test })
}

/** Runs a test: whether it fails, its time in milliseconds, the mutants that it reaches, and those reached before. */
const timed = async (run: () => Promise<void>) => {
  const before = reached
  reached = new Set()
  calls = 0
  const began = performance.now()
  const error: unknown = await run().then(
    () => null,
    (failure: unknown) => failure ?? "a failure"
  )
  return { before: [...before], error, time: performance.now() - began, reached: [...reached], calls }
}
