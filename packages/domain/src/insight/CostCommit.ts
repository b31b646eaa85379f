/** The cost of flakes on one commit: job runs that they made red, jobs that ran again for them, and the wait for a green one. */
import type { FailureGate } from "../failure/FailureGate.ts"
import { jobKey } from "../failure/JobRun.ts"
import * as Text from "../text/Text.ts"
import * as Instant from "../time/Instant.ts"
import type { CostRun } from "./CostFacts.ts"
import type { CostPolicy } from "./CostPolicy.ts"
import * as Run from "./CostRun.ts"
import * as CostShare from "./CostShare.ts"

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
 * - `at`: its first job run. `colour`: the worst of its job runs; `withGate`: the same with job runs that the gate would have let
 *   pass counted as green. `pull`: text that is equal for commits of one pull request, null for a push.
 * - `outages`: the time of job runs that outages made red, and of jobs that ran again for them.
 * - `waited`: the wait of a commit that only flakes made red, null where no job run was green afterwards.
 */
export interface CommitCost {
  readonly at: Instant.Instant
  readonly lastAt: Instant.Instant
  readonly colour: Run.Colour
  readonly withGate: Run.Colour
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
export const of = (runs: ReadonlyArray<CostRun>, context: Context): CommitCost => {
  const distinct = [...new Map(runs.map((run) => [run.key, run])).values()]
  const coloured = distinct.sort(inTime).map((run) => Run.colour(run, context.opinionOf, context.gate))
  const colour = worst(coloured.map((each) => each.colour))
  const { outages, repeated } = repetitions(coloured, context)
  const wait = colour === "flakes" ? waitOf(coloured, context) : null
  return {
    at: coloured[0]?.run.at ?? 0,
    lastAt: coloured.at(-1)?.run.at ?? 0,
    colour,
    withGate: worst(coloured.map((each) => (each.passesGate ? "green" : each.colour))),
    pull: pullOf(coloured),
    runs: coloured,
    outages: [
      ...coloured.flatMap(({ colour: one, run }) => (one === "outage" ? [{ at: run.at, us: run.durationUs }] : [])),
      ...outages
    ],
    charges: [
      ...coloured.flatMap((each) =>
        each.colour === "flakes"
          ? [...charged(each, each.run.durationUs, "failed", context), ...charged(each, wholeRun, "runs", context)]
          : []
      ),
      ...repeated,
      ...coloured.flatMap((each) => retries(each)),
      ...(wait?.charges ?? [])
    ],
    waited: wait === null ? null : { at: wait.at, us: wait.us }
  }
}

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

/** A cost of a job run that only flakes made red, shared among its tests. */
const charged = (
  { flaky, isProven, run }: Run.Coloured,
  us: number,
  kind: Kind,
  { causeOf }: Pick<Context, "causeOf">
): ReadonlyArray<Charge> =>
  CostShare.among(us, flaky, causeOf).map((share) => ({ ...share, at: run.at, kind, isProven }))

/** A cost that several job runs caused, shared among them first, and among the tests of each. */
const chargedTo = (
  blamed: ReadonlyArray<Run.Coloured>,
  us: number,
  kind: Kind,
  context: Context
): ReadonlyArray<Charge> => {
  const perRun = CostShare.parts(us, blamed.length)
  return blamed.flatMap((each, index) => charged(each, perRun[index] ?? 0, kind, context))
}

/**
 * The jobs that ran again although they had passed in an earlier attempt of their run: the red job runs of the attempt before pay for
 * them, where only flakes, or outages too, made those red.
 */
const repetitions = (runs: ReadonlyArray<Run.Coloured>, context: Context) => {
  const repeated: Array<Charge> = []
  const outages: Array<{ readonly at: Instant.Instant; readonly us: number }> = []
  for (const ofRun of Map.groupBy(runs, ({ run }) => `${run.pipelineName}\0${run.runId}`).values()) {
    const latest = new Map<string, Run.Coloured>()
    let red: ReadonlyArray<Run.Coloured> = []
    for (const attempt of attemptsOf(ofRun)) {
      const reason = worst(red.map(({ colour }) => colour))
      for (const { run } of attempt) {
        if (latest.get(jobKey(run))?.colour !== "green") continue
        if (reason === "flakes") repeated.push(...chargedTo(red, run.durationUs, "repeated", context))
        if (reason === "outage") outages.push({ at: run.at, us: run.durationUs })
      }
      for (const each of attempt) latest.set(jobKey(each.run), each)
      const isRed = attempt.filter(({ colour }) => colour !== "green")
      red = isRed.length > 0 ? isRed : red
    }
  }
  return { outages, repeated }
}

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
const waitOf = (runs: ReadonlyArray<Run.Coloured>, context: Context) => {
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
  return { at, us, charges: chargedTo(blamed, us, "waiting", context).map((charge) => ({ ...charge, at })) }
}
