/**
 * The numbers of the health model, each with its reason, in one value that a repository can override.
 *
 * All of them are our choice: interface 3.2 leaves the rules open. Where they come from is told in
 * `docs/explanation/health-model.md`.
 */
import { Schema } from "effect"

const count = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/**
 * Schema of the health policy. In brackets the defaults and the reason for each.
 *
 * **Details**
 *
 * - `rememberedCommits` (16): commits on which a contradiction is still seen. A rerun comes within hours; 16 commits are
 *   days of work, and the state of 200,000 identities still fits into memory.
 * - `episodeDays` (14): two failure episodes within this time are a flake. Two weeks is one sprint: a test that broke,
 *   was mended and broke again in it has not been mended.
 * - `recoveryPasses` (3) on `recoveryCommits` (2): a broken test is healthy again. One pass may be luck, and passes on
 *   one commit are reruns of the same thing.
 * - `brokenCommits` (5): distinct commits that fail in a row make a flaky test broken. A test that fails half of its
 *   runs does so by chance once in 32 such rows.
 * - `cleanPasses` (10) over `cleanDays` (7): a flaky test is healthy again. After 10 clean runs the true flake rate is
 *   below 26 % with 95 % confidence; the week keeps a busy repository from forgetting within an hour.
 * - `confidenceMedium` (10), `confidenceHigh` (30): reruns for medium and high confidence. After n clean reruns the
 *   true flake rate is below 1 - 0.05^(1/n) with 95 % confidence: 26 % at 10, 9.5 % at 30.
 * - `impactMedium` (0.05), `impactHigh` (0.2): failure ratios from which the impact is medium and high. One failed run
 *   in 20 is noticed in a week, one in five every day.
 * - `activeDays` (30): the days that ratios, counts, confidence and impact look back on, today included.
 */
export const HealthPolicy = Schema.Struct({
  rememberedCommits: count(1, 64),
  episodeDays: count(0, 365),
  recoveryPasses: count(1, 1000),
  recoveryCommits: count(1, 2),
  brokenCommits: count(1, 64),
  cleanPasses: count(1, 1000),
  cleanDays: count(0, 365),
  confidenceMedium: count(0, 1_000_000),
  confidenceHigh: count(0, 1_000_000),
  impactMedium: fraction,
  impactHigh: fraction,
  activeDays: count(1, 365)
})

/** The thresholds of the health model. */
export type HealthPolicy = typeof HealthPolicy.Type

/**
 * The policy with every default (see the schema for the reasons). Override a field with a spread.
 *
 * @example
 * ```ts
 * import { HealthPolicy } from "@lazaret/domain"
 *
 * const strict = { ...HealthPolicy.defaults, cleanPasses: 30 }
 * strict.cleanPasses // => 30
 * strict.cleanDays // => 7
 * ```
 */
export const defaults: HealthPolicy = {
  rememberedCommits: 16,
  episodeDays: 14,
  recoveryPasses: 3,
  recoveryCommits: 2,
  brokenCommits: 5,
  cleanPasses: 10,
  cleanDays: 7,
  confidenceMedium: 10,
  confidenceHigh: 30,
  impactMedium: 0.05,
  impactHigh: 0.2,
  activeDays: 30
}
