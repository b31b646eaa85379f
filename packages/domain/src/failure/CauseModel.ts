/**
 * The model of competing causes: which cause explains the failures of a job run best.
 *
 * Two switches per run are not known: whether the change broke something, and whether something outside failed, each with
 * the share of the tests that it hits. Given both, tests are independent, and each failure is explained by the sum of its causes.
 */
import * as Rates from "./CauseRates.ts"
import * as Facts from "./FailureFacts.ts"
import * as Message from "./FailureMessage.ts"
import { Cause, type EvidenceKind, type FailurePolicy, type PerCause } from "./FailurePolicy.ts"
import * as Text from "../text/Text.ts"

/** The causes, in the order of lists. */
export const causes: ReadonlyArray<Cause> = Cause.literals

/** The bits of one kind of evidence for each cause. */
export interface Piece {
  readonly kind: EvidenceKind
  readonly bits: PerCause
}

/**
 * The explanation of a failure.
 *
 * **Details**
 *
 * - `causes`: the probability of each, which sum to 1. Up to a constant, the logarithm (base 2) of each is the sum of the bits of the pieces.
 * - `flakeRate`: how often the test fails by itself; `baseBroken`: the probability that the base is broken for it.
 */
export interface Explanation {
  readonly causes: PerCause
  readonly pieces: ReadonlyArray<Piece>
  readonly flakeRate: number
  readonly flakes: number
  readonly executions: number
  readonly baseBroken: number
  readonly commits: number
}

/** The explanations of the failures of one job run, in order; the order makes no difference to any of them. */
export const explain = (
  failures: ReadonlyArray<Facts.FailureFacts>,
  policy: FailurePolicy
): ReadonlyArray<Explanation> => {
  const [first] = failures
  if (first === undefined) return []
  const tests = first.job.passed + first.job.failed + 1
  const rates = Rates.of(first, tests, policy)
  const run = runOf(failures)
  const ordered = failures.map((facts) => ownOf(facts, { policy, rates, run }))
  const joint = jointOf(ordered, { tests: Math.max(tests, failures.length), rates, run, policy, facts: first })
  return ordered.map((own, index) => explanationOf(own, joint[index] ?? even, rates))
}

/** The messages, files and attempts of the failures of a job run together. */
interface Run {
  readonly failures: number
  readonly groups: ReadonlyMap<string, number>
  readonly files: number
  readonly attempts: number
}

const runOf = (failures: ReadonlyArray<Facts.FailureFacts>): Run => {
  const groups = new Map<string, number>()
  const files = new Set<string>()
  for (const facts of failures) {
    groups.set(groupOf(facts), (groups.get(groupOf(facts)) ?? 0) + 1)
    files.add(fileOf(facts))
  }
  const attempts = Math.min(...failures.map((facts) => Facts.failedAttempts(facts) - facts.failure.attempts))
  return { failures: failures.length, groups, files: files.size, attempts: Math.min(4, attempts) }
}

const groupOf = ({ failure }: Facts.FailureFacts): string => failure.signature ?? "silent"

/** The file of a test, else what its name says about where it stands. */
const fileOf = ({ failure: { file, testName } }: Facts.FailureFacts): string =>
  file ?? testName.split(/ [›>] |::/u, 1)[0] ?? testName

/**
 * A failure on its own: how well each cause explains it, without the other failures of its run.
 *
 * **Details**
 *
 * `fits` leaves out the other jobs for causes that are at work in all jobs or in this one alone (`siblings`).
 */
interface Own {
  readonly pieces: ReadonlyArray<Piece>
  readonly fits: PerCause
  readonly siblings: { readonly passed: number; readonly failed: number }
  readonly everywhere: number
  readonly hereAlone: number
  readonly firstShare: number
  readonly unseen: number
  readonly elsewhere: number
  readonly isNew: boolean
  readonly rate: Rates.FlakeRate
  readonly baseBroken: number
}

interface Context {
  readonly policy: FailurePolicy
  readonly rates: Rates.CauseRates
  readonly run: Run
}

const ownOf = (facts: Facts.FailureFacts, context: Context): Own => {
  const { policy, rates } = context
  const rate = Rates.flakeRate(facts, rates, policy)
  const baseBroken = Rates.baseBroken(facts, rates, rate.rate, policy)
  const breaks = breaksOf(facts, rates)
  const outside = rates.outages
  const pieces: ReadonlyArray<Piece> = [
    { kind: "history", bits: bitsOf({ ...even, flake: rate.rate }) },
    {
      kind: "changes",
      bits: bitsOf({ ...even, change: breaks, environment: outside, dependency: outside * policy.rates.dependencies })
    },
    { kind: "base", bits: bitsOf({ ...even, flake: 1 - baseBroken, base: baseBroken }) },
    ...likelihoodsOf(facts, context, rate.rate)
  ]
  const fitting = pieces.filter(({ kind }) => kind !== "changes")
  const withoutJobs = fitting.filter(({ kind }) => kind !== "jobs")
  const siblings = Facts.siblingCounts(facts)
  const isElsewhere = pieces.some(({ kind }) => kind === "elsewhere")
  return {
    pieces,
    fits: mapCauses((cause) => 2 ** sumBits(cause === "flake" || cause === "base" ? fitting : withoutJobs, cause)),
    siblings,
    everywhere: everywhere(siblings, policy.jobs),
    hereAlone: hereAlone(siblings, policy.jobs),
    firstShare: Math.min(1, rate.first / rate.rate),
    unseen: unseenOf(facts, context),
    elsewhere: isElsewhere ? policy.elsewhere.base / policy.elsewhere.change : 1,
    isNew: Facts.baseRow(facts) === null,
    rate,
    baseBroken
  }
}

const breaksOf = ({ failure }: Facts.FailureFacts, rates: Rates.CauseRates): number =>
  failure.isPullRequest ? rates.brokenChanges : rates.brokenCommits

/** How many times as often the base broke since it passed last as the change breaks something. */
const unseenOf = (facts: Facts.FailureFacts, { policy, rates }: Context): number =>
  facts.failure.isPullRequest && Facts.baseRow(facts)?.conclusion === "passed"
    ? (policy.rates.unseenBase * rates.brokenCommits) / rates.brokenChanges
    : 0

const even: PerCause = { flake: 1, change: 1, base: 1, environment: 1, dependency: 1 }

const mapCauses = (value: (cause: Cause) => number): PerCause => ({
  flake: value("flake"),
  change: value("change"),
  base: value("base"),
  environment: value("environment"),
  dependency: value("dependency")
})

/** Nothing is impossible: a cause that facts rule out keeps 1e-18. */
const bitsOf = (likelihoods: PerCause): PerCause => mapCauses((cause) => Math.log2(Math.max(1e-18, likelihoods[cause])))

const scaled = (bits: PerCause, factor: number): PerCause => mapCauses((cause) => bits[cause] * factor)

const sumBits = (pieces: ReadonlyArray<Piece>, cause: Cause): number =>
  pieces.reduce((sum, { bits }) => sum + bits[cause], 0)

/** The pieces with facts: what is not known says nothing. */
const likelihoodsOf = (facts: Facts.FailureFacts, context: Context, rate: number): ReadonlyArray<Piece> => {
  const { policy } = context
  const pieces: Array<Piece> = []
  if (Facts.provingReruns(facts).length > 0) {
    pieces.push({ kind: "passed_on_rerun", bits: bitsOf({ ...even, change: 0, base: 0, dependency: 0 }) })
  }
  const again = Math.min(4, Facts.failedAttempts(facts) - 1)
  if (again > 0) pieces.push({ kind: "attempts", bits: scaled(bitsOf({ ...policy.attempts, environment: 1 }), again) })
  if (facts.siblings.length > 0) pieces.push({ kind: "jobs", bits: jobsOf(facts, rate, policy) })
  const message = messageOf(facts, context)
  if (message !== null) pieces.push({ kind: "message", bits: message })
  if (Facts.unrelatedRuns(facts, policy).length > 0) pieces.push({ kind: "elsewhere", bits: bitsOf(policy.elsewhere) })
  if (facts.run.judgement?.isExcused === true) {
    const hasPassed = Facts.provingReruns(facts).length > 0
    const against = hasPassed ? -policy.excused.afterPass : -policy.excused.atFirst
    pieces.push({
      kind: "outage",
      bits: { flake: against, change: against, base: against, environment: 0, dependency: against / 2 }
    })
  }
  return pieces
}

/** The other jobs of the commit, for a flake one by one, for a break in all jobs or in this one. */
const jobsOf = (facts: Facts.FailureFacts, rate: number, { jobs }: FailurePolicy): PerCause => {
  const siblings = Facts.siblingCounts(facts)
  const broken = (1 - jobs.some) * everywhere(siblings, jobs) + jobs.some * hereAlone(siblings, jobs)
  return {
    flake: (siblings.failed / 2) * Math.log2(Math.max(rate, jobs.together)),
    change: Math.log2(broken),
    base: 0,
    environment: 0,
    dependency: Math.log2(broken)
  }
}

type Jobs = FailurePolicy["jobs"]

/** How likely the other jobs end as they do when a cause that never passes is at work in all of them. */
const everywhere = ({ failed, passed }: Own["siblings"], { passing }: Jobs): number =>
  passing ** Math.min(20, passed) * (1 - passing) ** failed

/** The same when it is at work in this job alone. */
const hereAlone = ({ failed, passed }: Own["siblings"], { other }: Jobs): number =>
  other ** Math.min(20, failed) * (1 - other) ** passed

/** The message. Failures with one message say it once, so that each of them has a part of it. */
const messageOf = (facts: Facts.FailureFacts, { policy: { message }, run }: Context): PerCause | null => {
  const { failure } = facts
  const group = run.groups.get(groupOf(facts)) ?? 1
  const kind = Message.kindOf(failure.exceptionType, failure.message)
  let bits = scaled(bitsOf(message.kinds[kind]), 1 / group)
  if (failure.signature === null) return bits
  const { signature } = failure
  const add = (fit: PerCause, parts = 1) => {
    const more = scaled(bitsOf(fit), 1 / parts)
    bits = mapCauses((cause) => bits[cause] + more[cause])
  }
  if (facts.test.signatures.length > 0) {
    add(facts.test.signatures.includes(signature) ? message.known : message.other, group)
  }
  if (facts.test.signatures.length === 0 && facts.seen !== null)
    add(facts.seen > 0 ? message.seen : message.unseen, group)
  const onBase = Facts.baseRow(facts)?.signature ?? null
  if (onBase !== null) add(onBase === signature ? message.same : message.different)
  if (Message.mayBeOutage(kind) && facts.run.outages.some(({ signatures }) => signatures.includes(signature))) {
    add({ ...even, environment: message.pastOutage, dependency: 1 }, group)
  }
  return bits
}

interface Joint {
  readonly tests: number
  readonly rates: Rates.CauseRates
  readonly run: Run
  readonly policy: FailurePolicy
  readonly facts: Facts.FailureFacts
}

/**
 * A setting of what is not known of a run.
 *
 * **Details**
 *
 * `change` and `outside` are the shares of the tests that the change and something outside hit, 0 for neither. `isEverywhere`: in all jobs, not in this
 * one alone. `noise`: how many times as often tests flake that never did.
 */
interface Setting {
  readonly change: number
  readonly outside: number
  readonly cause: "environment" | "dependency" | null
  readonly isEverywhere: boolean
  readonly noise: number
  readonly prior: number
}

/** The probability of each cause of each failure, over all settings. */
const jointOf = (failures: ReadonlyArray<Own>, joint: Joint): ReadonlyArray<PerCause> => {
  const settings = settingsOf(joint, failures)
  const rest = joint.tests - joint.run.failures
  const parts: Parts = { flake: 0, change: 0, base: 0, environment: 0, dependency: 0 }
  const logs = settings.map((setting) => {
    let log = Math.log(setting.prior) + rest * (Math.log1p(-setting.change) + Math.log1p(-setting.outside))
    log -= hitsSomething(setting.change, joint.tests) + hitsSomething(setting.outside, joint.tests)
    log += patternOf(joint.run, setting.cause ?? (setting.change > 0 ? "change" : "flake"), joint.policy)
    if (setting.cause === "environment") log += joint.run.attempts * Math.log(joint.policy.attempts.environment)
    let product = 1
    for (const own of failures) {
      product *= fill(parts, own, setting, joint.policy)
      if (product > 1e-200) continue
      log += Math.log(product)
      product = 1
    }
    return log + Math.log(product)
  })
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity)
  const weights = logs.map((log) => Math.exp(log - most))
  const sum = weights.reduce((a, b) => a + b, 0)
  const likely = settings.flatMap((setting, index) => {
    const weight = (weights[index] ?? 0) / sum
    return weight < 1e-12 ? [] : [{ setting, weight }]
  })
  return failures.map((own) => {
    const found: Parts = { flake: 0, change: 0, base: 0, environment: 0, dependency: 0 }
    for (const { setting, weight } of likely) {
      const part = weight / fill(parts, own, setting, joint.policy)
      for (const cause of causes) found[cause] += parts[cause] * part
    }
    return normalised(found)
  })
}

/** The logarithm of how likely a share hits a test at all: a change that breaks something breaks one at least. */
const hitsSomething = (share: number, tests: number): number => (share === 0 ? 0 : Math.log(1 - (1 - share) ** tests))

type Parts = { -readonly [C in Cause]: number }

const normalised = (found: PerCause): PerCause => {
  const sum = total(found)
  return mapCauses((cause) => found[cause] / sum)
}

const total = ({ base, change, dependency, environment, flake }: PerCause): number =>
  flake + change + base + environment + dependency

/** How much each cause explains of a failure under a setting, and the sum of it. The parts are filled in place: this is the inner loop. */
const fill = (parts: Parts, own: Own, setting: Setting, { rates }: FailurePolicy): number => {
  const { fits } = own
  const { cause, change, outside } = setting
  const broken = fits.change * (setting.isEverywhere ? own.everywhere : own.hereAlone)
  parts.flake = fits.flake * (1 + (setting.noise - 1) * own.firstShare) * (1 - change) * (1 - outside)
  const hit = own.isNew ? Math.max(change, rates.newTest) : change
  parts.change = (broken * hit) / (1 + own.unseen)
  parts.base = fits.base + (broken * change * own.unseen * own.elsewhere) / (1 + own.unseen)
  parts.environment = cause === "environment" ? fits.environment * outside * passing(own.siblings, setting) : 0
  parts.dependency =
    cause === "dependency" ? fits.dependency * outside * (setting.isEverywhere ? own.everywhere : own.hereAlone) : 0
  return parts.flake + parts.change + parts.base + parts.environment + parts.dependency + 1e-300
}

/** How likely the other jobs end as they do in an outage of a share of their tests, or of this job alone. */
const passing = ({ failed, passed }: Own["siblings"], { isEverywhere, outside }: Setting): number =>
  failed + passed === 0 ? 1 : isEverywhere ? outside ** failed * (1 - outside) ** passed : 0.05 ** failed

/** Shares of the tests that a cause hits: from one test to nearly all, each four times the one before. */
const sharesOf = (tests: number): ReadonlyArray<number> => {
  const steps = Math.max(1, Math.ceil(Math.log2(tests) / 2))
  return Array.from({ length: steps + 1 }, (_, step) => Math.min(0.9, 4 ** step / Math.max(2, tests)))
}

/** Every setting: a break of K tests is as likely as 1/K², an outage hits any number alike. */
const settingsOf = ({ facts, policy, rates, tests }: Joint, failures: ReadonlyArray<Own>): ReadonlyArray<Setting> => {
  const hasSiblings = failures.some(({ siblings }) => siblings.failed + siblings.passed > 0)
  const shares = sharesOf(tests)
  const breaks = breaksOf(facts, rates)
  const few = weightsOf(shares, 0.25)
  const any = weightsOf(shares, 4)
  const calm: Switches = { change: 0, outside: 0, cause: null, prior: (1 - breaks) * (1 - rates.outages) }
  const changes = shares.map((change, step): Switches => ({ ...calm, change, prior: breaks * (few[step] ?? 0) }))
  const outsides = (["environment", "dependency"] as const).flatMap((cause) => {
    const rate = rates.outages * (cause === "dependency" ? policy.rates.dependencies : 1 - policy.rates.dependencies)
    return shares.map((outside, step): Switches => ({ ...calm, cause, outside, prior: rate * (any[step] ?? 0) }))
  })
  const both = changes
    .slice(0, failures.length === 1 ? 0 : 2)
    .flatMap(({ change, prior }) =>
      outsides
        .filter(({ cause }) => cause === "environment")
        .map((other): Switches => ({ ...other, change, prior: other.prior * prior }))
    )
  const settings = [calm, ...changes, ...outsides, ...both].flatMap((one) =>
    hasSiblings && one !== calm ? inJobs(one, policy) : [{ ...one, isEverywhere: true }]
  )
  return withNoise(settings, { policy, rates })
}

type Switches = Pick<Setting, "change" | "outside" | "cause" | "prior">

const inJobs = (one: Switches, { jobs }: FailurePolicy): ReadonlyArray<Omit<Setting, "noise">> => [
  { ...one, isEverywhere: true, prior: one.prior * (1 - jobs.some) },
  { ...one, isEverywhere: false, prior: one.prior * jobs.some }
]

const weightsOf = (shares: ReadonlyArray<number>, factor: number): ReadonlyArray<number> => {
  const weights = shares.map((_, step) => factor ** step)
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((weight) => weight / sum)
}

/** How noisy a repository is becomes known within some commits. */
const withNoise = (
  settings: ReadonlyArray<Omit<Setting, "noise">>,
  { policy, rates }: Pick<Joint, "policy" | "rates">
): ReadonlyArray<Setting> => {
  const unknown = 4 / (4 + rates.commits)
  const more = policy.noise.map(({ factor, share }) => ({ noise: factor, share: share * unknown }))
  const usual = { noise: 1, share: 1 - more.reduce((sum, { share }) => sum + share, 0) }
  return [usual, ...more].flatMap(({ noise, share }) =>
    settings.map((setting) => ({ ...setting, noise, prior: setting.prior * share }))
  )
}

/** How well the messages and the files of several failures fit a cause. */
const patternOf = (run: Run, cause: Cause, { pattern }: FailurePolicy): number => {
  if (run.failures < pattern.tests) return 0
  const largest = Math.max(...run.groups.values())
  const isOne = largest >= pattern.tests && 2 * largest >= run.failures
  const isDifferent = run.groups.size >= 0.8 * run.failures
  const messages = isOne ? pattern.one : isDifferent ? pattern.different : pattern.mixed
  const files = run.files === 1 ? pattern.oneFile : pattern.manyFiles
  return Math.log(messages[cause]) + Math.log(files[cause])
}

/** The pieces with what the rest of the run adds to them, so that together they are the probabilities. */
const explanationOf = (own: Own, found: PerCause, rates: Rates.CauseRates): Explanation => {
  const run = mapCauses((cause) => Math.log2(Math.max(1e-18, found[cause])) - sumBits(own.pieces, cause))
  return {
    causes: found,
    pieces: [...own.pieces, { kind: "run", bits: run }],
    flakeRate: own.rate.rate,
    flakes: own.rate.flakes,
    executions: own.rate.executions,
    baseBroken: own.baseBroken,
    commits: rates.commits
  }
}

/** The explanation with an offset in bits for the causes that pass when run again. */
export const calibrated = (explanation: Explanation, offset: number): Explanation => {
  if (offset === 0) return explanation
  const bits: PerCause = { flake: offset, change: 0, base: 0, environment: offset, dependency: 0 }
  const weighed = mapCauses((cause) => explanation.causes[cause] * 2 ** bits[cause])
  const sum = total(weighed)
  return {
    ...explanation,
    causes: mapCauses((cause) => weighed[cause] / sum),
    pieces: [...explanation.pieces, { kind: "calibration", bits }]
  }
}

/** Sorts facts by their identity, so that floating-point sums are the same in any order. */
export const inOrder = (a: Facts.FailureFacts, b: Facts.FailureFacts): number =>
  Text.compare(a.failure.testName, b.failure.testName) || Text.compare(a.failure.id, b.failure.id)
