/**
 * The rates of a repository at a job run: how often its tests flake, its changes break something, and its environment fails.
 *
 * All of them are counted in the record of the job and shrunk to the priors of the policy.
 */
import * as Facts from "./FailureFacts.ts"
import * as Message from "./FailureMessage.ts"
import type { FailurePolicy, Prior } from "./FailurePolicy.ts"
import { bounds as records } from "./FailureRecords.ts"
import type { JobRunFacts } from "./JobRecord.ts"
import * as Streaks from "./CauseStreaks.ts"

/**
 * The rates at a job run.
 *
 * **Details**
 *
 * - `tests`: how many tests ran in it. `commits`: commits of the default branch in its record.
 * - `flakyTests`: share of the tests that flake at all; `firstFlake`: how often one that never flaked does. `usualFailures`: the median of the failures of a run.
 * - `brokenChanges`, `brokenCommits`, `outages`: per run of a pull request, commit of the default branch, and run.
 * - `flakes`: those of each test; `open`: since how many commits each test that fails at the end of the record does, and how many began with it.
 */
export interface CauseRates {
  readonly tests: number
  readonly commits: number
  readonly othersPerRun: number
  readonly flakyTests: number
  readonly firstFlake: number
  readonly usualFailures: number
  readonly brokenChanges: number
  readonly brokenCommits: number
  readonly outages: number
  readonly flakes: ReadonlyMap<string, ReadonlyArray<Streaks.RecordedFlake>>
  readonly together: ReadonlyMap<string, number>
}

/** The rates at a job run of some tests. */
export const of = (
  { failure: { at }, run: { outages, record } }: Facts.FailureFacts,
  tests: number,
  policy: FailurePolicy
): CauseRates => {
  const { rates } = policy
  const calm = record.base.filter(({ failures, isOutage }) => !isOutage && failures !== null)
  const commits = Streaks.commitsOf(calm)
  const { breaks, flakes, together } = Streaks.find(commits, Math.max(1, tests))
  const sure = [...flakes].filter(([, list]) => list.some((flake) => flake.sure > 0.5))
  const start = commits.length < 10 ? 0 : commits.length / 2
  const late = sure.filter(([, list]) => Math.max(...list.map(({ age }) => age)) < commits.length - start).length
  const ends = commits.length < 4 ? (commits.at(-1)?.failures.size ?? 0) / 2 : 0
  const { count, of: sum } = rates.flakyRate
  const found = 1 - (sum - count) / (sum - count + Math.max(1, commits.length))
  const failures = calm.map(({ failed }) => failed).sort((a, b) => a - b)
  const runs = record.base.length
  const hits = record.base.filter(({ isOutage }) => isOutage).length
  const outage = shrunk(rates.outages, Math.max(hits, Math.min(1, outages.length)), runs)
  const isRecent = outages.some((one) => Math.abs(at - one.at) <= policy.elsewhereHours * 3_600_000)
  return {
    tests: Math.max(1, tests),
    commits: commits.length,
    othersPerRun: runs === 0 ? 0 : Math.min(5, record.others.runs / runs),
    flakyTests: Math.min(0.9, ((sure.length + ends) / found + rates.flakyTests.count) / (tests + rates.flakyTests.of)),
    firstFlake: Math.min(0.2, shrunk(rates.firstFlakes, late + ends, commits.length - start) / Math.max(1, tests)),
    usualFailures: failures[Math.floor(failures.length / 2)] ?? 0,
    brokenChanges: brokenChanges(record, rates.brokenChanges),
    brokenCommits: shrunk(rates.brokenCommits, breaks, commits.length),
    outages: isRecent ? Math.max(rates.outageAgain, outage) : outage,
    flakes,
    together
  }
}

const shrunk = ({ count, of: trials }: Prior, more: number, moreTrials: number): number =>
  (count + more) / (trials + moreTrials)

/** A pull request is red more often than the default branch by what it breaks itself. */
const brokenChanges = ({ base, others }: JobRunFacts["record"], prior: Prior): number => {
  const red = base.filter(({ failed }) => failed > 0).length
  const usual = (red + 0.5) / (base.length + 5)
  const broken = Math.max(0, (others.red / Math.max(1, others.runs) - usual) / (1 - Math.min(0.9, usual)))
  const weight = Math.min(others.runs, 60)
  return shrunk(prior, broken * weight, weight)
}

/** How often a test fails by itself, from its flakes in executions that count; `first` is the part for a test that never flaked. */
export interface FlakeRate {
  readonly rate: number
  readonly first: number
  readonly flakes: number
  readonly executions: number
}

/**
 * How often a test fails by itself, per execution.
 *
 * **Details**
 *
 * Spike and slab: a share of the tests flakes now and then, at rates of a beta distribution, and the others nearly never. The rate is the mean over
 * both, given how often this test flaked in how many executions. Both count less the longer ago they are.
 */
export const flakeRate = (facts: Facts.FailureFacts, rates: CauseRates, policy: FailurePolicy): FlakeRate => {
  const { rates: numbers } = policy
  const { executions, flakes } = flakeCounts(facts, rates, policy)
  const { count: a, of: sum } = numbers.flakyRate
  const b = sum - a
  const calm = Math.max(0, executions - flakes)
  const spike = rates.firstFlake
  const slab = Math.log(rates.flakyTests) + logBeta(a + flakes, b + calm) - logBeta(a, b)
  const rest = Math.log(1 - rates.flakyTests) + flakes * Math.log(spike) + calm * Math.log1p(-spike)
  const isFlaky = 1 / (1 + Math.exp(rest - slab))
  const rate = isFlaky * ((a + flakes) / (sum + flakes + calm)) + (1 - isFlaky) * spike
  return { rate: Math.min(0.95, rate), first: spike, flakes, executions }
}

const flakeCounts = (
  facts: Facts.FailureFacts,
  rates: CauseRates,
  { memoryDays, otherBranches, rates: { halfLifeRuns } }: FailurePolicy
): { readonly flakes: number; readonly executions: number } => {
  const own = rates.flakes.get(facts.failure.testName) ?? []
  const weigh = (age: number) => 0.5 ** (age / halfLifeRuns)
  const known = new Set(own.map(({ commit }) => commit))
  const since = facts.failure.at - memoryDays * 86_400_000
  const { failed, passed } = Facts.siblingCounts(facts)
  const share = 0.5 / Math.sqrt(Math.max(1, failed + passed))
  const proven = facts.test.flakes
    .filter(({ at, commit }) => at > since && !known.has(commit))
    .reduce((sum, flake) => sum + sureness(flake, rates) * (flake.jobName === facts.failure.jobName ? 1 : share), 0)
  const listed = Facts.executionsOnBase(facts)
  const isWhole = listed !== null && (facts.totals !== null || listed < records.row)
  const ran = isWhole ? listed : Math.max(records.row, rates.commits)
  const executions = (halfLifeRuns / Math.LN2) * (1 - weigh(ran))
  return {
    flakes:
      own.reduce((sum, { age, sure }) => sum + sure * weigh(age), 0) + proven + unproven(facts, rates, otherBranches),
    executions: executions * (1 + 0.3 * rates.othersPerRun)
  }
}

/**
 * How many flakes the failures of the test on other branches may have been, which never passed there; at most one on each branch.
 *
 * **Details**
 *
 * Before the test first ran on the base, a failure was of the branch that brought it. A pass on the base since then shows that neither the base nor something outside was the cause. What fails on the default branch may have
 * come from one of these branches, so that one of them does not count there.
 */
const unproven = (
  facts: Facts.FailureFacts,
  rates: CauseRates,
  { different, lasting, otherJob, same }: FailurePolicy["otherBranches"]
): number => {
  const { failure, test } = facts
  const outcomes = Facts.baseRow(facts)?.outcomes ?? []
  const passedAt = Math.max(...outcomes.filter(({ conclusion }) => conclusion === "passed").map(({ at }) => at))
  const since = outcomes.length < records.row ? Math.min(...outcomes.map(({ at }) => at)) : -Infinity
  const found = new Map<string, number>()
  for (const other of test.others.filter(({ at }) => at > since)) {
    const isOver = other.at < passedAt ? 1 : lasting
    const isOwn = other.jobName === failure.jobName ? 1 : otherJob
    const flakes = (other.isSame ? same : different) * sureness(other, rates) * isOver * isOwn
    found.set(other.branch, Math.max(found.get(other.branch) ?? 0, flakes))
  }
  const counted = [...found.values()].sort((a, b) => b - a).slice(Facts.isOnBase(failure) ? 1 : 0)
  return counted.reduce((sum, flakes) => sum + flakes, 0)
}

/** A flake among unusually many failures was rather part of an outage. */
const sureness = ({ failures }: Facts.Flake, { usualFailures }: CauseRates): number =>
  Math.min(1, Math.max(4, 3 * usualFailures) / Math.max(1, failures ?? 1))

/** The commits of the current row of failures on the base, each with its last outcome, the first one first; 16 at most. */
const failingOnBase = (facts: Facts.FailureFacts): ReadonlyArray<Facts.BaseOutcome> => {
  const outcomes = Facts.baseRow(facts)?.outcomes ?? []
  const passedAt = outcomes.findIndex(({ conclusion }) => conclusion === "passed")
  const failing = passedAt === -1 ? outcomes : outcomes.slice(0, passedAt)
  return [...new Map(failing.toReversed().map((outcome) => [outcome.commit, outcome])).values()].slice(0, 16)
}

/**
 * The probability that the base is really broken for a test, given its latest outcomes there.
 *
 * **Details**
 *
 * The first failure of the current row is a break or a flake; each further commit that fails is another flake or the same break.
 * A run
 * that looked like an outage may have been one, or a break of many tests.
 */
export const baseBroken = (
  facts: Facts.FailureFacts,
  rates: CauseRates,
  { isOutside, rate }: { readonly rate: number; readonly isOutside: boolean },
  policy: FailurePolicy
): number => {
  const row = Facts.baseRow(facts)
  if (row === null) return 0
  const commits = failingOnBase(facts)
  const hasPassed = row.outcomes.some(({ conclusion }) => conclusion === "passed")
  const [start] = commits
  if (start === undefined) return 0
  const { different, same } = policy.message
  let odds = isOutside
    ? outageOdds(facts, policy)
    : firstOdds(facts, rates, rate) + jobsOdds(facts, rate, policy) + (hasPassed ? 0 : 2)
  for (const [index, { isOutage, signature }] of commits.entries()) {
    const before = commits[index - 1]
    if (before === undefined) continue
    odds -= Math.log(
      isOutside
        ? isNetwork(facts)
          ? policy.rates.networkLasts
          : policy.rates.outageLasts
        : isOutage
          ? policy.rates.outageLasts
          : Math.max(rate, policy.jobs.together)
    )
    if (signature === null || before.signature === null || isOutage || isOutside) continue
    const fit = signature === before.signature ? same : different
    odds += Math.log(fit.base) - Math.log(fit.flake)
  }
  return 1 / (1 + Math.exp(-odds))
}

/** The odds that the first failure of a row was a break and no flake. */
const firstOdds = ({ failure }: Facts.FailureFacts, rates: CauseRates, rate: number): number => {
  const together = rates.together.get(failure.testName) ?? 1
  return Math.log(((rates.brokenCommits * 0.6) / rates.tests) * (together > 1 ? 10 : 1)) - Math.log(rate)
}

/** The odds that a break, and no flake, failed in the jobs in which the test failed on the base last. */
const jobsOdds = (facts: Facts.FailureFacts, rate: number, { jobs }: FailurePolicy): number => {
  const before = Facts.previousRun(facts)
  if (before === null || before.failed === 0 || before.failed + before.passed === 1) return 0
  const all = (1 - jobs.some) * jobs.passing ** before.passed
  return Math.log(Math.max(jobs.some, all)) - ((before.failed - 1) / 2) * Math.log(Math.max(rate, jobs.together))
}

/** The odds that a run that looked like an outage was a break of many tests. */
const outageOdds = (facts: Facts.FailureFacts, { rates }: FailurePolicy): number =>
  Math.log(isNetwork(facts) ? rates.brokenNetwork : rates.brokenOutage)

const kindOf = ({ failure }: Facts.FailureFacts): Message.Kind => Message.kindOf(failure.exceptionType, failure.message)

const isNetwork = (facts: Facts.FailureFacts): boolean => kindOf(facts) === "network"

/** Whether the row of failures on the base began with an outage, or says what the failure says: that a network or a machine fails. */
export const isOutsideOnBase = (facts: Facts.FailureFacts, together: number): boolean => {
  const start = failingOnBase(facts)[0]
  if (start === undefined) return false
  if (start.isOutage) return kindOf(facts) !== "certain" && kindOf(facts) !== "load"
  return together >= 3 && isNetwork(facts) && Facts.baseRow(facts)?.signature === facts.failure.signature
}

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b)

/** The logarithm of the gamma function, by Stirling's series above 7. */
const logGamma = (x: number): number => {
  let shift = 0
  let z = x
  while (z < 7) {
    shift -= Math.log(z)
    z += 1
  }
  const inverse = 1 / (z * z)
  return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + (1 / 12 - inverse / 360) / z
}
