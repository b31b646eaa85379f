/** Generators of lists: awkward names, patterns, filters, sortable rows with many ties, and windows. */
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Confidence from "../health/Confidence.ts"
import * as HealthStatus from "../health/HealthStatus.ts"
import * as Impact from "../health/Impact.ts"
import * as Instant from "../time/Instant.ts"
import type * as TestFilter from "../health/TestFilter.ts"
import * as TestIdentity from "../report/TestIdentity.ts"
import type * as TestSort from "../health/TestSort.ts"
import * as TimeWindow from "../time/TimeWindow.ts"

/**
 * Characters on which orders, patterns and databases disagree: both cases, digits, the wildcards of SQL and of globs,
 * the escape character, a line break, accents composed and combining, and both sides of the UTF-16 surrogates.
 */
export const characters = [
  "a",
  "b",
  "B",
  "Z",
  "_",
  "1",
  "10",
  " ",
  "%",
  "\\",
  "*",
  "?",
  ".",
  "[",
  "\n",
  "\u00e9",
  "e\u0301",
  "\ufffd",
  "\u{1f600}"
] as const

/** Short names of {@link characters}: few enough that names share prefixes, and some are equal. */
export const names: Arbitrary.Arbitrary<string> = Arbitrary.array(Arbitrary.schema(Schema.Literals(characters)), {
  minLength: 1,
  maxLength: 6
}).pipe(Arbitrary.map((parts) => parts.join("")))

const pieces = [...characters, "*", "*", "*", "?", "?"] as const

/** Patterns of the characters of {@link names}, rich in wildcards. */
export const patterns: Arbitrary.Arbitrary<string> = Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), {
  minLength: 1,
  maxLength: 6
}).pipe(Arbitrary.map((parts) => parts.join("")))

const clauses = <A>(values: Arbitrary.Arbitrary<A>): Arbitrary.Arbitrary<TestFilter.Clause<A>> => {
  const list = Arbitrary.array(values, { maxLength: 2 })
  return Arbitrary.all({ include: list, exclude: list })
}

/** Filters with up to two values on each side of each clause. */
export const filters: Arbitrary.Arbitrary<TestFilter.TestFilter> = Arbitrary.all({
  testName: clauses(patterns),
  pipelineName: clauses(patterns),
  jobName: clauses(patterns),
  healthStatus: clauses(Arbitrary.schema(HealthStatus.HealthStatus)),
  healthConfidence: clauses(Arbitrary.schema(Confidence.Confidence)),
  failedExecutionsImpact: clauses(Arbitrary.schema(Impact.Impact))
})

/** Rows of the search with few different values, so that most sort keys are tied. */
export const rows: Arbitrary.Arbitrary<TestSort.Row> = Arbitrary.all({
  testName: names,
  pipelineName: Arbitrary.schema(Schema.Literals(["CI", "ci", "nightly \u{1f600}"])),
  jobName: Arbitrary.schema(Schema.Literals(["unit", "Unit", "unit_2"])),
  executionsCount: Arbitrary.schema(Schema.Literals([0, 1, 9, 10, 2 ** 31])),
  healthStatus: Arbitrary.schema(HealthStatus.HealthStatus),
  healthConfidence: Arbitrary.schema(Confidence.Confidence),
  failedExecutionsImpact: Arbitrary.schema(Schema.NullOr(Impact.Impact)),
  failedExecutionsRatio: Arbitrary.schema(Schema.Literals([0, 0.05, 1 / 3, 1]))
})

/** Lists of {@link rows} with distinct identities, in no order. */
export const rowLists = (maxLength = 25): Arbitrary.Arbitrary<ReadonlyArray<TestSort.Row>> =>
  Arbitrary.array(rows, { maxLength }).pipe(
    Arbitrary.map((list) => Array.from(new Map(list.map((row) => [TestIdentity.key(row), row])).values()))
  )

const day = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: TimeWindow.latestEnd / Instant.day - 401 }))
const offset = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Instant.day - 1 }))
const length = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 }))

/** Windows of 1 millisecond to 400 days, anywhere in the accepted time; about half of them start at midnight. */
export const windows: Arbitrary.Arbitrary<TimeWindow.TimeWindow> = Arbitrary.all({
  day: Arbitrary.schema(day),
  offset: Arbitrary.schema(offset),
  isMidnight: Arbitrary.schema(Schema.Boolean),
  length: Arbitrary.schema(length),
  unit: Arbitrary.schema(Schema.Literals([1, Instant.minute, Instant.hour, Instant.day]))
}).pipe(
  Arbitrary.map((draw) => {
    const start = draw.day * Instant.day + (draw.isMidnight ? 0 : draw.offset)
    return { start, end: start + draw.length * draw.unit }
  })
)
