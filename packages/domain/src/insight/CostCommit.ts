/** The cost of flakes on one commit: job runs that they made red, jobs that ran again for them, and the wait for a green one. */
import type { FailureGate } from "../failure/FailureGate.ts"
import { jobKey } from "../failure/JobRun.ts"
import * as Text from "../text/Text.ts"
import * as Instant from "../time/Instant.ts"
import type { CostRun } from "./CostFacts.ts"
import type { CostPolicy } from "./CostPolicy.ts"
import * as Run from "./CostRun.ts"
import * as CostShare from "./CostShare.ts"
import * as Steps from "./Steps.ts"
import * as Week from "../time/Week.ts"

/**
 * The purpose of a charge.
 *
 * **Details**
 *
 * - `failed`: a job run that only flakes made red. `repeated`: a job that had passed and ran again, because others were red by flakes.
 * - `retried`: executions that the job itself repeated. `waiting`: from the first red job run to the first green one.
 * - `runs`: a job run that only flakes made red, in millionths instead of microseconds: it is shared like its time.
 */
export const kinds = ["failed", "repeated", "retried", "waiting", "runs"] as const

/** The purpose of a charge. */
export type Kind = (typeof kinds)[number]

/** The part of a test in a cost, in microseconds, of the week of `at`; `isProven` is that of the job run that is paid for. */
export interface Charge {
  readonly at: Instant.Instant
  readonly kind: Kind
  readonly testName: string
  readonly us: number
  readonly isProven: boolean
}

/**
 * The cost of a commit.
 *
 * **Details**
 *
 * - `at`: its first job run, `lastAt`: its last one. `colour`: the worst of its job runs. `pull`: text that is equal for commits of one pull request, null for a push.
 * - `outages`: the time of job runs that outages made red, and of jobs that ran again for them.
 * - `waited`: the wait of a commit that only flakes made red, null where no job run was green afterwards.
 */
export interface CommitCost {
  readonly at: Instant.Instant
  readonly lastAt: Instant.Instant
  readonly colour: Run.Colour
  readonly pull: string | null
  readonly runs: ReadonlyArray<Run.Coloured>
  readonly outages: ReadonlyArray<{ readonly at: Instant.Instant; readonly us: number }>
  readonly charges: ReadonlyArray<Charge>
  readonly waited: { readonly at: Instant.Instant; readonly us: number } | null
}

/** The facts that the cost of a commit depends on next to its job runs. */
export interface Context {
  readonly opinionOf: Run.OpinionOf
  readonly causeOf: (testName: string) => string | null
  readonly gate: Pick<FailureGate, "flaky">
  readonly policy: Pick<CostPolicy, "longestWait">
}

/** The cost of the job runs of one commit, at least one, in any order; one that occurs twice counts once. */
export const of = (runs: ReadonlyArray<CostRun>, context: Context): CommitCost => Steps.finish(steps(runs, context))

/**
 * The same in steps: each is of one job run, or of some thousand tests.
 *
 * **Details**
 *
 * The work, and the number of charges, grow with the job runs and their tests, however often jobs ran again for them.
 */
export function* steps(runs: ReadonlyArray<CostRun>, context: Context): Steps.Steps<CommitCost> {
  const distinct = [...new Map(runs.map((run) => [run.key, run])).values()].sort(inTime)
  const coloured = yield* Steps.map(distinct, perTest, (run) => Run.colour(run, context.opinionOf, context.gate))
  const colour = worst(coloured.map((each) => each.colour))
  const { outages, repeated } = repetitions(coloured)
  const wait = colour === "flakes" ? waitOf(coloured, context) : null
  const bills = [...coloured.flatMap(billsOf), ...repeated, ...(wait?.bills ?? [])]
  const charges: Array<Charge> = []
  yield
  for (const bill of bills) yield* charge(charges, bill, context)
  yield
  for (const each of coloured) for (const retry of retries(each)) charges.push(retry)
  return {
    at: coloured[0]?.run.at ?? 0,
    lastAt: coloured.at(-1)?.run.at ?? 0,
    colour,
    pull: pullOf(coloured),
    runs: coloured,
    outages: [
      ...coloured.flatMap(({ colour: one, run }) => (one === "outage" ? [{ at: run.at, us: run.durationUs }] : [])),
      ...outages
    ],
    charges,
    waited: wait === null ? null : { at: wait.at, us: wait.us }
  }
}

/** The most tests in a step of several job runs: some milliseconds. */
const most = 5000

const perShare = Steps.ofItems(most)
const perTest = { most, weightOf: ({ tests }: CostRun) => 1 + tests.length }

/** The millionths of a job run. */
export const wholeRun = 1_000_000

const inTime = (a: CostRun, b: CostRun): number =>
  a.at - b.at || a.runAttempt - b.runAttempt || Text.compare(a.key, b.key)

const worst = (colours: ReadonlyArray<Run.Colour>): Run.Colour => colours.reduce(Run.worse, "green")

/** Commits of one branch that is to go into one base are one pull request. */
const pullOf = (runs: ReadonlyArray<Run.Coloured>): string | null => {
  const named = runs.flatMap(({ run: { baseBranch, branch } }) =>
    baseBranch === null ? [] : [`${branch}\0${baseBranch}`]
  )
  return named.sort(Text.compare)[0] ?? null
}

/** A cost that the flakes of a job run pay. */
interface Bill {
  readonly to: Run.Coloured
  readonly at: Instant.Instant
  readonly us: number
  readonly kind: Kind
}

/** Adds the parts of the tests in a bill. */
function* charge(
  charges: Array<Charge>,
  { at, kind, to, us }: Bill,
  { causeOf }: Pick<Context, "causeOf">
): Steps.Steps<void> {
  const { isProven } = to
  const shares = yield* CostShare.sharing(us, to.flaky, causeOf)
  yield* Steps.map(shares, perShare, (share) => {
    charges.push({ at, kind, testName: share.testName, us: share.us, isProven })
  })
}

/** The bills of a job run itself: only flakes made it red. */
const billsOf = (to: Run.Coloured): ReadonlyArray<Bill> => {
  const { at, durationUs } = to.run
  return to.colour === "flakes"
    ? [
        { to, at, us: durationUs, kind: "failed" },
        { to, at, us: wholeRun, kind: "runs" }
      ]
    : []
}

/** A cost that several job runs caused, shared among them. */
const shared = (blamed: ReadonlyArray<Run.Coloured>, bill: Omit<Bill, "to">): ReadonlyArray<Bill> => {
  const perRun = CostShare.parts(bill.us, blamed.length)
  return blamed.map((to, index) => ({ ...bill, to, us: perRun[index] ?? 0 }))
}

/**
 * The jobs that ran again although they had passed in an earlier attempt of their run: the red job runs of the attempt before pay for
 * them, where only flakes, or outages too, made those red. They pay for all of a week together: it may be hundreds of jobs.
 */
const repetitions = (runs: ReadonlyArray<Run.Coloured>) => {
  const repeated: Array<Bill> = []
  const outages: Array<{ readonly at: Instant.Instant; readonly us: number }> = []
  for (const ofRun of Map.groupBy(runs, ({ run }) => `${run.pipelineName}\0${run.runId}`).values()) {
    const latest = new Map<string, Run.Colour>()
    let red: Blamed = { runs: [], reason: "green", weeks: new Map() }
    for (const attempt of attemptsOf(ofRun)) {
      for (const { colour, run } of attempt) {
        // A job run that is red itself is paid for already.
        if (latest.get(jobKey(run)) !== "green" || colour === "flakes" || colour === "outage") continue
        if (red.reason === "flakes") note(red, run)
        if (red.reason === "outage") outages.push({ at: run.at, us: run.durationUs })
      }
      for (const { colour, run } of attempt) latest.set(jobKey(run), colour)
      const isRed = attempt.filter(({ colour }) => colour !== "green")
      if (isRed.length === 0) continue
      repeated.push(...repeatedBills(red))
      red = { runs: isRed, reason: worst(isRed.map(({ colour }) => colour)), weeks: new Map() }
    }
    repeated.push(...repeatedBills(red))
  }
  return { outages, repeated }
}

/** Red job runs of one attempt, and the time of the jobs that ran again for them, by week. */
interface Blamed {
  readonly runs: ReadonlyArray<Run.Coloured>
  readonly reason: Run.Colour
  readonly weeks: Map<Instant.Instant, { readonly at: Instant.Instant; us: number }>
}

const note = ({ weeks }: Blamed, { at, durationUs }: CostRun): void => {
  const start = Week.startOf(at)
  const week = weeks.get(start)
  if (week === undefined) weeks.set(start, { at, us: durationUs })
  else week.us += durationUs
}

const repeatedBills = ({ runs, weeks }: Blamed): ReadonlyArray<Bill> =>
  [...weeks.values()].flatMap(({ at, us }) => shared(runs, { at, us, kind: "repeated" }))

/** The job runs of each attempt, the first one first. */
const attemptsOf = (runs: ReadonlyArray<Run.Coloured>): ReadonlyArray<ReadonlyArray<Run.Coloured>> =>
  [...Map.groupBy(runs, ({ run }) => run.runAttempt)].sort(([a], [b]) => a - b).map(([, attempt]) => attempt)

/**
 * The executions that a job repeated by itself, each at the mean time of the executions of its job run: their own is not stored. A job run
 * that flakes made red is paid for as a whole already.
 */
const retries = ({ colour, flaky, run }: Run.Coloured): ReadonlyArray<Charge> => {
  const executions = run.passed + run.failed
  if (colour === "flakes" || executions === 0) return []
  const isFlaky = new Set(flaky)
  return run.tests.flatMap(({ isFailed, reruns, testName }) => {
    if (reruns === 0 || (isFailed && !isFlaky.has(testName))) return []
    return [
      { at: run.at, kind: "retried", testName, us: Math.round((run.durationUs * reruns) / executions), isProven: true }
    ]
  })
}

/**
 * The wait of a commit that only flakes made red: from its first red job run until the jobs that were red are green, those that never
 * became green left out. All red job runs before it share the wait.
 */
const waitOf = (runs: ReadonlyArray<Run.Coloured>, context: Pick<Context, "policy">) => {
  const blamed: Array<Run.Coloured> = []
  let end = -Infinity
  for (const ofJob of Map.groupBy(runs, ({ run }) => jobKey(run)).values()) {
    const first = ofJob.findIndex(({ colour }) => colour === "flakes")
    const green = ofJob.findIndex(({ colour }, index) => index > first && colour === "green")
    if (first === -1 || green === -1) continue
    blamed.push(...ofJob.slice(first, green))
    end = Math.max(end, ofJob[green]?.run.at ?? end)
  }
  if (blamed.length === 0) return null
  blamed.sort((a, b) => inTime(a.run, b.run))
  const at = blamed[0]?.run.at ?? end
  const us = Math.min(end - at, context.policy.longestWait * Instant.hour) * 1000
  return { at, us, bills: shared(blamed, { at, us, kind: "waiting" }) }
}
