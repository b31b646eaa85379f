/**
 * The filter of a list of identities or of a repository statistic (interface 4.1.1, 4.1.12).
 *
 * One meaning for every store: a store that filters by itself agrees with {@link matcher}.
 */
import { Schema } from "effect"
import * as Confidence from "./Confidence.ts"
import * as Glob from "../text/Glob.ts"
import * as HealthStatus from "./HealthStatus.ts"
import * as Impact from "./Impact.ts"
import type * as TestIdentity from "../report/TestIdentity.ts"
import * as Text from "../text/Text.ts"

/**
 * The most values of one name parameter, and the most characters of one of them: patterns are matched against every
 * test of a repository (our choice, see `docs/explanation/what-is-not-specified.md`).
 */
export const limits = { values: 255, characters: 255 } as const

/** Schema of the values of one name parameter: name patterns (see `Glob`). */
export const Patterns = Schema.Array(Text.between(1, limits.characters)).check(Schema.isMaxLength(limits.values))

const clauseOf = <A extends Schema.Constraint>(values: A) => Schema.Struct({ include: values, exclude: values })

/** Schema of a filter. */
export const TestFilter = Schema.Struct({
  testName: clauseOf(Patterns),
  pipelineName: clauseOf(Patterns),
  jobName: clauseOf(Patterns),
  healthStatus: clauseOf(Schema.Array(HealthStatus.HealthStatus)),
  healthConfidence: clauseOf(Schema.Array(Confidence.Confidence)),
  failedExecutionsImpact: clauseOf(Schema.Array(Impact.Impact))
})

/**
 * A parameter and its `_exclude` sibling: the values of which one must match, and those of which none may.
 *
 * An empty list is a parameter that was not given.
 */
export interface Clause<A> {
  readonly include: ReadonlyArray<A>
  readonly exclude: ReadonlyArray<A>
}

/** A filter: every clause must hold. The names are patterns. */
export interface TestFilter {
  readonly testName: Clause<string>
  readonly pipelineName: Clause<string>
  readonly jobName: Clause<string>
  readonly healthStatus: Clause<HealthStatus.HealthStatus>
  readonly healthConfidence: Clause<Confidence.Confidence>
  readonly failedExecutionsImpact: Clause<Impact.Impact>
}

/** The fields of an identity that a filter reads. */
export interface Row extends TestIdentity.TestIdentity {
  readonly healthStatus: HealthStatus.HealthStatus
  readonly healthConfidence: Confidence.Confidence
  readonly failedExecutionsImpact: Impact.Impact | null
}

const free = { include: [], exclude: [] }

/** The filter that every identity passes. */
export const all: TestFilter = {
  testName: free,
  pipelineName: free,
  jobName: free,
  healthStatus: free,
  healthConfidence: free,
  failedExecutionsImpact: free
}

/** The clauses of a filter that are given; everything else is free. */
export type Given = { readonly [K in keyof TestFilter]?: Partial<TestFilter[K]> }

/**
 * The filter with the given clauses.
 *
 * @example
 * ```ts
 * import { TestFilter } from "@lazaret/domain"
 *
 * TestFilter.make({ jobName: { include: ["unit"] } }).jobName // => { include: ["unit"], exclude: [] }
 * TestFilter.make({}) // => TestFilter.all
 * ```
 */
export const make = (given: Given): TestFilter => ({
  testName: { ...free, ...given.testName },
  pipelineName: { ...free, ...given.pipelineName },
  jobName: { ...free, ...given.jobName },
  healthStatus: { ...free, ...given.healthStatus },
  healthConfidence: { ...free, ...given.healthConfidence },
  failedExecutionsImpact: { ...free, ...given.failedExecutionsImpact }
})

/**
 * Whether an identity passes a filter, for a filter that was compiled once.
 *
 * **Details**
 *
 * Values of one parameter are alternatives, parameters must all hold, and a value of `exclude` removes. No impact
 * (null) matches no value: it never passes an `include` and is never removed by an `exclude`.
 *
 * @example
 * ```ts
 * import { TestFilter } from "@lazaret/domain"
 *
 * const row = {
 *   testName: "Cart > adds",
 *   pipelineName: "CI",
 *   jobName: "unit",
 *   healthStatus: "healthy",
 *   healthConfidence: "low",
 *   failedExecutionsImpact: null
 * } as const
 * TestFilter.matcher(TestFilter.make({ testName: { include: ["Cart*", "Shop*"] } }))(row) // => true
 * TestFilter.matcher(TestFilter.make({ testName: { exclude: ["*adds"] } }))(row) // => false
 * TestFilter.matcher(TestFilter.make({ failedExecutionsImpact: { exclude: ["low"] } }))(row) // => true
 * ```
 */
export const matcher = (filter: TestFilter): ((row: Row) => boolean) => {
  // The cheap clauses first: they decide most rows before a pattern is tried.
  const clauses = [
    when(filter.healthStatus, valueMatcher, (row) => row.healthStatus),
    when(filter.healthConfidence, valueMatcher, (row) => row.healthConfidence),
    when(filter.failedExecutionsImpact, valueMatcher, (row) => row.failedExecutionsImpact),
    when(filter.pipelineName, nameMatcher, (row) => row.pipelineName),
    when(filter.jobName, nameMatcher, (row) => row.jobName),
    when(filter.testName, nameMatcher, (row) => row.testName)
  ].flat()
  return (row) => {
    for (const isPassed of clauses) if (!isPassed(row)) return false
    return true
  }
}

/** Whether a filter lets every test pass. */
export const isAll = (filter: TestFilter): boolean => key(filter) === key(all)

/** Whether a name passes one clause of patterns: {@link matcher} for a store that tries each distinct name once. */
export const nameMatcher = (clause: Clause<string>): ((name: string) => boolean) =>
  passes(clause, anyPattern(clause.include), anyPattern(clause.exclude))

/** Whether a value passes one clause of values; null stands for no value. */
export const valueMatcher = <A>(clause: Clause<A>): ((value: A | null) => boolean) =>
  passes<A | null>(clause, isOneOf(clause.include), isOneOf(clause.exclude))

/**
 * A text that is equal for filters with the same values only, in whatever order and however often they are given: what
 * a cursor is bound to.
 *
 * @example
 * ```ts
 * import { TestFilter } from "@lazaret/domain"
 *
 * const ab = TestFilter.make({ jobName: { include: ["a", "b"] } })
 * const ba = TestFilter.make({ jobName: { include: ["b", "a", "b"] } })
 * TestFilter.key(ab) === TestFilter.key(ba) // => true
 * ```
 */
export const key = (filter: TestFilter): string =>
  JSON.stringify(
    [
      filter.testName,
      filter.pipelineName,
      filter.jobName,
      filter.healthStatus,
      filter.healthConfidence,
      filter.failedExecutionsImpact
    ].map((clause) => [distinct(clause.include), distinct(clause.exclude)])
  )

/** The test of one clause on a row; none when the clause lets every row pass. */
const when = <A, V>(
  clause: Clause<A>,
  compile: (clause: Clause<A>) => (value: V) => boolean,
  read: (row: Row) => V
): Array<(row: Row) => boolean> => {
  if (clause.include.length + clause.exclude.length === 0) return []
  const isPassed = compile(clause)
  return [(row) => isPassed(read(row))]
}

const passes = <A>(
  clause: Clause<unknown>,
  isIncluded: (value: A) => boolean,
  isExcluded: (value: A) => boolean
): ((value: A) => boolean) => {
  if (clause.exclude.length === 0) return clause.include.length === 0 ? () => true : isIncluded
  if (clause.include.length === 0) return (value) => !isExcluded(value)
  return (value) => isIncluded(value) && !isExcluded(value)
}

const anyPattern = (patterns: ReadonlyArray<string>): ((name: string) => boolean) => {
  const literals = new Set(patterns.filter(Glob.isLiteral))
  const globs = distinct(patterns.filter((pattern) => !literals.has(pattern))).map(Glob.compile)
  return (name) => literals.has(name) || globs.some((matches) => matches(name))
}

const isOneOf = <A>(values: ReadonlyArray<A>): ((value: A | null) => boolean) => {
  const set = new Set<A | null>(values)
  return (value) => set.has(value)
}

const distinct = (values: ReadonlyArray<string>): Array<string> => Array.from(new Set(values)).sort(Text.compare)
