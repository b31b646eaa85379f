/** A rule that classifies tests: what the simulation compares. */
import type { Confidence, HealthStatus, Instant } from "@lazaret/domain"
import type { JobRun } from "./World.ts"

/** A rule: it starts without knowledge for a suite of this many tests. */
export interface Rule {
  readonly name: string
  readonly start: (tests: number) => Judge
}

/** A rule at work on one world: it is given the job runs in the order of time. */
export interface Judge {
  readonly observe: (run: JobRun) => void
  readonly statusOf: (test: number) => HealthStatus.HealthStatus
  /** Null for a rule that has no confidence. */
  readonly confidenceOf: (test: number, now: Instant.Instant) => Confidence.Confidence | null
  /** Whether the rule would quarantine the test by itself; null for a rule without quarantine. */
  readonly quarantines: (test: number, now: Instant.Instant) => boolean | null
}

/** The parts of a judge that rules without confidence and quarantine share. */
export const plain = { confidenceOf: () => null, quarantines: () => null } satisfies Partial<Judge>
