/** The totals of all tests of a repository over the active days, in columns indexed by the number of the test. */
import { Confidence, type HealthPolicy, HealthStatus, Impact, Rollup } from "@lazaret/domain"
import { slots } from "../codec/BlockCounts.ts"
import * as Windows from "../reading/Windows.ts"

/**
 * The columns.
 *
 * **Details**
 *
 * `status`, `confidence` and `impact` are ranks (`HealthStatus.rank`); `impact` is {@link noImpact} for a test without
 * an impact. A test without executions in the active days has 0 executions. `verdict` is all three ranks in one number
 * ({@link verdictOf}), {@link noVerdict} without executions.
 */
export interface Figures {
  readonly executions: Float64Array
  readonly failed: Float64Array
  readonly concluded: Float64Array
  readonly durationUs: Float64Array
  readonly ratio: Float64Array
  readonly status: Uint8Array
  readonly confidence: Uint8Array
  readonly impact: Uint8Array
  readonly verdict: Uint8Array
}

/** Stands for no impact. */
export const noImpact = 3

/** Columns for `size` tests without executions. */
export const make = (size: number): Figures => ({
  executions: new Float64Array(size),
  failed: new Float64Array(size),
  concluded: new Float64Array(size),
  durationUs: new Float64Array(size),
  ratio: new Float64Array(size),
  status: new Uint8Array(size),
  confidence: new Uint8Array(size),
  impact: new Uint8Array(size),
  verdict: new Uint8Array(size)
})

/** Columns with room for `size` tests: the same columns when they are long enough. */
export const reserve = (figures: Figures, size: number): Figures => {
  if (figures.executions.length >= size) return figures
  // Allocates spare room, so that a new test does not copy all columns every time.
  const larger = make(Math.ceil(size * 1.2))
  larger.executions.set(figures.executions)
  larger.failed.set(figures.failed)
  larger.concluded.set(figures.concluded)
  larger.durationUs.set(figures.durationUs)
  larger.ratio.set(figures.ratio)
  larger.status.set(figures.status)
  larger.confidence.set(figures.confidence)
  larger.impact.set(figures.impact)
  larger.verdict.set(figures.verdict)
  return larger
}

/** Replaces the figures of the tests of a block. */
export const replace = (figures: Figures, window: Windows.BlockWindow, policy: HealthPolicy.HealthPolicy): void => {
  for (let slot = 0; slot < slots; slot++) {
    const testNo = window.blockNo * slots + slot
    if (testNo >= figures.executions.length) return
    const {
      durationUs,
      executions,
      failed,
      reruns,
      rerunsSince,
      skipped,
      status: healthStatus
    } = Windows.test(window, slot)
    const ratio = Rollup.failureRatio({ ...Rollup.empty, passed: executions - failed - skipped, failed })
    figures.executions[testNo] = executions
    figures.failed[testNo] = failed
    figures.concluded[testNo] = executions - skipped
    figures.durationUs[testNo] = durationUs
    figures.ratio[testNo] = ratio
    const status = HealthStatus.rank(healthStatus)
    const confidence = Confidence.rank(Confidence.classify(Math.min(reruns, rerunsSince), policy))
    const impact = impactRank(Impact.classify(healthStatus, ratio, policy))
    figures.status[testNo] = status
    figures.confidence[testNo] = confidence
    figures.impact[testNo] = impact
    figures.verdict[testNo] = executions > 0 ? verdictOf(status, confidence, impact) : noVerdict
  }
}

/** The numbers of the tests with executions that are not healthy. */
export const unhealthy = ({ status, verdict }: Figures): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let testNo = 0; testNo < status.length; testNo++) {
    if (status[testNo] !== healthy && verdict[testNo] !== noVerdict) found.push(testNo)
  }
  return found
}

const healthy = HealthStatus.rank("healthy")

/** The words of ranks. */
export const statuses = HealthStatus.HealthStatus.literals.toSorted(HealthStatus.order)
export const confidences = Confidence.Confidence.literals.toSorted(Confidence.order)
export const impacts = Impact.Impact.literals.toSorted(Impact.order)

/** The verdict of a test without executions. */
export const noVerdict = 0

/** Ranks of status, confidence and impact in one number. */
export const verdictOf = (status: number, confidence: number, impact: number): number =>
  1 + (status * confidences.length + confidence) * (noImpact + 1) + impact

/** How many verdicts there are. */
export const verdicts = verdictOf(statuses.length - 1, confidences.length - 1, noImpact) + 1

const impactRank = (impact: Impact.Impact | null): number => (impact === null ? noImpact : Impact.rank(impact))
