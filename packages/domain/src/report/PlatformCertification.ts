/** Certifications of a hosting platform: the tries on a scratch repository of what a driven queue depends on. */
import * as Instant from "../time/Instant.ts"

/** The outcome of a case; `fault` is null where it holds. */
export interface Case {
  readonly name: string
  readonly fault: string | null
}

/**
 * A certification, while it runs and after it.
 *
 * **Details**
 *
 * - `host`: the host of the platform. `scratch`: the owner and name of the scratch repository, with a slash between them.
 * - `total`: how many cases there are. `cases`: the outcomes so far, in the order of the cases.
 * - `beatAt`: when its server last wrote. `endedAt`: null while it runs.
 * - `failure`: why it ended before every case was tried; null: it did not.
 */
export interface PlatformCertification {
  readonly host: string
  readonly id: string
  readonly scratch: string
  readonly startedBy: string
  readonly startedAt: Instant.Instant
  readonly beatAt: Instant.Instant
  readonly endedAt: Instant.Instant | null
  readonly total: number
  readonly cases: ReadonlyArray<Case>
  readonly failure: string | null
}

/**
 * The state of a certification.
 *
 * **Details**
 *
 * `interrupted`: its server ended, or has not written for {@link patience}. `failed`: a case does not hold, or could not be tried.
 */
export type State = "running" | "interrupted" | "failed" | "passed"

/** The time a case may take, in milliseconds: the longest one merges a pull request and waits for the platform to show that. */
export const longestCase = 3 * Instant.minute

/** After this time without a write, in milliseconds, nothing runs any more: more than a case may take. */
export const patience = 5 * Instant.minute

/** The state of a certification at an instant. */
export const stateOf = (
  { beatAt, cases, endedAt, failure, total }: PlatformCertification,
  now: Instant.Instant
): State => {
  if (endedAt === null) return now - beatAt < patience ? "running" : "interrupted"
  return failure === null && total > 0 && cases.length === total && cases.every(({ fault }) => fault === null)
    ? "passed"
    : "failed"
}
