/** Trials of mutants: which of them the tests of a subject notice. */
import type { Numbered } from "./Switches.ts"
import type { Event, Plan } from "./Runner.ts"
import type { Subject } from "./Subject.ts"
import * as Tree from "./Tree.ts"

/** The fate of a mutant: `by` is the test that noticed it, "" where none did. */
export interface Outcome extends Numbered {
  readonly fate: "killed" | "timeout" | "survived" | "unreached"
  readonly by: string
}

/** A trial: its mutants are tried until the time `ends`. */
export interface Trial {
  readonly tree: Tree.Tree
  readonly subject: Subject
  readonly ends: number
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
  for (const index of trial.subject.tests.keys()) {
    for (const band of bands) await tryEach(trial, known, index, band)
  }
  if (Date.now() >= trial.ends) return
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
  while (Date.now() < trial.ends && known.alive.size > 0) {
    const isIdle = ({ reached }: Test) => !reached.some((id) => known.alive.has(id))
    const due = [...known.tests].filter(
      ([, test]) => test.index === index && test.time >= from && test.time < to && !isIdle(test)
    )
    if (from > 0 && due.length === 0) return
    const skipped = [...known.tests].filter((each) => !due.includes(each)).map(([test]) => test)
    const plan: Plan = { mode: "each", ids: [...known.alive.keys()], from, to, skipped }
    const files = from > 0 ? [...new Set(due.map(([test]) => fileOf(test)))] : null
    const { answer, events } = await Tree.run(
      trial.tree,
      index,
      { files, path: "", plan },
      { ...trial, limit: longest }
    )
    learn(trial, known, index, events)
    const last = events.at(-1)
    if (answer === null && last?.event === "start" && Date.now() < trial.ends) {
      settle(trial, known, last.id, "timeout", last.test)
      continue
    }
    if (answer === null && Date.now() < trial.ends) throw new Error("The tests do not end without any mutant.")
    const errors = events.flatMap((each) => (each.event === "failed" ? [`${each.test}: ${each.message}`] : []))
    const failed = [...errors, ...(from > 0 ? [] : (answer?.failed ?? []))]
    if (failed.length > 0) throw new Error(`The tests fail without any mutant:\n${failed.join("\n")}`)
    return
  }
}

const fileOf = (test: string): string => test.split(" > ")[0] ?? ""

/** Adds what happened in a run; what a test noticed counts when the test has ended. */
const learn = (trial: Trial, known: Known, index: number, events: ReadonlyArray<Event>): void => {
  let killed: Array<number> = []
  for (const each of events) {
    if (each.event === "test") known.tests.set(each.test, { index, time: each.time, reached: each.reached })
    if (each.event === "once") for (const id of each.ids) known.once.add(id)
    if (each.event === "killed") killed.push(each.id)
    if (each.event === "end") for (const id of killed) settle(trial, known, id, "killed", each.test)
    if (each.event === "end" || each.event === "spoiled") killed = []
  }
}

/** Tries a mutant in a process of its own, list after list. */
const tryAlone = async (trial: Trial, known: Known, { id, mutant }: Numbered): Promise<void> => {
  for (const index of trial.subject.tests.keys()) {
    const times = [...known.tests.values()].filter((test) => test.index === index).map(({ time }) => time)
    const limit = 60_000 + 10 * times.reduce((sum, time) => sum + time, 0)
    if (Date.now() >= trial.ends) return
    const asked = { files: null, path: mutant.path, plan: { mode: "one", id } } as const
    const { answer, events } = await Tree.run(trial.tree, index, asked, { ...trial, limit })
    const [killed] = events.flatMap((each) => (each.event === "killed" ? [each.test] : []))
    if (answer === null) {
      if (Date.now() < trial.ends) settle(trial, known, id, "timeout")
      return
    }
    if (!answer.isPassed) return settle(trial, known, id, "killed", killed ?? answer.failed[0] ?? "")
  }
  settle(trial, known, id, "survived")
}
