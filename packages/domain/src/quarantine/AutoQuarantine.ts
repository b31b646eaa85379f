/**
 * Automatic quarantine: which tests the service may quarantine and release by itself, with the evidence in words.
 *
 * Off by default. All of it is our choice; interface 3.3 leaves it open.
 */
import { Result } from "effect"
import type { Observation } from "../report/Execution.ts"
import * as Flakiness from "../health/Flakiness.ts"
import * as Health from "../health/Health.ts"
import type { HealthStatus } from "../health/HealthStatus.ts"
import { counted } from "../failure/FailureEvidence.ts"
import * as Instant from "../time/Instant.ts"
import * as Policy from "../policy/Policy.ts"

/** The numbers of automatic quarantine, each with its default and its reason. */
export const fields = {
  days: Policy.count(
    14,
    [1, 90],
    "Days that the evidence may come from",
    "Tests may have been fixed since older results."
  ),
  executions: Policy.count(
    20,
    [1, 100_000],
    "Executions before a test is judged",
    "With fewer executions the evidence is too small to act on without a person."
  ),
  commits: Policy.count(
    5,
    [1, 100_000],
    "Commits that the test must have run on",
    "Many runs of one commit are one observation."
  ),
  ageHours: Policy.count(24, [0, 10_000], "Hours that a new test is left alone", "Its author is still working on it."),
  flakyCommits: Policy.count(2, [1, 100_000], "Commits with a flaky failure", "One flaky failure can be bad luck."),
  flakyShare: Policy.share(
    0.01,
    "Share of the commits with a flaky failure",
    "Two flaky failures among a thousand commits are not worth a quarantine."
  ),
  brokenCommits: Policy.count(
    3,
    [1, 100_000],
    "Commits on which a broken test must have failed",
    "One failed execution on the default branch must not hide a test everywhere."
  ),
  brokenHours: Policy.count(
    24,
    [0, 10_000],
    "Hours from the first to the last failure of a broken test",
    "A break that is fixed within a day needs no quarantine."
  ),
  restDays: Policy.count(
    14,
    [0, 365],
    "Days that the automation leaves a test alone after a person released it",
    "The decision of a person holds."
  ),
  budget: Policy.count(
    10,
    [0, 1_000_000],
    "Most automatic quarantines in 24 hours",
    "An outage that the outage rule missed must not quarantine the whole suite."
  ),
  budgetShare: Policy.share(
    0.02,
    "Most automatic quarantines in 24 hours as a share of the active tests, if that is more",
    "A large suite needs more than a fixed number."
  ),
  removalDays: Policy.count(
    7,
    [0, 365],
    "Days of recovery before an automatic quarantine is removed",
    "A week of good runs is not an accident."
  ),
  stressRuns: Policy.count(
    0,
    [0, 10_000],
    "Clean runs of a stress run that remove an automatic quarantine earlier; 0: none do",
    "A stress run is not the whole suite: people decide whether it proves a fix."
  )
}

/** Schema of the automatic quarantine policy. */
export const AutoQuarantinePolicy = Policy.schema(fields)

/** The thresholds of automatic quarantine. */
export type AutoQuarantinePolicy = typeof AutoQuarantinePolicy.Type

/** The policy with every default. */
export const defaults: AutoQuarantinePolicy = Policy.defaultsOf(fields)

/**
 * The record of a test that might be quarantined, over the last `days` days of the default branch.
 *
 * **Details**
 *
 * `commits`, `flakyCommits` and `failedCommits` count distinct commits (all; with a flaky failure; with a failure).
 * `failedMs` is the time from the first to the last failure. `passedCleanly` is whether the test ever passed without an
 * in-job failure. `removedAt` is when a person last removed its quarantine.
 */
export interface Candidate {
  readonly status: HealthStatus
  readonly executions: number
  readonly commits: number
  readonly flakyCommits: number
  readonly failedCommits: number
  readonly failedMs: number
  readonly firstSeenAt: Instant.Instant
  readonly passedCleanly: boolean
  readonly removedAt: Instant.Instant | null
}

/** How often a test ran, and was flaky, in a window. */
export type Numbers = Pick<Candidate, "executions" | "commits" | "flakyCommits" | "failedCommits" | "failedMs">

/**
 * The numbers of a test from the executions of its identities in a window.
 *
 * **Details**
 *
 * Skipped executions and failures of outages are left out: they say nothing about the test. A commit is flaky when an
 * identity failed and passed on it, inside one job or in several.
 *
 * @example
 * ```ts
 * import { AutoQuarantine, Execution } from "@lazaret/domain"
 *
 * const run = (commit: string, conclusion: "passed" | "failed", at: number) =>
 *   Execution.observed({ id: `${at}`, at, commit, conclusion })
 * AutoQuarantine.numbersOf([[run("c1", "failed", 1), run("c1", "passed", 2), run("c2", "passed", 3)]])
 * // => { executions: 3, commits: 2, flakyCommits: 1, failedCommits: 1, failedMs: 0 }
 * ```
 */
export const numbersOf = (identities: ReadonlyArray<ReadonlyArray<Observation>>): Numbers => {
  const commits = new Set<string>()
  const flaky = new Set<string>()
  const failed = new Set<string>()
  let executions = 0
  let [first, last] = [Infinity, -Infinity]
  for (const identity of identities) {
    const counting = identity.filter(Health.counts)
    const isFlaky = Flakiness.among(counting)
    executions += counting.length
    for (const execution of counting) {
      commits.add(execution.commit)
      if (isFlaky(execution)) flaky.add(execution.commit)
      if (execution.conclusion !== "failed") continue
      failed.add(execution.commit)
      first = Math.min(first, execution.at)
      last = Math.max(last, execution.at)
    }
  }
  const failedMs = failed.size === 0 ? 0 : last - first
  return { executions, commits: commits.size, flakyCommits: flaky.size, failedCommits: failed.size, failedMs }
}

/** Whether an execution passed without a failure inside its job. */
export const isCleanPass = (execution: Observation): boolean => execution.conclusion === "passed" && !execution.flaky

/**
 * Whether a test is to be quarantined: the reason in words, or every objection.
 *
 * @example
 * ```ts
 * import { AutoQuarantine, Instant } from "@lazaret/domain"
 * import { Result } from "effect"
 *
 * const candidate: AutoQuarantine.Candidate = {
 *   status: "flaky", executions: 40, commits: 20, flakyCommits: 3, failedCommits: 3, failedMs: 0,
 *   firstSeenAt: 0, passedCleanly: true, removedAt: null
 * }
 * const verdict = AutoQuarantine.judge(candidate, "flaky", 30 * Instant.day, AutoQuarantine.defaults)
 * Result.getOrThrow(verdict)
 * // => "Flaky: failed and passed on 3 of 20 commits (40 executions) in the last 14 days."
 * ```
 */
export const judge = (
  candidate: Candidate,
  setting: "flaky" | "flaky_and_broken",
  now: Instant.Instant,
  policy: AutoQuarantinePolicy
): Result.Result<string, ReadonlyArray<string>> => {
  const objections = objectionsTo(candidate, setting, now, policy)
  return objections.length === 0 ? Result.succeed(reasonFor(candidate, policy)) : Result.fail(objections)
}

/**
 * How many quarantines the automation may still create: the budget of the last 24 hours less what it created in them.
 *
 * @example
 * ```ts
 * import { AutoQuarantine } from "@lazaret/domain"
 *
 * AutoQuarantine.remaining({ activeTests: 2000, createdLastDay: 5 }, AutoQuarantine.defaults) // => 35
 * AutoQuarantine.remaining({ activeTests: 100, createdLastDay: 12 }, AutoQuarantine.defaults) // => 0
 * ```
 */
export const remaining = (
  repository: { readonly activeTests: number; readonly createdLastDay: number },
  policy: AutoQuarantinePolicy
): number =>
  Math.max(
    0,
    Math.max(policy.budget, Math.floor(exact(policy.budgetShare * repository.activeTests))) - repository.createdLastDay
  )

/**
 * Whether a quarantine is to be released: created by the automation, and recovered for long enough.
 *
 * `recoveredSince` is when recovery began to hold without a break, null when it does not hold.
 */
export const isToBeRemoved = (
  quarantine: { readonly source: "manual" | "auto"; readonly recoveredSince: Instant.Instant | null },
  now: Instant.Instant,
  policy: AutoQuarantinePolicy
): boolean =>
  quarantine.source === "auto" &&
  quarantine.recoveredSince !== null &&
  now - quarantine.recoveredSince >= policy.removalDays * Instant.day

/** The runs of a test in a stress run on a commit, and when it was stored. */
export interface StressProof {
  readonly passed: number
  readonly failed: number
  readonly commit: string
  readonly at: Instant.Instant
}

/** The stress runs of a quarantined test, and the executions of its identities on the default branch. */
export interface StressFacts {
  readonly stress: ReadonlyArray<StressProof>
  readonly identities: ReadonlyArray<ReadonlyArray<Observation>>
}

/**
 * The stress run that proves that a test was fixed; null without one.
 *
 * **Details**
 *
 * It is the latest one, had `stressRuns` clean runs at least and no failure, and ran on a commit of the default branch. From the first execution of
 * this commit there on, the test passed each time: a failure takes the proof back, one of an outage does not.
 */
export const provenBy = (
  { identities, stress }: StressFacts,
  { stressRuns }: Pick<AutoQuarantinePolicy, "stressRuns">
): StressProof | null => {
  const [latest] = stress.toSorted((a, b) => b.at - a.at || b.failed - a.failed)
  if (stressRuns === 0 || latest === undefined) return null
  if (latest.failed > 0 || latest.passed < stressRuns) return null
  const executions = identities.flatMap((identity) => identity.filter(Health.counts))
  const since = executions.reduce(
    (least, { at, commit }) => (commit === latest.commit ? Math.min(least, at) : least),
    Infinity
  )
  const isHeld = since < Infinity && executions.every((each) => each.at < since || isCleanPass(each))
  return isHeld ? latest : null
}

/** Takes the error of binary fractions from a product with a decimal share: 0.29 of 100 is 29, not 28.999999999999996. */
const exact = (product: number): number => Number(product.toPrecision(12))

const objectionsTo = (
  candidate: Candidate,
  setting: "flaky" | "flaky_and_broken",
  now: Instant.Instant,
  policy: AutoQuarantinePolicy
): ReadonlyArray<string> => {
  const broken = candidate.status === "broken" && setting === "flaky_and_broken"
  const checks: ReadonlyArray<readonly [boolean, string]> = [
    [candidate.status === "flaky" || broken, `is ${candidate.status}`],
    [candidate.executions >= policy.executions, `has only ${counted(candidate.executions, "execution")}`],
    [candidate.commits >= policy.commits, `ran on only ${counted(candidate.commits, "commit")}`],
    [now - candidate.firstSeenAt >= policy.ageHours * Instant.hour, `is younger than ${policy.ageHours} hours`],
    [
      broken || candidate.flakyCommits >= policy.flakyCommits,
      `was flaky on only ${counted(candidate.flakyCommits, "commit")}`
    ],
    [
      broken || candidate.flakyCommits >= exact(policy.flakyShare * candidate.commits),
      `was flaky on less than ${exact(policy.flakyShare * 100)} % of its commits`
    ],
    [
      !broken || candidate.failedCommits >= policy.brokenCommits,
      `failed on only ${counted(candidate.failedCommits, "commit")}`
    ],
    [
      !broken || candidate.failedMs >= policy.brokenHours * Instant.hour,
      `has failed for less than ${policy.brokenHours} hours`
    ],
    [candidate.passedCleanly, "has never passed cleanly on the default branch"],
    [
      candidate.removedAt === null || now - candidate.removedAt >= policy.restDays * Instant.day,
      `was released by hand within the last ${policy.restDays} days`
    ]
  ]
  return checks.flatMap(([holds, objection]) => (holds ? [] : [objection]))
}

const reasonFor = (candidate: Candidate, policy: AutoQuarantinePolicy): string =>
  candidate.status === "flaky"
    ? `Flaky: failed and passed on ${candidate.flakyCommits} of ${candidate.commits} commits ` +
      `(${candidate.executions} executions) in the last ${policy.days} days.`
    : `Broken: failed on ${candidate.failedCommits} of ${candidate.commits} commits ` +
      `(${candidate.executions} executions) in the last ${policy.days} days.`
