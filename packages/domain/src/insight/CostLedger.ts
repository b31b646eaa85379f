/** The cost of a repository, summed up commit by commit, so that a server does other work in between. */
import * as Text from "../text/Text.ts"
import type * as Instant from "../time/Instant.ts"
import * as Week from "../time/Week.ts"
import { type CommitCost, kinds } from "./CostCommit.ts"
import * as Known from "./CostKnown.ts"
import { type Colour, type Coloured, worse } from "./CostRun.ts"
import * as GateReplay from "./GateReplay.ts"
import * as Steps from "./Steps.ts"

/** The sums so far: a ledger changes with every commit that is added. The order of commits makes no difference. */
export interface CostLedger {
  readonly weeks: ReadonlyArray<Sums>
  readonly tests: Map<string, TestSums>
  readonly pulls: Map<string, Pull>
  readonly red: Array<GateReplay.RedCommit>
  readonly proofs: Map<string, Array<Instant.Instant>>
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends number ? number : Mutable<T[K]> }

type Sums = Mutable<Known.Week>

type CellSums = Mutable<Omit<Known.Cell, "test">>

interface TestSums {
  file: string | null
  fileAt: Instant.Instant
  total: number
  readonly cells: Map<number, CellSums>
}

interface Pull {
  colour: Colour
  at: Instant.Instant
}

/** A ledger without commits, as of an instant: its last week is the one of this instant. */
export const make = (now: Instant.Instant): CostLedger => ({
  weeks: Array.from({ length: Known.weeks }, (_, index) => emptyWeek(startOf(now) + index * Week.length)),
  tests: new Map(),
  pulls: new Map(),
  red: [],
  proofs: new Map()
})

/** The start of the first week of a ledger. */
export const startOf = (now: Instant.Instant): Instant.Instant => Week.startOf(now) - (Known.weeks - 1) * Week.length

/** An empty week. */
export const emptyWeek = (start: Instant.Instant): Sums => ({
  start,
  runs: noCounts(),
  commits: noCounts(),
  pulls: noCounts(),
  runUs: 0,
  platformRuns: 0,
  judgedUs: 0,
  outageRuns: 0,
  outageUs: 0,
  letPass: 0,
  waits: 0,
  evictions: 0,
  queueReruns: 0
})

const noCounts = (): Mutable<Known.Counts> => ({ all: 0, red: 0, byFlakes: 0, withGate: 0 })

/** Adds the cost of a commit. What lies before the first week counts for the first one, what lies after the last for the last. */
export const add = (ledger: CostLedger, cost: CommitCost): void => Steps.finish(adding(ledger, cost))

/** The same in steps of some thousand tests. */
export function* adding(ledger: CostLedger, cost: CommitCost): Steps.Steps<void> {
  count(weekOf(ledger, cost.at).commits, cost.colour)
  for (const { colour, run } of cost.runs) {
    const week = weekOf(ledger, run.at)
    week.runUs += run.durationUs
    if (run.source === "platform") week.platformRuns += 1
    if (colour === "outage") week.outageRuns += 1
    count(week.runs, colour)
  }
  for (const { at, us } of cost.outages) weekOf(ledger, at).outageUs += us
  if (cost.waited !== null) weekOf(ledger, cost.waited.at).waits += 1
  if (cost.pull !== null) addPull(ledger, cost.pull, cost)
  if (cost.colour !== "green") ledger.red.push(redOf(cost))
  yield* prove(ledger, cost)
  yield* charge(ledger, cost)
}

const redOf = ({ at, colour, pull, runs }: CommitCost): GateReplay.RedCommit => ({
  at,
  pull,
  colour,
  runs: runs.flatMap(({ blocking, colour: one, run }) =>
    one === "green" ? [] : [{ at: run.at, colour: one, blocking }]
  )
})

/** Notes the tests that a commit proves to be flaky. */
function* prove({ proofs }: CostLedger, { lastAt, runs }: CommitCost): Steps.Steps<void> {
  const proven = new Set<string>()
  yield* Steps.mapSteps(
    runs.filter(({ isProven }) => isProven),
    perFlake,
    ({ flaky }) => Steps.map(flaky, each, (testName) => proven.add(testName))
  )
  yield* Steps.map(proven, each, (testName) => {
    const ends = proofs.get(testName)
    if (ends === undefined) proofs.set(testName, [lastAt])
    else ends.push(lastAt)
  })
}

const perFlake = { most: 5000, weightOf: ({ flaky }: Coloured) => 1 + flaky.length }

const weekOf = ({ weeks }: CostLedger, at: Instant.Instant): Sums => {
  const index = indexOf(weeks, at)
  const week = weeks[index]
  if (week === undefined) throw new Error("a ledger has no weeks")
  return week
}

const indexOf = (weeks: ReadonlyArray<Sums>, at: Instant.Instant): number =>
  Math.max(0, Math.min(weeks.length - 1, Math.floor((at - (weeks[0]?.start ?? 0)) / Week.length)))

const count = (counts: Mutable<Known.Counts>, colour: Colour): void => {
  counts.all += 1
  if (colour !== "green") counts.red += 1
  if (colour === "flakes") counts.byFlakes += 1
}

/** Counts what stays red with the gate. The colours of pull requests are those of all their commits. */
function* replay(ledger: CostLedger): Steps.Steps<void> {
  const pulls = new Map<string, Colour>()
  for (const { colour, commit, passing } of yield* GateReplay.of(ledger.red, ledger.proofs)) {
    const isPassing = new Set(passing)
    for (const run of commit.runs) {
      if (run.colour === "flakes" && !isPassing.has(run)) weekOf(ledger, run.at).runs.withGate += 1
      if (run.colour === "other" && isPassing.has(run)) weekOf(ledger, run.at).letPass += 1
    }
    if (commit.colour === "flakes" && colour !== "green") weekOf(ledger, commit.at).commits.withGate += 1
    if (commit.pull !== null) pulls.set(commit.pull, worse(pulls.get(commit.pull) ?? "green", colour))
  }
  for (const [key, { at, colour }] of ledger.pulls) {
    if (colour === "flakes" && (pulls.get(key) ?? "green") !== "green") weekOf(ledger, at).pulls.withGate += 1
  }
}

const addPull = (ledger: CostLedger, key: string, { colour, lastAt }: CommitCost): void => {
  const known = ledger.pulls.get(key)
  if (known === undefined) {
    ledger.pulls.set(key, { colour, at: lastAt })
    return
  }
  known.colour = worse(known.colour, colour)
  known.at = Math.max(known.at, lastAt)
}

function* charge(ledger: CostLedger, { charges, runs }: CommitCost): Steps.Steps<void> {
  const charged = new Set<string>()
  yield* Steps.map(charges, each, ({ at, isProven, kind, testName, us }) => {
    charged.add(testName)
    const week = weekOf(ledger, at)
    if (!isProven && kind === "failed") week.judgedUs += us
    const test = testOf(ledger, testName)
    if (kind !== "runs") test.total += us
    cellOf(test, indexOf(ledger.weeks, at))[kind] += us
  })
  yield* Steps.mapSteps(runs, perTest, ({ run }) =>
    Steps.map(run.tests, each, ({ file, testName }) => {
      if (file !== null && charged.has(testName)) noteFile(ledger, testName, file, run.at)
    })
  )
}

const most = 5000

const each = Steps.ofItems(most)

const perTest = { most, weightOf: ({ run }: Coloured) => 1 + run.tests.length }

const testOf = ({ tests }: CostLedger, testName: string): TestSums => {
  const known = tests.get(testName)
  if (known !== undefined) return known
  const made: TestSums = { file: null, fileAt: 0, total: 0, cells: new Map() }
  tests.set(testName, made)
  return made
}

const cellOf = ({ cells }: TestSums, week: number): CellSums => {
  const known = cells.get(week)
  if (known !== undefined) return known
  const made: CellSums = { week, failed: 0, repeated: 0, retried: 0, waiting: 0, runs: 0 }
  cells.set(week, made)
  return made
}

/** The file of a test that costs is that of its latest job run. */
const noteFile = ({ tests }: CostLedger, testName: string, file: string, at: Instant.Instant): void => {
  const known = tests.get(testName)
  if (known === undefined || at < known.fileAt) return
  if (at === known.fileAt && known.file !== null && Text.compare(known.file, file) <= 0) return
  known.file = file
  known.fileAt = at
}

/** The facts that a ledger needs when it is closed. */
export interface Closing {
  readonly from: Instant.Instant
  readonly causeOf: (testName: string) => { readonly causeId: string; readonly name: string } | null
  readonly queue: ReadonlyArray<{ readonly at: Instant.Instant; readonly evictions: number; readonly reruns: number }>
}

/** The result of a ledger, as it is stored. */
export const close = (ledger: CostLedger, closing: Closing): Known.CostKnown => Steps.finish(closed(ledger, closing))

/** The same in steps of some thousand tests. */
export function* closed(ledger: CostLedger, { causeOf, from, queue }: Closing): Steps.Steps<Known.CostKnown> {
  for (const { at, evictions, reruns } of queue) {
    weekOf(ledger, at).evictions += evictions
    weekOf(ledger, at).queueReruns += reruns
  }
  for (const { at, colour } of ledger.pulls.values()) count(weekOf(ledger, at).pulls, colour)
  yield* replay(ledger)
  ledger.pulls.clear()
  const { kept, others } = yield* dearest(ledger)
  const causes = new Map<string, string>()
  const tests = kept.map(([testName, { file }]) => {
    const cause = causeOf(testName)
    if (cause !== null) causes.set(cause.causeId, cause.name)
    return { testName, causeId: cause?.causeId ?? null, file }
  })
  return {
    from,
    weeks: ledger.weeks,
    tests,
    causes: [...causes]
      .map(([causeId, name]) => ({ causeId, name }))
      .sort((a, b) => Text.compare(a.causeId, b.causeId)),
    cells: [
      ...kept.flatMap(([, { cells }], test) => sorted(cells).map((cell) => ({ ...cell, test }))),
      ...sorted(others).map((cell) => ({ ...cell, test: Known.others }))
    ]
  }
}

type Test = readonly [testName: string, sums: TestSums]

/** The tests that are listed, those that cost most, and the sums of the others. No more than some thousand are sorted at a time. */
function* dearest({ tests }: CostLedger): Steps.Steps<{
  readonly kept: ReadonlyArray<Test>
  readonly others: ReadonlyMap<number, CellSums>
}> {
  const others = new Map<number, CellSums>()
  const found: Array<Test> = []
  const keep = (length: number): void => {
    for (const [, { cells }] of found.splice(length)) addTo(others, cells)
  }
  yield* Steps.map(tests, each, (test) => {
    const [, { cells, total }] = test
    if (total === 0 && ![...cells.values()].some(({ runs }) => runs > 0)) return
    found.push(test)
    if (found.length < Known.mostTests + most) return
    found.sort(dearestFirst)
    keep(Known.mostTests)
  })
  found.sort(dearestFirst)
  keep(withinText(found))
  return { kept: found, others }
}

const dearestFirst = ([a, { total: more }]: Test, [b, { total: less }]: Test): number =>
  less - more || Text.compare(a, b)

/** How many of some tests are listed. */
const withinText = (ranked: ReadonlyArray<Test>): number => {
  let text = 0
  for (const [index, [testName, { file }]] of ranked.entries()) {
    text += testName.length + (file?.length ?? 0)
    if (index >= Known.mostTests || text > Known.mostText) return index
  }
  return ranked.length
}

const sorted = (cells: ReadonlyMap<number, CellSums>): ReadonlyArray<CellSums> =>
  [...cells.values()].sort((a, b) => a.week - b.week)

const addTo = (sums: Map<number, CellSums>, cells: ReadonlyMap<number, CellSums>): void => {
  for (const cell of cells.values()) {
    const sum = sums.get(cell.week) ?? { week: cell.week, failed: 0, repeated: 0, retried: 0, waiting: 0, runs: 0 }
    for (const kind of kinds) sum[kind] += cell[kind]
    sums.set(cell.week, sum)
  }
}
