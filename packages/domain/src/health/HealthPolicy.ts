/**
 * The numbers of the health model in one value that a repository can override.
 *
 * All of them are our choice: interface 3.2 leaves the rules open. `docs/explanation/health-model.md` explains them.
 */
import * as Policy from "../policy/Policy.ts"

/** The numbers of the health model, each with its default and its reason. */
export const fields = {
  cleanPasses: Policy.count(
    10,
    [1, 1000],
    "Clean passes until a flaky test may be healthy",
    "After 10 clean passes the true flake rate is below 26 % with 95 % confidence."
  ),
  cleanDays: Policy.count(
    7,
    [0, 365],
    "Days from the last failure to the pass that may make a flaky test healthy",
    "A busy repository runs 10 times within an hour; a week shows other days and machines."
  ),
  cleanChance: Policy.share(
    0.1,
    "Chance of the clean passes at the estimated failure rate below which a flaky test is healthy",
    "A test that fails 5 % of its runs passes 10 times in a row by chance in 6 of 10 cases: it needs 45 passes."
  ),
  cleanDaysMost: Policy.count(
    14,
    [0, 365],
    "Days from the last failure after which the clean passes make a flaky test healthy, however seldom it fails",
    "A test that fails once in two weeks stops nobody, and may have been fixed."
  ),
  recoveryPasses: Policy.count(3, [1, 1000], "Passes in a row until a broken test is healthy", "One pass may be luck."),
  recoveryCommits: Policy.count(
    2,
    [1, 2],
    "Commits on which a broken test must pass",
    "Passes on one commit are reruns of the same code."
  ),
  brokenCommits: Policy.count(
    5,
    [1, 64],
    "Commits that fail in a row until a flaky test may be broken",
    "A test that fails half of its runs fails on 5 commits in a row by chance once in 32."
  ),
  brokenChance: Policy.share(
    0.005,
    "Chance of the failing commits at the estimated failure rate below which a flaky test is broken",
    "A test that fails 90 % of its runs fails on 5 commits in a row in 6 of 10 cases."
  ),
  brokenCommitsMost: Policy.count(
    20,
    [1, 64],
    "Commits that fail in a row after which a flaky test is broken, however often it fails",
    "Twenty commits without a pass are a broken test for its users, whatever it was before."
  ),
  halfLifeDays: Policy.count(
    14,
    [1, 365],
    "Days after which an execution counts half in the estimated failure rate",
    "Results of a month ago say little about the code of today."
  ),
  leastRate: Policy.share(
    0.004,
    "Least estimated failure rate",
    "A thousand passes do not prove that a test never fails."
  ),
  mostRate: Policy.share(0.95, "Most estimated failure rate", "Without a pass in between nothing could be concluded."),
  episodeDays: Policy.count(
    14,
    [0, 365],
    "Days within which a second failure episode is a flake",
    "A test that broke, was fixed and broke again within two weeks was not really fixed."
  ),
  rememberedCommits: Policy.count(
    16,
    [1, 64],
    "Commits on which a contradiction is still seen",
    "A rerun comes within hours, and 16 commits are days of work."
  ),
  otherBranchDays: Policy.count(
    14,
    [0, 365],
    "Days within which contradictions on two other branches make a test flaky",
    "One branch may have broken the test itself; two that contradict themselves within two weeks share its flakiness."
  ),
  otherBranchFailureDays: Policy.count(
    30,
    [0, 365],
    "Days after a failure on the default branch within which a contradiction on another branch makes a test flaky",
    "A test that failed on the default branch and contradicts itself on a branch is not the fault of that branch."
  ),
  confidenceMedium: Policy.count(
    10,
    [0, 1_000_000],
    "Reruns since the verdict last moved for medium confidence",
    "After 10 clean reruns the true flake rate is below 26 % with 95 % confidence."
  ),
  confidenceHigh: Policy.count(
    30,
    [0, 1_000_000],
    "Reruns since the verdict last moved for high confidence",
    "After 30 clean reruns the true flake rate is below 9.5 % with 95 % confidence."
  ),
  impactMedium: Policy.share(
    0.05,
    "Share of failed runs for medium impact",
    "One failed run in 20 is noticed in a week."
  ),
  impactHigh: Policy.share(0.2, "Share of failed runs for high impact", "One failed run in five is noticed every day."),
  activeDays: Policy.count(
    30,
    [1, 365],
    "Days that ratios, counts, confidence and impact cover, today included",
    "Long enough for rare jobs, and short enough to describe the present."
  )
}

/** Schema of the health policy. */
export const HealthPolicy = Policy.schema(fields)

/** The thresholds of the health model. */
export type HealthPolicy = typeof HealthPolicy.Type

/**
 * The policy with every default. Override a field with a spread.
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
export const defaults: HealthPolicy = Policy.defaultsOf(fields)
