/**
 * Rounds: the checks of one tested commit, attempt by attempt.
 *
 * **Details**
 *
 * A red attempt is never forgotten: it stays in `reds` when the failed checks run again, and only a later success of
 * the same check on the same commit makes the round green.
 */
import * as QueueCheck from "../QueueCheck.ts"
import type * as FailureClass from "./FailureClass.ts"
import type { Check, Failure } from "./Observation.ts"

/** A check that was asked to run again, and its attempt at that time. */
export interface Ran {
  readonly name: string
  readonly attempt: number
}

/** A red attempt that was run again. */
export interface Red {
  readonly attempt: number
  readonly checks: ReadonlyArray<string>
  readonly failures: ReadonlyArray<Failure>
  readonly class: FailureClass.FailureClass
}

/**
 * The checks of one tested commit.
 *
 * **Details**
 *
 * `clock` values are in active time: milliseconds without the pauses (`EngineState.clock`). `attempt` counts the
 * attempts that the engine asked for, from 1. `ran` outlives a snapshot in which a check is absent. `clockedAt` is the start of the present attempt. `redAt` is when the
 * present attempt was first seen failing. `isRedInPause` says that this was during a pause. `isWatched`: the runs of the
 * commit are read as well; from `quietSince` (null: not known) to `quietUntil` no run of the commit was queued or working.
 */
export interface Round {
  readonly sha: string
  readonly tree: string
  readonly attempt: number
  readonly startedAt: number
  readonly clockedAt: number
  readonly version: number
  readonly isWatched: boolean
  readonly quietSince: number | null
  readonly quietUntil: number
  readonly checks: ReadonlyArray<Check>
  readonly ran: ReadonlyArray<Ran>
  readonly reports: ReadonlyArray<Failure> | null
  readonly redAt: number | null
  readonly isRedInPause: boolean
  readonly reds: ReadonlyArray<Red>
  readonly canRerun: boolean
}

/** A round that begins at an active time. */
export const begin = (sha: string, tree: string, clock: number, isWatched = false): Round => ({
  sha,
  tree,
  attempt: 1,
  startedAt: clock,
  clockedAt: clock,
  version: -1,
  isWatched,
  quietSince: null,
  quietUntil: clock,
  checks: [],
  ran: [],
  reports: null,
  redAt: null,
  isRedInPause: false,
  reds: [],
  canRerun: true
})

/** The attempt of a check at which a rerun was asked for; 0: none was. */
export const ranAt = ({ ran }: Pick<Round, "ran">, name: string): number =>
  ran.find((each) => each.name === name)?.attempt ?? 0

/** Whether a check has ended without success; `neutral` and `skipped` are no failures. */
const isRed = (state: QueueCheck.State): boolean =>
  state !== "pending" && state !== "success" && state !== "neutral" && state !== "skipped"

/**
 * The round after a newer snapshot of its checks.
 *
 * **Details**
 *
 * The snapshot replaces what was known: a check that vanished is no longer there. A check that was asked to run again is
 * pending until its attempt is higher than the one that failed.
 */
export const see = (
  round: Round,
  seen: { readonly version: number; readonly checks: ReadonlyArray<Check>; readonly running?: boolean },
  at: { readonly clock: number; readonly isPaused: boolean }
): Round => {
  if (seen.version <= round.version) return round
  const checks = seen.checks.map((check): Check =>
    check.attempt <= ranAt(round, check.name) ? { ...check, state: "pending" } : check
  )
  const isNowRed = checks.some(({ state }) => isRed(state))
  const isFirstRed = round.redAt === null && isNowRed
  const redAt = isFirstRed ? at.clock : round.redAt
  return {
    ...round,
    version: seen.version,
    ...watch(round, seen.running, at.clock),
    checks,
    redAt: isNowRed ? redAt : null,
    isRedInPause: isNowRed && (round.isRedInPause || (isFirstRed && at.isPaused))
  }
}

const watch = (
  { quietSince, quietUntil }: Round,
  running: boolean | undefined,
  clock: number
): Pick<Round, "quietSince" | "quietUntil"> => {
  if (running === undefined) return { quietSince, quietUntil }
  return { quietSince: running ? null : (quietSince ?? clock), quietUntil: clock }
}

/**
 * How long nothing is known to work that could still start a check, in active milliseconds: the whole present attempt where
 * the runs are not read.
 */
export const quietFor = ({ clockedAt, isWatched, quietSince, quietUntil }: Round, clock: number): number => {
  if (!isWatched) return clock - clockedAt
  return quietSince === null ? 0 : quietUntil - quietSince
}

/** Whether a run of the commit was queued or working when that was last read. */
export const isWorking = ({ clockedAt, quietSince, quietUntil }: Round): boolean =>
  quietSince === null && quietUntil > clockedAt

/** When the round will have been quiet for a time; null while a run works. */
export const quietAt = ({ clockedAt, isWatched, quietSince }: Round, time: number): number | null => {
  const since = isWatched ? quietSince : clockedAt
  return since === null ? null : since + time
}

/** The round after the reports of an attempt; those of an older attempt change nothing. */
export const report = (round: Round, attempt: number, failures: ReadonlyArray<Failure>): Round =>
  attempt < round.attempt ? round : { ...round, reports: failures }

/** The round after a rerun of its failed checks was decided: they are pending, and the red attempt is kept. */
export const rerun = (round: Round, red: Omit<Red, "attempt">, clock: number): Round => ({
  ...round,
  ran: [...round.ran.filter(({ name }) => !red.checks.includes(name)), ...asked(round, red.checks)],
  attempt: round.attempt + 1,
  clockedAt: clock,
  quietSince: null,
  checks: round.checks.map((check) => (red.checks.includes(check.name) ? { ...check, state: "pending" } : check)),
  reports: null,
  redAt: null,
  isRedInPause: false,
  reds: [...round.reds, { attempt: round.attempt, ...red }]
})

/** The last attempts of checks; of one that is absent now, the last that is known. */
const asked = (round: Round, names: ReadonlyArray<string>): ReadonlyArray<Ran> =>
  names.flatMap((name) => {
    const attempt = round.checks.find((check) => check.name === name)?.attempt ?? ranAt(round, name)
    return attempt === 0 ? [] : [{ name, attempt }]
  })

/** The highest of the last attempts of checks; 0 where none is known. */
export const lastAttempt = (round: Round, names: ReadonlyArray<string>): number =>
  Math.max(0, ...asked(round, names).map(({ attempt }) => attempt))

/** The round after the hosting platform refused to run it again: what failed is red, for good. */
export const refuseRerun = (round: Round, clock: number): Round => ({
  ...round,
  canRerun: false,
  redAt: clock,
  checks: round.checks.map((check) =>
    check.state === "pending" && check.attempt === ranAt(round, check.name) ? { ...check, state: "failure" } : check
  ),
  reports: round.reds.at(-1)?.failures ?? null
})
