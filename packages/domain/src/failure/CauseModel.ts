/**
 * The model of competing causes: which cause explains the failures of a job run best.
 *
 * Two switches per run are not known: whether the change broke something, and whether something outside failed, each with
 * the share of the tests that it hits. Given both, tests are independent, and each failure is explained by the sum of its causes.
 */
import { Array as Arr, type Order } from "effect"
import * as Likelihoods from "./CauseLikelihoods.ts"
import * as Rates from "./CauseRates.ts"
import * as Settings from "./CauseSettings.ts"
import type * as Facts from "./FailureFacts.ts"
import type { Cause, FailurePolicy, PerCause } from "./FailurePolicy.ts"
import * as Text from "../text/Text.ts"

/**
 * The explanation of a failure.
 *
 * **Details**
 *
 * - `causes`: the probability of each, which sum to 1. Up to a constant, the logarithm (base 2) of each is the sum of the bits of the pieces.
 * - `flakyTests`: tests of the job that flaked on the default branch, as far as its record knows.
 * - `messageShare`: the share of the failures of the run that have its message. `isOneFile`: the run has several,
 *   at most half of its tests, all in one file.
 * - `flakeRate`: how often the test fails by itself; `baseBroken`: the probability that the base is broken for it.
 */
export interface Explanation {
  readonly causes: PerCause
  readonly pieces: ReadonlyArray<Likelihoods.Piece>
  readonly flakeRate: number
  readonly flakes: number
  readonly executions: number
  readonly baseBroken: number
  readonly commits: number
  readonly flakyTests: number
  readonly messageShare: number
  readonly isOneFile: boolean
}

/** The failures of one job run with their explanations, in the order of their identity; the order given makes no difference to any of them. */
export const explain = (
  failures: Arr.NonEmptyReadonlyArray<Facts.FailureFacts>,
  policy: FailurePolicy
): Arr.NonEmptyReadonlyArray<readonly [Facts.FailureFacts, Explanation]> => {
  const sorted = Arr.sort(failures, identityOrder)
  const [facts] = sorted
  const tests = facts.job.passed + facts.job.failed + 1
  const rates = Rates.of(facts, tests, policy)
  const run = Likelihoods.runOf(sorted, policy)
  const ordered = Arr.map(sorted, (each) => [each, Likelihoods.ownOf(each, { policy, rates, run })] as const)
  const owns = ordered.map(([, own]) => own)
  const causesOf = jointOf(owns, { tests: Math.max(tests, failures.length), rates, run, policy, facts })
  return Arr.map(ordered, ([each, own]) => [each, explanationOf(own, causesOf(own), rates)])
}

/** The probability of each cause of a failure of these, over all settings. */
const jointOf = (
  failures: ReadonlyArray<Likelihoods.Own>,
  joint: Settings.Joint
): ((own: Likelihoods.Own) => PerCause) => {
  const settings = Settings.settingsOf(joint, failures)
  const rest = joint.tests - joint.run.failures
  const parts: Parts = { ...Likelihoods.even }
  const patterns = Likelihoods.mapCauses((cause) => patternOf(joint.run, cause, joint.policy))
  const logs = settings.map((setting) => {
    let log = Math.log(setting.prior) + rest * (Math.log1p(-setting.change) + Math.log1p(-setting.outside))
    log -= hitsSomething(setting.change, joint.tests) + hitsSomething(setting.outside, joint.tests)
    log += patterns[mainCause(setting)]
    if (setting.cause === "environment") log += joint.run.attempts * Math.log(joint.policy.attempts.environment)
    let product = 1
    for (const own of failures) {
      product *= fill(parts, own, setting, joint.policy)
      if (product > 1e-150 && product < 1e150) continue
      log += Math.log(product)
      product = 1
    }
    return { setting, log: log + Math.log(product) }
  })
  const most = logs.reduce((a, { log }) => Math.max(a, log), -Infinity)
  const weighed = logs.map(({ log, setting }) => ({ setting, weight: Math.exp(log - most) }))
  const sum = weighed.reduce((a, { weight }) => a + weight, 0)
  const likely = weighed
    .map(({ setting, weight }) => ({ setting, weight: weight / sum }))
    .filter(({ weight }) => weight >= 1e-12)
  return (own) => {
    const found: Parts = { flake: 0, change: 0, base: 0, environment: 0, dependency: 0 }
    for (const { setting, weight } of likely) {
      const part = weight / fill(parts, own, setting, joint.policy)
      for (const cause of Likelihoods.causes) found[cause] += parts[cause] * part
    }
    return normalised(found)
  }
}

/** The logarithm of how likely a share hits a test at all: a change that breaks something breaks one at least. */
const hitsSomething = (share: number, tests: number): number => (share === 0 ? 0 : Math.log(1 - (1 - share) ** tests))

type Parts = { -readonly [C in Cause]: number }

const normalised = (found: PerCause): PerCause => {
  const sum = total(found)
  return Likelihoods.mapCauses((cause) => found[cause] / sum)
}

const total = ({ base, change, dependency, environment, flake }: PerCause): number =>
  flake + change + base + environment + dependency

/** How much each cause explains of a failure under a setting, and the sum of it. The parts are filled in place: this is the inner loop. */
const fill = (parts: Parts, own: Likelihoods.Own, setting: Settings.Setting, { rates }: FailurePolicy): number => {
  const { fits } = own
  const { cause, change, outside } = setting
  const broken = fits.change * (setting.isEverywhere ? own.everywhere : own.hereAlone)
  parts.flake = fits.flake * (1 + (setting.noise - 1) * own.firstShare) * (1 - change) * (1 - outside)
  const hit = own.isNew ? Math.max(change, rates.newTest) : change
  parts.change = (broken * hit) / (1 + own.unseen)
  parts.base = baseOf(own, setting) + (broken * change * own.unseen * own.elsewhere) / (1 + own.unseen)
  parts.environment =
    (cause === "environment" ? fits.environment * outside * passing(own.siblings, setting) : 0) +
    lasting(own, setting, rates)
  parts.dependency =
    cause === "dependency" ? fits.dependency * outside * (setting.isEverywhere ? own.everywhere : own.hereAlone) : 0
  return parts.flake + parts.change + parts.base + parts.environment + parts.dependency + 1e-100
}

/** A base that looked like an outage is broken for all of its tests or for none. */
const baseOf = ({ baseBroken, fits, isOutageOnBase }: Likelihoods.Own, { onBase }: Settings.Setting): number =>
  !isOutageOnBase ? fits.base : onBase === "broken" ? fits.base / Math.max(1e-9, baseBroken) : 0

/** An outage of the base that lasts hits the same tests. */
const lasting = (
  { fits, isOutageOnBase }: Likelihoods.Own,
  { onBase }: Settings.Setting,
  rates: FailurePolicy["rates"]
): number => (isOutageOnBase && onBase === "outage" ? rates.lastingHit * fits.environment : 0)

/** How likely the other jobs end as they do in an outage of a share of their tests, or of this job alone. */
const passing = (
  { failed, passed }: Likelihoods.Own["siblings"],
  { isEverywhere, outside }: Settings.Setting
): number => (failed + passed === 0 ? 1 : isEverywhere ? outside ** failed * (1 - outside) ** passed : 0.05 ** failed)

/** The cause that explains most failures under a setting. */
const mainCause = ({ cause, change, onBase }: Settings.Setting): Cause =>
  cause ?? (change > 0 ? "change" : onBase === "broken" ? "base" : onBase === "outage" ? "environment" : "flake")

/** How well the messages and the files of several failures fit a cause. */
const patternOf = (run: Likelihoods.Run, cause: Cause, { pattern }: FailurePolicy): number => {
  if (run.failures < pattern.tests) return 0
  const largest = Math.max(...run.groups.values())
  const isOne = largest >= pattern.tests && 2 * largest >= run.failures
  const isDifferent = run.groups.size >= 0.8 * run.failures
  const messages = isOne ? pattern.one : isDifferent ? pattern.different : pattern.mixed
  if (run.files === null || run.failures < pattern.many) return Math.log(messages[cause])
  const inOne = Math.max(...run.files.values()) / run.failures
  const files = inOne >= 0.75 ? pattern.oneFile : inOne >= 0.25 ? pattern.someFiles : pattern.manyFiles
  return Math.log(messages[cause]) + Math.log(files[cause])
}

/** The pieces with what the rest of the run adds to them, so that together they are the probabilities. */
const explanationOf = (own: Likelihoods.Own, found: PerCause, rates: Rates.CauseRates): Explanation => {
  const run = Likelihoods.mapCauses(
    (cause) => Math.log2(Math.max(1e-18, found[cause])) - Likelihoods.sumBits(own.pieces, cause)
  )
  return {
    causes: found,
    pieces: [...own.pieces, { kind: "run", bits: run }],
    flakeRate: own.rate.rate,
    flakes: own.rate.flakes,
    executions: own.rate.executions,
    baseBroken: own.baseBroken,
    commits: rates.commits,
    flakyTests: rates.flakes.size,
    messageShare: own.messageShare,
    isOneFile: own.isOneFile
  }
}

/** The explanation with an offset in bits for the causes that pass when run again. */
export const calibrated = (explanation: Explanation, offset: number): Explanation => {
  if (offset === 0) return explanation
  const bits: PerCause = { flake: offset, change: 0, base: 0, environment: offset, dependency: 0 }
  const weighed = Likelihoods.mapCauses((cause) => explanation.causes[cause] * 2 ** bits[cause])
  const sum = total(weighed)
  return {
    ...explanation,
    causes: Likelihoods.mapCauses((cause) => weighed[cause] / sum),
    pieces: [...explanation.pieces, { kind: "calibration", bits }]
  }
}

/** Sorts facts by their identity, so that floating-point sums are the same in any order. */
const identityOrder: Order.Order<Facts.FailureFacts> = (a, b) =>
  Text.compare(a.failure.testName, b.failure.testName) || Text.compare(a.failure.id, b.failure.id)
