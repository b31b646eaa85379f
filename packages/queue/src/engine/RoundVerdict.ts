/** Verdicts on rounds: green, red, out of time, or still open. */
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as FailureClass from "./FailureClass.ts"
import { Instant } from "@lazaret/domain"
import type { Check, Failure } from "./Observation.ts"
import * as Round from "./Round.ts"

/**
 * The verdict on a round.
 *
 * **Details**
 *
 * `pending` may carry the active time at which waiting alone changes the verdict. `red` carries the judgement on the
 * failed required checks, with the failures that were reported.
 */
export type RoundVerdict =
  | { readonly kind: "pending"; readonly until: number | null; readonly isFailing: boolean }
  | { readonly kind: "green" }
  | ({
      readonly kind: "red"
      readonly checks: ReadonlyArray<string>
      readonly failures: ReadonlyArray<Failure>
    } & FailureClass.Judgement)
  | { readonly kind: "timeout"; readonly checks: ReadonlyArray<string> }
  | { readonly kind: "missing"; readonly checks: ReadonlyArray<string> }

interface Limits {
  readonly configuration: EngineConfiguration.EngineConfiguration
  /** How long the checks may take, in milliseconds; null: for ever. */
  readonly timeout: number | null
  /** The active time of the verdict. */
  readonly clock: number
}

/** The required checks of a round: by name, absent ones as null. */
const required = (round: Round.Round, configuration: EngineConfiguration.EngineConfiguration) =>
  EngineConfiguration.requiredOf(configuration).map((name) => ({
    name,
    check: round.checks.find((each) => each.name === name) ?? null
  }))

const isGreen = (check: Check | null, { acceptSkipped }: EngineConfiguration.EngineConfiguration): boolean =>
  check !== null &&
  (check.state === "success" || (acceptSkipped && (check.state === "skipped" || check.state === "neutral")))

/** Neutral and skipped required checks fail where they are not accepted: nobody would ever make them green. */
const isFailed = (check: Check | null, configuration: EngineConfiguration.EngineConfiguration): boolean =>
  check !== null && check.state !== "pending" && !isGreen(check, configuration)

/** A check that was cancelled or ran out of its own time failed by infrastructure, whatever no report says. */
const reportless = ({ name, state }: Check): Failure => ({
  check: name,
  test: null,
  class: state === "cancelled" || state === "timed_out" || state === "stale" ? "infrastructure" : "unknown",
  probability: null
})

/**
 * The verdict on a round.
 *
 * **Details**
 *
 * Green: every required check is, at least one is required, and each is the latest attempt on the commit. Red: a
 * required check failed and the reports are in, or have been waited for. A failure that is judged real decides at once;
 * any other waits until every required check has ended, since a rerun runs all that failed. A required check that does not
 * appear while no run of the commit works is `missing`, one that does not end in time is a `timeout`.
 */
export const of = (round: Round.Round, limits: Limits): RoundVerdict => {
  const { clock, configuration } = limits
  const checks = required(round, configuration)
  if (checks.length > 0 && checks.every(({ check }) => isGreen(check, configuration))) return { kind: "green" }
  const failed = checks.flatMap(({ check }) => (check !== null && isFailed(check, configuration) ? [check] : []))
  if (failed.length > 0) return ofFailed(round, failed, limits)
  return (
    late(checks, round, limits) ?? { kind: "pending", until: nextLimit(checks, round, limits, clock), isFailing: false }
  )
}

const ofFailed = (round: Round.Round, failed: ReadonlyArray<Check>, limits: Limits): RoundVerdict => {
  const { clock, configuration } = limits
  const names = failed.map(({ name }) => name)
  const reported = (round.reports ?? []).filter(({ check }) => names.includes(check))
  const silent = failed.filter(({ name }) => !reported.some(({ check }) => check === name))
  const failures = [...reported, ...silent.map(reportless)]
  const red = {
    kind: "red",
    checks: names,
    failures,
    ...FailureClass.combine(failures, configuration.failures)
  } as const
  if (red.class === "real") return red
  const reportsBy = (round.redAt ?? clock) + configuration.failures.reportWait
  const isWaiting = silent.some(({ state }) => state === "failure") && clock < reportsBy
  const checks = required(round, configuration)
  const isOpen = checks.some(({ check }) => check === null || check.state === "pending")
  const isLate = late(checks, round, limits) !== null
  if (!isWaiting && (!isOpen || isLate)) return red
  const limit = nextLimit(checks, round, limits, clock)
  const until = isWaiting ? Math.min(reportsBy, limit ?? reportsBy) : limit
  return { kind: "pending", until, isFailing: true }
}

type Required = ReturnType<typeof required>

const missingAfter = ({ configuration, timeout }: Limits): number =>
  Math.min(timeout ?? configuration.failures.missingAfter, configuration.failures.missingAfter)

const late = (checks: Required, round: Round.Round, limits: Limits): RoundVerdict | null => {
  const waited = limits.clock - round.clockedAt
  const named = (isMeant: (each: Required[number]) => boolean) => checks.filter(isMeant).map(({ name }) => name)
  const open = named(({ check }) => check === null || check.state === "pending")
  const absent = named(({ check }) => check === null)
  if (absent.length > 0 && Round.quietFor(round, limits.clock) >= missingAfter(limits))
    return { kind: "missing", checks: absent }
  if (open.length > 0 && limits.timeout !== null && waited >= limits.timeout) return { kind: "timeout", checks: open }
  return null
}

const nextLimit = (checks: Required, round: Round.Round, limits: Limits, clock: number): number | null => {
  const isAbsent = checks.some(({ check }) => check === null)
  const times = [
    isAbsent ? Round.quietAt(round, missingAfter(limits)) : null,
    limits.timeout === null ? null : round.clockedAt + limits.timeout
  ].flatMap((time) => (time !== null && time > clock ? [time] : []))
  return times.length === 0 ? null : Math.min(...times)
}

/** The timeout of a rule, in milliseconds. */
export const timeoutOf = (seconds: number | null): number | null => (seconds === null ? null : seconds * Instant.second)
