/** The numbers by which a test or a job is said to have become slower. All of it is our choice; see `docs/explanation/slower.md`. */
import * as Policy from "../policy/Policy.ts"

/** The numbers of slower tests, each with its default and its reason. */
export const fields = {
  growth: Policy.share(
    0.45,
    "Least growth of the duration of a test",
    "The first measurements of a test that takes half as long again are often a little below that."
  ),
  jobGrowth: Policy.share(
    0.25,
    "Least growth of the duration of a job",
    "The middle of many tests moves less than one of them, and a quarter of a job is minutes."
  ),
  leastMs: Policy.count(
    500,
    [0, 86_400_000],
    "Least milliseconds that are added to one execution",
    "People wait half a second without noticing it."
  ),
  leastPerWeekMs: Policy.count(
    60_000,
    [0, 86_400_000],
    "Least milliseconds that are added to all executions of a week",
    "Less than a minute a week costs more to read than to wait for."
  ),
  nothingMs: Policy.count(
    5,
    [1, 60_000],
    "Longest duration, in milliseconds, of a test that does nothing",
    "Reports round to milliseconds: shorter durations are mostly the cost of the runner."
  ),
  wait: Policy.count(
    5,
    [3, 50],
    "Measurements after a change before it is reported",
    "Most jumps last one to four measurements. With five, all three tests must agree; with more, two of them."
  ),
  latest: Policy.count(
    8,
    [3, 100],
    "Most measurements after a change that are compared",
    "A change that was not seen in eight measurements is too small or too noisy."
  ),
  before: Policy.count(
    10,
    [3, 100],
    "Least measurements before a change",
    "Fewer do not say how much the duration varies."
  ),
  width: Policy.count(
    15,
    [3, 500],
    "Most measurements before a change that are compared",
    "Older ones were measured on other code and other machines."
  ),
  memory: Policy.count(
    60,
    [10, 1000],
    "Measurements in which the new duration must be rare",
    "A test that switches between two durations has not become slower."
  ),
  rare: Policy.share(0.15, "Largest share of them that took as long already", "Some outliers are in every series."),
  distance: Policy.count(
    4,
    [1, 100],
    "Robust deviations between the durations before and after",
    "Three are reached by noise in one of some hundred series each month."
  ),
  spread: Policy.share(
    0.05,
    "Least robust deviation, as a share of the duration",
    "Series that hardly vary would report a change of some percent."
  ),
  quantile: Policy.share(
    0.9,
    "Share of the durations before that all durations after must exceed",
    "One in ten is an outlier."
  ),
  margin: Policy.share(
    0.25,
    "Share of the change by which they must exceed it",
    "Noise at the upper end of the durations before stays below it."
  ),
  evidence: Policy.count(
    9,
    [1, 1000],
    "Least natural logarithm by which two levels are more likely than one",
    "With 12, fewer changes are found, and as many false ones."
  ),
  jobTests: Policy.count(5, [2, 1000], "Least tests that speak for a job", "The middle of fewer follows single tests."),
  points: Policy.count(
    120,
    [40, 10_000],
    "Measurements of a series from which on hours, or parts of a day, are compared",
    "In a series with many runs a day, a slow hour of the machines must not count as a lasting change."
  )
}

/** Schema of the policy of slower tests. */
export const SlowerPolicy = Policy.schema(fields)

/** The numbers of slower tests. */
export type SlowerPolicy = typeof SlowerPolicy.Type

/** The policy with every default. */
export const defaults: SlowerPolicy = Policy.defaultsOf(fields)
