/** The cost of flaky tests as people read it: by test, cause, owner or week, with prices and shares. */
import * as Text from "../text/Text.ts"
import * as Instant from "../time/Instant.ts"
import { kinds, wholeRun } from "./CostCommit.ts"
import * as Known from "./CostKnown.ts"
import type { CostPolicy } from "./CostPolicy.ts"
import * as CostShare from "./CostShare.ts"

/** The rows of a table of costs. */
export type By = "test" | "cause" | "owner" | "week"

/** Microseconds by their purpose, and the part of the job runs that only flakes made red, in millionths. */
export interface Spent {
  readonly failed: number
  readonly repeated: number
  readonly retried: number
  readonly waiting: number
  readonly runs: number
}

/**
 * A row of a table of costs.
 *
 * **Details**
 *
 * - `key`: of all rows of a table different. `name`: what people read; null for tests that are not listed, and for those without owner.
 * - `testName`, `causeId`, `start`: the one test, the cause or the week of the row, where it has one.
 * - `tests`: how many tests it stands for.
 * - `amount`: its price, or its minutes of machine where nothing has a price. `share`: of the amounts of all rows.
 */
export interface Row extends Spent {
  readonly key: string
  readonly name: string | null
  readonly testName: string | null
  readonly causeId: string | null
  readonly start: Instant.Instant | null
  readonly tests: number
  readonly amount: number
  readonly share: number
}

/**
 * A table of costs.
 *
 * **Details**
 *
 * - `missingRuns`: how many more job runs are needed before there are figures, 0 when there are enough. Without enough, `rows` is empty.
 * - `total`: the sum of all rows. `counts`: the sum of the weeks; nothing before `from` is in it.
 * - `worst`: how many causes, at most five, cost most, and their share.
 */
export interface Cost {
  readonly missingRuns: number
  readonly from: Instant.Instant
  readonly weeks: ReadonlyArray<Known.Week & { readonly spent: Spent }>
  readonly counts: Omit<Known.Week, "start">
  readonly total: Spent & { readonly amount: number }
  readonly rows: ReadonlyArray<Row>
  readonly worst: { readonly causes: ReadonlyArray<Row>; readonly share: number }
}

/** The part of a computation that is asked for. */
export interface Question {
  readonly by: By
  readonly weeks: number
  readonly policy: CostPolicy
  readonly ownersOf: (test: Known.Test) => ReadonlyArray<string>
}

/** The table that a computation answers. */
export const of = (known: Known.CostKnown, question: Question): Cost => {
  const first = Math.max(0, known.weeks.length - question.weeks)
  const weeks = known.weeks.slice(first)
  const counts = weeks.reduce<Omit<Known.Week, "start">>(plusWeek, noWeek)
  const missingRuns = Math.max(0, question.policy.leastRuns - counts.runs.all)
  const cells = missingRuns > 0 ? [] : known.cells.filter(({ week }) => week >= first)
  const tableOf = (by: By) => ranked(rowsOf(known, cells, { ...question, by }), question.policy)
  const rows = tableOf(question.by)
  const causes = (question.by === "cause" ? rows : tableOf("cause")).filter(({ key }) => key !== othersKey)
  const worst = causes.filter(({ amount }) => amount > 0).slice(0, mostWorst)
  const spent = cells.reduce<Spent>(plus, nothing)
  return {
    missingRuns,
    from: Math.max(known.from, weeks[0]?.start ?? 0),
    weeks: weeks.map((week, index) => ({ ...week, spent: spentIn(cells, first + index) })),
    counts,
    total: { ...spent, amount: amountOf(spent, question.policy) },
    rows: question.by === "week" ? rows.toSorted((a, b) => (b.start ?? 0) - (a.start ?? 0)) : rows,
    worst: { causes: worst, share: worst.reduce((sum, { share }) => sum + share, 0) }
  }
}

const spentIn = (cells: ReadonlyArray<Known.Cell>, week: number): Spent =>
  cells.filter((cell) => cell.week === week).reduce<Spent>(plus, nothing)

const mostWorst = 5

const othersKey = "others"

const nothing: Spent = { failed: 0, repeated: 0, retried: 0, waiting: 0, runs: 0 }

const plus = (a: Spent, b: Spent): Spent => ({
  failed: a.failed + b.failed,
  repeated: a.repeated + b.repeated,
  retried: a.retried + b.retried,
  waiting: a.waiting + b.waiting,
  runs: a.runs + b.runs
})

const noCounts: Known.Counts = { all: 0, red: 0, byFlakes: 0, withGate: 0 }

const noWeek: Omit<Known.Week, "start"> = {
  runs: noCounts,
  commits: noCounts,
  pulls: noCounts,
  runUs: 0,
  platformRuns: 0,
  judgedUs: 0,
  outageRuns: 0,
  outageUs: 0,
  letPass: 0,
  waits: 0,
  evictions: 0,
  queueReruns: 0
}

const plusCounts = (a: Known.Counts, b: Known.Counts): Known.Counts => ({
  all: a.all + b.all,
  red: a.red + b.red,
  byFlakes: a.byFlakes + b.byFlakes,
  withGate: a.withGate + b.withGate
})

const plusWeek = (a: Omit<Known.Week, "start">, b: Known.Week): Omit<Known.Week, "start"> => ({
  runs: plusCounts(a.runs, b.runs),
  commits: plusCounts(a.commits, b.commits),
  pulls: plusCounts(a.pulls, b.pulls),
  runUs: a.runUs + b.runUs,
  platformRuns: a.platformRuns + b.platformRuns,
  judgedUs: a.judgedUs + b.judgedUs,
  outageRuns: a.outageRuns + b.outageRuns,
  outageUs: a.outageUs + b.outageUs,
  letPass: a.letPass + b.letPass,
  waits: a.waits + b.waits,
  evictions: a.evictions + b.evictions,
  queueReruns: a.queueReruns + b.queueReruns
})

/** A row while its cells are summed up. */
type Group = { -readonly [K in keyof Omit<Row, "amount" | "share">]: Row[K] }

/** The subject of a row, before anything is spent. */
type Head = Pick<Row, "causeId" | "key" | "name" | "start" | "testName">

const head = (key: string, name: string | null, parts: Partial<Head> = {}): Head => ({
  causeId: parts.causeId ?? null,
  start: parts.start ?? null,
  testName: parts.testName ?? null,
  key,
  name
})

/** The rows before they have an amount. */
const rowsOf = (known: Known.CostKnown, cells: ReadonlyArray<Known.Cell>, question: Question): ReadonlyArray<Group> => {
  const found = new Map<string, Group>()
  const rowOf = (subject: Head): Group => {
    const row = found.get(subject.key) ?? { ...subject, ...nothing, tests: 0 }
    found.set(subject.key, row)
    return row
  }
  if (question.by === "week") {
    const rows = known.weeks.map(({ start }, week) =>
      week < known.weeks.length - question.weeks ? null : rowOf(weekHead(start))
    )
    for (const cell of cells) {
      const row = rows[cell.week]
      if (row === undefined || row === null) continue
      row.tests += 1
      spend(row, cell)
    }
    return [...found.values()]
  }
  const names = new Map(known.causes.map(({ causeId, name }) => [causeId, name]))
  const byTest = new Map<number, ReadonlyArray<Group>>()
  for (const cell of cells) {
    const rows = byTest.get(cell.test) ?? headsOf(known.tests[cell.test], names, question).map(rowOf)
    if (!byTest.has(cell.test)) for (const row of rows) row.tests += 1
    byTest.set(cell.test, rows)
    spendOn(rows, cell)
  }
  return [...found.values()]
}

const spend = (row: Group, spent: Spent): void => {
  for (const kind of kinds) row[kind] += spent[kind]
}

/** Shares what a test cost among its rows: several owners have equal parts. */
const spendOn = (rows: ReadonlyArray<Group>, spent: Spent): void => {
  const [only] = rows
  if (only !== undefined && rows.length === 1) return spend(only, spent)
  for (const kind of kinds) {
    const parts = CostShare.parts(spent[kind], rows.length)
    for (const [index, row] of rows.entries()) row[kind] += parts[index] ?? 0
  }
}

const weekHead = (start: Instant.Instant): Head => {
  const day = Instant.toIso(start).slice(0, 10)
  return head(day, day, { start })
}

/** The rows of a test, undefined for one that is not listed: it has several owners, or one row. */
const headsOf = (
  test: Known.Test | undefined,
  names: ReadonlyMap<string, string>,
  { by, ownersOf }: Question
): ReadonlyArray<Head> => {
  if (test === undefined) return [head(othersKey, null)]
  const { causeId, testName } = test
  if (by === "owner") {
    const owners = [...new Set(ownersOf(test))].sort(Text.compare)
    return owners.length === 0 ? [head("nobody", null)] : owners.map((owner) => head(`owner ${owner}`, owner))
  }
  const name = by === "cause" ? names.get(causeId ?? "") : undefined
  // A test without a cause is a row of its own.
  return name === undefined
    ? [head(`test ${testName}`, testName, { testName })]
    : [head(`cause ${causeId}`, name, { causeId })]
}

const ranked = (rows: ReadonlyArray<Group>, policy: CostPolicy): ReadonlyArray<Row> => {
  const priced = rows.map((row) => ({ ...row, amount: amountOf(row, policy) }))
  const total = priced.reduce((sum, { amount }) => sum + amount, 0)
  return priced
    .map((row) => ({ ...row, share: total === 0 ? 0 : row.amount / total }))
    .sort((a, b) => b.amount - a.amount || b.waiting - a.waiting || Text.compare(a.key, b.key))
}

/** Whether machines or people have a price. */
export const isPriced = ({ machineMinute, personMinute }: CostPolicy): boolean => machineMinute > 0 || personMinute > 0

/** The microseconds of machines. */
export const machineUs = ({ failed, repeated, retried }: Spent): number => failed + repeated + retried

/** The number of job runs of their millionths. */
export const runsOf = (millionths: number): number => millionths / wholeRun

/** The minutes of microseconds. */
export const minutesOf = (us: number): number => us / 60_000_000

/** The price of what was spent, or its minutes of machine where nothing has a price. */
export const amountOf = (spent: Spent, policy: CostPolicy): number =>
  isPriced(policy)
    ? minutesOf(machineUs(spent)) * policy.machineMinute + minutesOf(spent.waiting) * policy.personMinute
    : minutesOf(machineUs(spent))

/** The share of the most expensive causes in one sentence; null where flakes cost nothing. */
export const sentence = ({ worst: { causes, share } }: Pick<Cost, "worst">): string | null => {
  if (causes.length === 0) return null
  const subject = causes.length === 1 ? "the most expensive cause is" : `the ${causes.length} most expensive causes are`
  return `${subject} ${Math.round(share * 100)} % of the cost`
}

/** The sentence about missing job runs; null where there are enough. */
export const missing = ({ missingRuns }: Pick<Cost, "missingRuns">): string | null =>
  missingRuns === 0 ? null : `not enough data yet: ${missingRuns} more job run${missingRuns === 1 ? "" : "s"}`
