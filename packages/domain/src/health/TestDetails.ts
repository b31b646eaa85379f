/** Test details: what the identities of one test say together (interface 2.4). */
import type { Conclusion } from "../report/Execution.ts"
import type { Mark, State } from "./Health.ts"
import * as HealthStatus from "./HealthStatus.ts"
import type { Instant } from "../time/Instant.ts"
import * as Rollup from "./Rollup.ts"
import type { TestIdentity } from "../report/TestIdentity.ts"
import * as Text from "../text/Text.ts"

/** The description of a test in its latest report. */
interface Description {
  readonly framework: string | null
  readonly frameworkVersion: string | null
  readonly language: string | null
  readonly filepath: string | null
  readonly functionName: string | null
}

/**
 * The record of one identity.
 *
 * **Details**
 *
 * - `state`: the fold over its executions on the default branch.
 * - `recent`: what the last 30 days add up to, `flaky` and `reruns` included.
 * - `firstSeenAt`: its first execution; `lastAt`, `lastId`, `lastConclusion`: its latest one, skipped ones included.
 * - `lastFailureAt`, `lastSuccessAt`: its latest failed (outages included) and passed ones.
 * - the rest as the latest execution that says it.
 */
export interface IdentityRecord extends Description {
  readonly identity: TestIdentity
  readonly state: State
  readonly recent: Rollup.Rollup
  readonly firstSeenAt: Instant
  readonly lastAt: Instant
  readonly lastId: string
  readonly lastConclusion: Conclusion
  readonly lastFailureAt: Instant | null
  readonly lastSuccessAt: Instant | null
}

/**
 * The record of a test over all its identities (interface 2.4).
 *
 * **Details**
 *
 * Ratios are fractions from 0 to 1 of the passed and failed executions of the last 30 days. `firstFailure` is the first
 * failing execution since the test was last healthy; for a healthy test that of its last unhealthy time; null when
 * nothing has ever failed. A test that only failed and passed inside one job has never failed: all its executions passed.
 */
export interface TestDetails extends Description {
  readonly testName: string
  readonly healthStatus: HealthStatus.HealthStatus
  readonly lastConclusion: Conclusion
  readonly failureRatio: number
  readonly flakinessRatio: number
  readonly successRatio: number
  readonly firstFailure: Mark | null
  readonly lastFailureAt: Instant | null
  readonly lastSuccessAt: Instant | null
}

/**
 * The details of a test from the records of its identities: the worst health, the latest conclusion and description,
 * and what the executions add up to.
 */
export const of = (records: readonly [IdentityRecord, ...ReadonlyArray<IdentityRecord>]): TestDetails => {
  const latestFirst = records.toSorted((a, b) => b.lastAt - a.lastAt || Text.compare(b.lastId, a.lastId))
  const latest = latestFirst[0] ?? records[0]
  const recent = Rollup.combineAll(records.map((record) => record.recent))
  return {
    testName: latest.identity.testName,
    healthStatus: records.map(({ state }) => state.status).reduce(HealthStatus.worst),
    lastConclusion: latest.lastConclusion,
    failureRatio: Rollup.failureRatio(recent),
    flakinessRatio: Rollup.flakinessRatio(recent),
    successRatio: Rollup.successRatio(recent),
    firstFailure: firstFailure(records.filter(hasFailed).map((record) => record.state)),
    lastFailureAt: maximum(records.map((record) => record.lastFailureAt)),
    lastSuccessAt: maximum(records.map((record) => record.lastSuccessAt)),
    framework: firstKnown(latestFirst, "framework"),
    frameworkVersion: firstKnown(latestFirst, "frameworkVersion"),
    language: firstKnown(latestFirst, "language"),
    filepath: firstKnown(latestFirst, "filepath"),
    functionName: firstKnown(latestFirst, "functionName")
  }
}

/** An execution that failed and passed inside a job can open an episode, and is not a failure by itself. */
const hasFailed = ({ lastFailureAt, state }: IdentityRecord): boolean =>
  lastFailureAt !== null && (state.onset === null || state.onset.at <= lastFailureAt)

/** Unhealthy identities know when the present trouble began: the earliest counts. Else the latest trouble that ended. */
const firstFailure = (states: ReadonlyArray<State>): Mark | null => {
  const unhealthy = states.filter((state) => state.status !== "healthy")
  const onsets = (unhealthy.length > 0 ? unhealthy : states).flatMap(({ onset }) => (onset === null ? [] : [onset]))
  const sorted = onsets.toSorted((a, b) => a.at - b.at || Text.compare(a.id, b.id))
  return (unhealthy.length > 0 ? sorted[0] : sorted.at(-1)) ?? null
}

const maximum = (instants: ReadonlyArray<Instant | null>): Instant | null =>
  instants.reduce(
    (latest, instant) => (latest === null || instant === null ? (latest ?? instant) : Math.max(latest, instant)),
    null
  )

type Described = "framework" | "frameworkVersion" | "language" | "filepath" | "functionName"

const firstKnown = (records: ReadonlyArray<IdentityRecord>, field: Described): string | null =>
  records.find((record) => record[field] !== null)?.[field] ?? null
