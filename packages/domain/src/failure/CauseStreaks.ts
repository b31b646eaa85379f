/** Rows of failures in the record of a job: which are flakes of a test, and which are breaks of the default branch. */
import type { BaseRun } from "./JobRecord.ts"
import * as Text from "../text/Text.ts"

/** A commit of the default branch in the record: its job runs together. */
export interface Commit {
  readonly commit: string
  readonly failures: ReadonlyMap<string, number>
  readonly runs: number
}

/** A time that a test flaked on the default branch: `age` commits before the end of the record, and how surely. */
export interface RecordedFlake {
  readonly commit: string
  readonly age: number
  readonly sure: number
}

/** The flakes and the breaks in the commits of a record. */
export interface Found {
  readonly flakes: ReadonlyMap<string, ReadonlyArray<RecordedFlake>>
  /** How many commits broke something: the sum of the probabilities that their rows of failures are breaks. */
  readonly breaks: number
  /** How many tests began to fail with each test that fails at the end. */
  readonly together: ReadonlyMap<string, number>
}

/** Finds flakes and breaks: a test that fails on one commit between others flaked, one that fails on several broke or flaked again. */
export const find = (commits: ReadonlyArray<Commit>, tests: number): Found => {
  const flakes = new Map<string, Array<RecordedFlake>>()
  const add = (name: string, index: number, sure: number) => {
    const list = flakes.get(name) ?? []
    flakes.set(name, list)
    list.push({ commit: commits[index]?.commit ?? "", age: commits.length - 1 - index, sure })
  }
  const few = Math.max(4, tests / 100)
  const streaks = streaksOf(commits, few, add)
  for (const { isOpen, length, name, start } of streaks) {
    if (length === 1 && !isOpen) add(name, start, (commits[start]?.failures.size ?? 0) < few ? 0.9 : 0.4)
  }
  const open = streaks.filter(({ isOpen }) => isOpen)
  const openFrom = Map.groupBy(open, ({ start }) => start)
  const rateOf = (name: string) => ((flakes.get(name)?.length ?? 0) + unseenFlakes) / (commits.length + 1)
  return {
    flakes,
    breaks: breaksIn(streaks, tests, rateOf),
    together: new Map(open.map(({ name, start }) => [name, openFrom.get(start)?.length ?? 1]))
  }
}

/** The flakes that a test is taken to have had before the first one was seen. */
const unseenFlakes = 0.02

/** How many commits broke something, where a test that flakes at a rate may have flaked on each commit of its row. */
const breaksIn = (streaks: ReadonlyArray<Streak>, tests: number, rateOf: (name: string) => number): number => {
  const starting = Map.groupBy(streaks, ({ start }) => start)
  const intact = new Map<number, number>()
  for (const { length, name, start } of streaks.filter((one) => one.length > 1)) {
    const isTogether = (starting.get(start)?.length ?? 0) > 1
    const flaking = rateOf(name) ** length
    const breaking = (broken / tests) * (isTogether ? 10 : 1) * stays ** length
    intact.set(start, (intact.get(start) ?? 1) * (flaking / (flaking + breaking)))
  }
  return [...intact.values()].reduce((sum, none) => sum + 1 - none, 0)
}

/** How often a commit breaks something, and how often a break stays for one more commit, in other repositories. */
const broken = 0.03
const stays = 0.75

/** The commits in order; runs of one commit are together. */
export const commitsOf = (runs: ReadonlyArray<BaseRun>): ReadonlyArray<Commit> => {
  const found = new Map<string, { commit: string; failures: Map<string, number>; runs: number }>()
  for (const run of runs.toSorted((a, b) => a.at - b.at || Text.compare(a.commit, b.commit))) {
    const known = found.get(run.commit) ?? { commit: run.commit, failures: new Map(), runs: 0 }
    found.set(run.commit, known)
    known.runs += 1
    for (const name of run.failures ?? []) known.failures.set(name, (known.failures.get(name) ?? 0) + 1)
  }
  return [...found.values()]
}

/** A row of commits on which a test failed and never passed; `isOpen` is whether the record ends with it. */
interface Streak {
  readonly name: string
  readonly start: number
  readonly length: number
  readonly isOpen: boolean
}

/** The rows of failures in their order, without commits on which the test passed as well: `note` gets each of those. */
const streaksOf = (
  commits: ReadonlyArray<Commit>,
  few: number,
  note: (name: string, index: number, sure: number) => void
): ReadonlyArray<Streak> => {
  const found: Array<Streak> = []
  const starts = new Map<string, number>()
  for (const [index, { failures, runs }] of commits.entries()) {
    for (const [name, failed] of failures) {
      if (failed < runs) note(name, index, Math.min(1, few / failures.size))
      else if (!starts.has(name)) starts.set(name, index)
    }
    for (const [name, start] of starts) {
      if (failures.get(name) === runs) continue
      starts.delete(name)
      found.push({ name, start, length: index - start, isOpen: false })
    }
  }
  for (const [name, start] of starts) found.push({ name, start, length: commits.length - start, isOpen: true })
  return found
}
