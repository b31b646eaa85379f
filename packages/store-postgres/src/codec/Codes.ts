/**
 * The numbers that encode words in packed bytes.
 *
 * They are stored: a number never gets another meaning. A new word gets the next free number.
 */
import type { Execution, Health, HealthStatus } from "@lazaret/domain"

/** Numbers for words: `of` by word, `words` by number. */
export interface Codes<A extends string> {
  readonly of: Readonly<Record<A, number>>
  readonly words: ReadonlyArray<A>
}

/** A word without a number is a compile error. */
const make = <A extends string>(of: Readonly<Record<A, number>>): Codes<A> => {
  const words: Array<A> = []
  for (const word in of) words[of[word]] = word
  return { of, words }
}

/** Health statuses: 2 bits. */
export const status = make<HealthStatus.HealthStatus>({ healthy: 0, flaky: 1, broken: 2 })

/** Rules of the health fold: a byte. */
export const rule = make<Health.Rule>({
  start: 0,
  failure: 1,
  in_job_rerun: 2,
  contradiction: 3,
  repeated_episode: 4,
  persistent_failure: 5,
  passes_in_a_row: 6,
  clean_passes: 7,
  single_failure: 8,
  other_branch: 9
})

/** Conclusions of executions: 2 bits. */
export const conclusion = make<Execution.Conclusion>({ passed: 0, failed: 1, skipped: 2 })
