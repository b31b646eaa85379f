/**
 * The numbers of the policies as people read them: what each decides, why it is what it is, and its default.
 *
 * They repeat what the domain says of its schemas, since nothing of the server is part of the dashboard; a test compares
 * names, defaults and limits.
 */

export interface Field {
  readonly name: string
  readonly label: string
  readonly reason: string
  readonly fallback: number
  readonly most: number
}

export interface Policy {
  readonly name: "health" | "outage" | "quarantine" | "auto_quarantine_policy"
  readonly title: string
  readonly fields: ReadonlyArray<Field>
}

const field = (name: string, fallback: number, most: number, label: string, reason: string): Field => ({
  name,
  label,
  reason,
  fallback,
  most
})

export const policies: ReadonlyArray<Policy> = [
  {
    name: "health",
    title: "Health",
    fields: [
      field(
        "clean_passes",
        10,
        1000,
        "Clean passes until a flaky test is healthy",
        "After 10 its flake rate is below 26 %, with 95 % certainty."
      ),
      field(
        "clean_days",
        7,
        365,
        "Days that those passes must span",
        "Keeps a busy repository from forgetting within an hour."
      ),
      field("recovery_passes", 3, 1000, "Passes in a row until a broken test is healthy", "One pass may be luck."),
      field(
        "recovery_commits",
        2,
        2,
        "Commits on which it must pass",
        "Passes on one commit are reruns of the same thing."
      ),
      field(
        "broken_commits",
        5,
        64,
        "Commits failing in a row until a flaky test is broken",
        "A test that fails half of its runs does that by chance once in 32."
      ),
      field(
        "episode_days",
        14,
        365,
        "Days within which a second failure is a flake",
        "Broke, mended and broke again in a sprint is not mended."
      ),
      field(
        "remembered_commits",
        16,
        64,
        "Commits on which a contradiction is still seen",
        "Reruns come within hours; 16 commits are days of work."
      ),
      field(
        "confidence_medium",
        10,
        1_000_000,
        "Reruns for medium confidence",
        "10 clean reruns: the flake rate is below 26 %."
      ),
      field(
        "confidence_high",
        30,
        1_000_000,
        "Reruns for high confidence",
        "30 clean reruns: the flake rate is below 9.5 %."
      ),
      field("impact_medium", 0.05, 1, "Share of failures for medium impact", "One run in 20 is noticed in a week."),
      field("impact_high", 0.2, 1, "Share of failures for high impact", "One run in five is noticed every day."),
      field(
        "active_days",
        30,
        365,
        "Days that counts and shares look back on",
        "Long enough for rare jobs, short enough to be about now."
      )
    ]
  },
  {
    name: "outage",
    title: "Outages",
    fields: [
      field(
        "failed_tests",
        20,
        1_000_000,
        "Failures in a run that may be an outage",
        "0.23 % of failed runs of ten large projects reach 20."
      ),
      field(
        "failed_share",
        0.2,
        1,
        "Share of a run that must have failed, too",
        "99 % of failed runs have less than 5.5 %."
      ),
      field(
        "all_failed",
        5,
        1_000_000,
        "Tests in a run that failed as a whole",
        "Small suites lose their database, too."
      )
    ]
  },
  {
    name: "quarantine",
    title: "Recovery in quarantine",
    fields: [
      field(
        "recovered_passes",
        10,
        1000,
        "Clean passes until a test has recovered",
        "A quarantine must not end earlier than the doubt."
      ),
      field("recovered_days", 7, 365, "Days since its last failure", "The same week that a flaky test needs.")
    ]
  },
  {
    name: "auto_quarantine_policy",
    title: "Auto-quarantine",
    fields: [
      field("days", 14, 90, "Days that it looks back on", "A sprint: what is older may have been mended."),
      field(
        "executions",
        20,
        100_000,
        "Runs until a test is judged",
        "Below that it is too little known to be judged without a person."
      ),
      field("commits", 5, 100_000, "Commits that it must have run on", "Many runs of one commit are one observation."),
      field(
        "age_hours",
        24,
        10_000,
        "Hours that a new test is left alone",
        "It belongs to somebody who is still working on it."
      ),
      field("flaky_commits", 2, 100_000, "Commits on which it flaked", "One unlucky commit is no pattern."),
      field(
        "flaky_share",
        0.01,
        1,
        "Share of its commits on which it flaked",
        "Among very many runs two flakes are no pattern either."
      ),
      field(
        "rest_days",
        14,
        365,
        "Days that a test stays out after a person released it",
        "What a person decided holds."
      ),
      field(
        "budget",
        10,
        1_000_000,
        "Most quarantines in 24 hours",
        "An outage that slipped through must not empty the suite."
      ),
      field(
        "budget_share",
        0.02,
        1,
        "Or this share of the tests, if that is more",
        "Large suites need a larger number."
      ),
      field("removal_days", 7, 365, "Days of recovery until it is released", "A week of good runs is no accident.")
    ]
  }
]
