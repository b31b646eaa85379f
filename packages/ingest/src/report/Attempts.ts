/** Separates attempts of one execution from different tests with the same name. */
import type { Report } from "@lazaret/domain"
import type { Limits } from "../text/Limits.ts"
import * as Names from "./Names.ts"

/** The fields that decide whether a listed case is an attempt (see `CaseList.Listing`). */
interface Listing {
  readonly group: string
  readonly isAttempt: boolean
  readonly hasPlace: boolean
  readonly hasCopies: boolean
}

/**
 * The executions that listed cases make.
 *
 * **Details**
 *
 * - `attempts`: names with an ordinal whose executions the report proves to be attempts of the test without it (`isProven`).
 * - `ordered`: the other names with an ordinal: only the order of the report tells these tests apart.
 */
export interface Executions {
  readonly cases: ReadonlyArray<Report.Case>
  readonly attempts: ReadonlyMap<string, string>
  readonly ordered: ReadonlyArray<string>
}

/** The names of a growing list of cases. */
export interface NameIndex {
  /** Reads the cases that were added since the last call. */
  readonly read: (cases: ReadonlyArray<Report.Case>) => void
  /** The indexes of the cases of each name that several cases have, in order. */
  readonly repeats: () => ReadonlyArray<ReadonlyArray<number>>
  readonly has: (name: string) => boolean
  /** Whether a case has this name with an ordinal behind it. */
  readonly hasOrdinalOf: (name: string) => boolean
}

/** The index of an empty list. */
export const nameIndex = (): NameIndex => {
  const first = new Map<string, number>()
  const again = new Map<string, Array<number>>()
  const withOrdinals = new Set<string>()
  let next = 0
  const note = (name: string, index: number): void => {
    const before = first.get(name)
    const indexes = again.get(name)
    if (indexes !== undefined) indexes.push(index)
    else if (before !== undefined) again.set(name, [before, index])
    else {
      first.set(name, index)
      if (ordinalAtEnd.test(name)) withOrdinals.add(name.replace(ordinalAtEnd, ""))
    }
  }
  return {
    read: (cases) => {
      for (; next < cases.length; next++) note(cases[next]?.testName ?? "", next)
    },
    repeats: () => [...again.values()],
    has: (name) => first.has(name),
    hasOrdinalOf: (name) => withOrdinals.has(name)
  }
}

const ordinalAtEnd = / #\d+$/u

/**
 * The executions that the listed cases make.
 *
 * **Details**
 *
 * A failure that a producer with copies lists again, equal in text and duration, is left out. Cases of equal name, group and file are attempts of one execution only when the producer says so for each of them, and
 * when every one but the last failed: a retry stops at the first pass, so that a pass before a failure, and a skipped case,
 * are never attempts. They become one case in the place of the first. All other cases are executions of their own.
 *
 * With `ordinal`, names are unique: the first execution keeps its name, the second gets ` #2`, the third ` #3`, and so
 * on. A number is skipped when another case already has the resulting name.
 */
export const executions = (
  cases: ReadonlyArray<Report.Case>,
  listings: ReadonlyArray<Listing>,
  equalNames: "ordinal" | "asSent",
  { limits, names }: { readonly limits: Limits; readonly names: NameIndex }
): Executions => {
  names.read(cases)
  const again = names.repeats()
  const attempts = new Map<string, string>()
  const ordered: Array<string> = []
  if (again.length === 0) return { cases, attempts, ordered }
  const result: Array<Report.Case | null> = [...cases]
  const proven = new Set(again.flatMap((indexes) => fold(result, indexes, listings)))
  if (equalNames === "ordinal") {
    const made = new Set<string>()
    const isTaken = (name: string): boolean => {
      if (names.has(name) || made.has(name)) return true
      made.add(name)
      return false
    }
    for (const indexes of again) {
      const name = cases[indexes[0] ?? 0]?.testName ?? ""
      // A look-up reads all characters of a name; nearly no name can be equal to another one with an ordinal.
      const canCollide = names.hasOrdinalOf(name) || name.length + longestOrdinal > limits.nameLength
      number(result, indexes, limits, canCollide ? isTaken : () => false)
      const [first = 0, ...others] = indexes.filter((index) => result[index] !== null)
      for (const index of others) {
        const case_ = result[index]
        if (case_ === null || case_ === undefined) continue
        if (!proven.has(index) || !proven.has(first)) ordered.push(case_.testName)
        else {
          attempts.set(case_.testName, name)
          if (case_.conclusion === "failed") result[index] = { ...case_, attemptOf: name }
        }
      }
    }
  }
  return { cases: result.filter((each) => each !== null), attempts, ordered }
}

/** Folds attempts, leaves copies out, and yields the indexes of the cases that are proven attempts and stay. */
const fold = (
  result: Array<Report.Case | null>,
  indexes: ReadonlyArray<number>,
  listings: ReadonlyArray<Listing>
): ReadonlyArray<number> =>
  byGroup(indexes, result, listings).flatMap((all) => {
    const same = listings[all[0] ?? 0]?.hasCopies === true ? withoutCopies(result, all) : all
    const attempts = same.flatMap((index) => result[index] ?? [])
    if (!same.slice(1).every((index) => listings[index]?.isAttempt) || !isRetry(attempts)) {
      return listings[same[0] ?? 0]?.hasPlace === true && isProven(attempts) ? same : []
    }
    for (const index of same) result[index] = null
    result[same[0] ?? 0] = attempts.reduce(merge)
    return []
  })

const withoutCopies = (result: Array<Report.Case | null>, indexes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const seen = new Set<string>()
  return indexes.filter((index) => {
    const { conclusion, durationMs, exception } = result[index] ?? {
      conclusion: "passed",
      durationMs: 0,
      exception: null
    }
    const key = JSON.stringify([durationMs, exception])
    const isCopy = conclusion === "failed" && seen.has(key)
    if (isCopy) result[index] = null
    if (conclusion === "failed") seen.add(key)
    return !isCopy
  })
}

/**
 * Whether executions of equal name, group and place are attempts of one test though the producer does not say so: equal
 * failures, and a pass at the end.
 *
 * **Details**
 *
 * It is enough to let a quarantine of the test hold for all of them, and not to take them for a flaky pass: tests with equal
 * names may fail for one reason, too.
 */
const isProven = (attempts: ReadonlyArray<Report.Case>): boolean => {
  const failures = attempts.slice(0, -1)
  return attempts.at(-1)?.conclusion === "passed" && isRetry(attempts) && new Set(failures.map(textOf)).size === 1
}

const textOf = ({ exception }: Report.Case): string => JSON.stringify([exception?.type, exception?.message])

const number = (
  result: Array<Report.Case | null>,
  indexes: ReadonlyArray<number>,
  limits: Limits,
  isTaken: (name: string) => boolean
): void => {
  let ordinal = 1
  for (const index of indexes.filter((each) => result[each] !== null).slice(1)) {
    const case_ = result[index]
    if (case_ === null || case_ === undefined) continue
    let testName: string
    do testName = withOrdinal(case_, ++ordinal, limits)
    while (isTaken(testName))
    result[index] = { ...case_, testName }
  }
}

const longestOrdinal = " #200000".length

const withOrdinal = ({ testName }: Report.Case, ordinal: number, limits: Limits): string =>
  Names.fit(`${testName} #${ordinal}`, limits.nameLength)

const byGroup = (
  indexes: ReadonlyArray<number>,
  cases: ReadonlyArray<Report.Case | null>,
  listings: ReadonlyArray<Listing>
): ReadonlyArray<ReadonlyArray<number>> => {
  const groups = new Map<string, Array<number>>()
  for (const index of indexes) {
    const key = `${listings[index]?.group}\0${cases[index]?.filepath}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [index])
    else group.push(index)
  }
  return [...groups.values()]
}

const isRetry = (attempts: ReadonlyArray<Report.Case>): boolean =>
  attempts.length > 1 &&
  attempts.at(-1)?.conclusion !== "skipped" &&
  attempts.slice(0, -1).every(({ conclusion }) => conclusion === "failed")

/**
 * A failed attempt and the one after it as one case (semantics of executions).
 *
 * **Details**
 *
 * A final pass is a flaky pass and keeps the exception of the first failure. Time and duration are those of the later
 * attempt. pytest lists a case twice when both the test and its teardown fail: that is not a further attempt. A later
 * attempt may itself report how many were before it.
 */
const merge = (earlier: Report.Case, later: Report.Case): Report.Case => ({
  testName: earlier.testName,
  at: later.at ?? earlier.at,
  durationMs: later.durationMs,
  conclusion: later.conclusion,
  flaky: later.conclusion === "passed",
  reruns: Math.max(earlier.reruns + (isTeardown(later) ? 0 : 1), later.reruns),
  exception: earlier.exception ?? later.exception,
  filepath: earlier.filepath,
  functionName: earlier.functionName ?? later.functionName
})

const isTeardown = (attempt: Report.Case): boolean =>
  attempt.exception?.message?.startsWith("failed on teardown with ") === true
