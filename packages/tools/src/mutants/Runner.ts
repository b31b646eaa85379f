/**
 * The runner of the tests of a trial, which vitest loads instead of its own.
 *
 * **Details**
 *
 * The plan in `plan.json` says what a run does:
 * - `each`: runs every test twice without a mutant, a slow one once, then once with each of its mutants: those that the last of
 *   these runs reached and no test has noticed. What a process evaluates once is not reached again;
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
      /** The mutants that a test has passed with. */
      readonly passed: Readonly<Record<string, ReadonlyArray<number>>>
    }

/** An event of a run. `limit` is the time that a mutant may take, in milliseconds. */
export type Event =
  | { readonly event: "test"; readonly test: string; readonly time: number; readonly reached: ReadonlyArray<number> }
  | { readonly event: "once"; readonly test: string; readonly ids: ReadonlyArray<number> }
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

/** The switches of a process: the one that is on, and those that were asked since the last reset. */
interface Switches {
  on: number
  calls: number
  most: number
  reached: Array<number>
  readonly isReached: Uint8Array
  readonly isOn: (id: number) => boolean
}

const make = (): Switches => {
  const made: Switches = {
    on: -1,
    calls: 0,
    most: Infinity,
    reached: [],
    isReached: new Uint8Array(100_000),
    // Mutated sources call this in their innermost loops, so it keeps no set.
    isOn: (id) => {
      if (++made.calls > made.most) throw new Error("the mutant does not end")
      if (made.isReached[id] === 0) {
        made.isReached[id] = 1
        made.reached.push(id)
      }
      return id === made.on
    }
  }
  return made
}

// Sources that an earlier run of this process has loaded ask the switches of that run.
const shared = globalThis as { mutants?: Switches; mutantIsOn?: Switches["isOn"] }
const switches = (shared.mutants ??= make())
shared.mutantIsOn = switches.isOn
switches.on = plan.mode === "one" ? plan.id : -1

/** The mutants that were reached since the last reset. */
const reset = (): ReadonlyArray<number> => {
  const { reached } = switches
  for (const id of reached) switches.isReached[id] = 0
  switches.reached = []
  switches.calls = 0
  return reached
}

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

/** From this time on, in milliseconds, a test is slow. */
const slow = 200

const tryEach = async (
  { from, ids, passed, skipped, to }: Plan & { mode: "each" },
  test: string,
  run: () => Promise<void>
): Promise<void> => {
  if (skipped.includes(test)) return
  const first = await timed(run)
  // A slow test runs once: a mutant that only this run evaluates is tried with it too, and survives.
  const { error, time, ...second } = first.time < slow ? await timed(run) : first
  const once = [...first.before, ...first.reached.filter((id) => !second.reached.includes(id))]
  if (from === 0) log({ event: "once", test, ids: once })
  log({ event: "test", test, time, reached: error === null ? second.reached : [] })
  if (first.error !== null) return log({ event: "failed", test, message: String(first.error) })
  // Later bands name their tests: a test that is faster now than it was is tried there all the same.
  if (error !== null || (from === 0 && time >= to)) return

  const mine = new Set(ids)
  const known = new Set(passed[test])
  const killed: Array<number> = []
  switches.most = 20 * second.calls + 1_000_000
  for (const id of second.reached) {
    if (!mine.has(id) || noticed.has(id) || known.has(id)) continue
    switches.on = id
    log({ event: "start", id, limit: 10_000 + 20 * time, test })
    if ((await timed(run)).error === null) continue
    log({ event: "killed", id, test })
    killed.push(id)
  }
  switches.on = -1
  switches.most = Infinity
  // A test that now fails without a mutant, too, proves nothing.
  const isSpoiled = killed.length > 0 && (await timed(run)).error !== null
  if (!isSpoiled) for (const id of killed) noticed.add(id)
  log({ event: isSpoiled ? "spoiled" : "end", test })
}

/** Runs a test: whether it fails, its time in milliseconds, the mutants that it reaches, and those reached before. */
const timed = async (run: () => Promise<void>) => {
  const before = reset()
  const began = performance.now()
  const error: unknown = await run().then(
    () => null,
    (failure: unknown) => failure ?? "a failure"
  )
  const { calls } = switches
  return { before, error, time: performance.now() - began, reached: reset(), calls }
}
