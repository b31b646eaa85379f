/** Trials of mutants: which of them the tests of a subject notice. */
import type { Findings } from "./Findings.ts"
import type { Event, Plan } from "./Runner.ts"
import type { Subject } from "./Subject.ts"
import type { Numbered } from "./Switches.ts"
import * as Tree from "./Tree.ts"

/** The fate of a mutant: `by` is the test that noticed it, "" where none did. */
export interface Outcome extends Numbered {
  readonly fate: "killed" | "timeout" | "survived" | "unreached"
  readonly by: string
}

/** A trial: its mutants are tried until it is over. */
export interface Trial {
  readonly tree: Tree.Tree
  readonly subject: Subject
  readonly findings: Findings
  readonly isOver: () => boolean
  readonly report: (outcome: Outcome) => void
}

interface Test {
  readonly index: number
  readonly time: number
  readonly reached: ReadonlyArray<number>
}

/** The present knowledge: the mutants that no test has noticed, and the tests that ran. */
interface Known {
  readonly alive: Map<number, Numbered>
  readonly tests: Map<string, Test>
  /** The mutants whose place runs before the tests, or once in a process: they are tried in a process of their own. */
  readonly once: Set<number>
}

/** The bounds of the times of tests, in milliseconds: mutants are tried with all faster tests before slower ones. */
const bands: ReadonlyArray<readonly [from: number, to: number]> = [
  [0, 60],
  [60, 1500],
  [1500, 1e9]
]

/** The time that tests may take without a mutant, in milliseconds. */
const longest = 600_000

/** Tries mutants, and reports the outcome of each; none of those that the time did not suffice for. */
export const run = async (trial: Trial, mutants: ReadonlyArray<Numbered>): Promise<void> => {
  const known: Known = { alive: new Map(mutants.map((each) => [each.id, each])), tests: new Map(), once: new Set() }
  for (const { id } of mutants) {
    const { finding, tests } = trial.findings.decided.get(id) ?? {}
    if (finding === "killed" || finding === "timeout") settle(trial, known, id, finding, tests)
  }
  for (const [name, test] of trial.findings.reach) {
    known.tests.set(name, test)
    for (const id of test.once) known.once.add(id)
  }
  for (const index of trial.subject.tests.keys()) {
    for (const band of bands) await tryEach(trial, known, index, band)
  }
  if (trial.isOver()) return
  const reached = new Set([...known.tests.values()].flatMap((test) => test.reached))
  for (const { id } of known.alive.values()) {
    if (!known.once.has(id)) settle(trial, known, id, reached.has(id) ? "survived" : "unreached")
  }
  for (const each of known.alive.values()) await tryAlone(trial, known, each)
}

const settle = (trial: Trial, { alive }: Known, id: number, fate: Outcome["fate"], by = ""): void => {
  const numbered = alive.get(id)
  if (numbered === undefined || !alive.delete(id)) return
  trial.report({ ...numbered, fate, by })
}

/** Tries the mutants with the tests of a list whose time is in a band; the first band runs each test of the list. */
const tryEach = async (
  trial: Trial,
  known: Known,
  index: number,
  [from, to]: readonly [number, number]
): Promise<void> => {
  while (!trial.isOver() && known.alive.size > 0) {
    const isDue = (name: string, test: Test): boolean =>
      test.index === index && test.time >= from && test.time < to && hasWork(trial, known, name, test)
    const due = [...known.tests].filter(([name, test]) => isDue(name, test)).map(([name]) => name)
    if (from > 0 && due.length === 0) return
    const skipped = [...known.tests.keys()].filter((name) => !due.includes(name))
    const plan: Plan = { mode: "each", ids: [...known.alive.keys()], from, to, skipped, passed: passedOf(trial, known) }
    const files = from > 0 ? [...new Set(due.map(fileOf))] : null
    const failed: Array<string> = []
    const learn = learning(trial, known, index)
    const { answer, last } = await Tree.run(
      trial.tree,
      { index, files, path: "", plan, limit: longest },
      {
        isOver: trial.isOver,
        learn: (event) => {
          learn(event)
          if (event.event === "failed") failed.push(`${event.test}: ${event.message}`)
        }
      }
    )
    if (answer === null && last?.event === "start" && !trial.isOver()) {
      trial.findings.keep(last.test, [fileOf(last.test)], "timeout", [last.id])
      settle(trial, known, last.id, "timeout", last.test)
      continue
    }
    if (answer === null && !trial.isOver()) throw new Error("The tests do not end without any mutant.")
    if (from === 0) failed.push(...(answer?.failed ?? []))
    if (failed.length > 0) throw new Error(`The tests fail without any mutant:\n${failed.join("\n")}`)
    return
  }
}

/** Whether a test reaches a mutant that no test has noticed, and that it was not tried with. */
const hasWork = ({ findings }: Trial, { alive }: Known, name: string, { reached }: Test): boolean => {
  const passed = findings.passed(name)
  return reached.some((id) => alive.has(id) && !passed.has(id))
}

const passedOf = ({ findings }: Trial, { alive }: Known): Readonly<Record<string, ReadonlyArray<number>>> =>
  Object.fromEntries(
    [...findings.tests()].map((name) => [name, [...findings.passed(name)].filter((id) => alive.has(id))])
  )

const fileOf = (test: string): string => test.split(" > ")[0] ?? ""

/** Learns from the events of a run; what a test noticed counts when the test has ended. */
const learning = (trial: Trial, known: Known, index: number): ((event: Event) => void) => {
  let tried = new Set<number>()
  let killed: Array<number> = []
  let once: ReadonlyArray<number> = []
  const learnReach = ({ reached, test, time }: Extract<Event, { readonly event: "test" }>) => {
    if (!known.tests.has(test)) trial.findings.keepReach(test, fileOf(test), { index, time, reached, once })
    known.tests.set(test, { index, time, reached })
    once = []
  }
  const conclude = (test: string) => {
    trial.findings.keep(test, [fileOf(test)], "killed", killed)
    trial.findings.keep(
      test,
      [fileOf(test)],
      "passed",
      [...tried].filter((id) => !killed.includes(id))
    )
    for (const id of killed) settle(trial, known, id, "killed", test)
  }
  return (each) => {
    if (each.event === "once") {
      once = each.ids
      for (const id of once) known.once.add(id)
    }
    if (each.event === "test") learnReach(each)
    if (each.event === "start") tried.add(each.id)
    if (each.event === "killed") killed.push(each.id)
    if (each.event === "end") conclude(each.test)
    if (each.event !== "end" && each.event !== "spoiled") return
    killed = []
    tried = new Set()
  }
}

/** Tries a mutant in a process of its own, list after list. */
const tryAlone = async (trial: Trial, known: Known, { id, mutant }: Numbered): Promise<void> => {
  for (const [index, tests] of trial.subject.tests.entries()) {
    const name = `all of ${tests.join(" ")}`
    if (trial.isOver()) return
    if (trial.findings.passed(name).has(id)) continue
    const times = [...known.tests.values()].filter((test) => test.index === index).map(({ time }) => time)
    const limit = 60_000 + 10 * times.reduce((sum, time) => sum + time, 0)
    let by = ""
    // A process may keep its workers, and with them the constants of the mutant before.
    Tree.end(trial.tree)
    const { answer } = await Tree.run(
      trial.tree,
      { index, files: null, path: mutant.path, plan: { mode: "one", id }, limit },
      { isOver: trial.isOver, learn: (event) => void (event.event === "killed" && (by = event.test)) }
    )
    if (answer === null && trial.isOver()) return
    const fate = answer === null ? "timeout" : answer.isPassed ? "passed" : "killed"
    trial.findings.keep(by === "" ? name : by, by === "" ? tests : [fileOf(by)], fate, [id])
    if (fate !== "passed") return settle(trial, known, id, fate, by === "" ? (answer?.failed[0] ?? name) : by)
  }
  settle(trial, known, id, "survived")
}
