/**
 * The settings of what is not known of a job run: whether the change broke something, whether something outside fails, which share of the
 * tests each hits, the outcome of an outage of the base, and how noisy the repository is.
 */
import * as Likelihoods from "./CauseLikelihoods.ts"
import type * as Rates from "./CauseRates.ts"
import type * as Facts from "./FailureFacts.ts"
import type { FailurePolicy } from "./FailurePolicy.ts"

export interface Joint {
  readonly tests: number
  readonly rates: Rates.CauseRates
  readonly run: Likelihoods.Run
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
export interface Setting {
  readonly change: number
  readonly outside: number
  readonly cause: "environment" | "dependency" | null
  readonly isEverywhere: boolean
  readonly noise: number
  readonly onBase: "broken" | "outage" | null
  readonly prior: number
}

/** Shares of the tests that a cause hits: from one test to nearly all, each four times the one before. */
const sharesOf = (tests: number): ReadonlyArray<number> => {
  const steps = Math.max(1, Math.ceil(Math.log2(tests) / 2))
  return Array.from({ length: steps + 1 }, (_, step) => Math.min(0.9, 4 ** step / Math.max(2, tests)))
}

/** Every setting: a break of K tests is as likely as 1/K², an outage hits any number alike. */
export const settingsOf = (joint: Joint, failures: ReadonlyArray<Likelihoods.Own>): ReadonlyArray<Setting> => {
  const { facts, policy, rates, tests } = joint
  const hasSiblings = failures.some(({ siblings }) => siblings.failed + siblings.passed > 0)
  const some = Likelihoods.someOf(rates, policy.jobs)
  const shares = sharesOf(tests)
  const breaks = Likelihoods.breaksOf(facts, rates)
  const calm: Switches = { change: 0, outside: 0, cause: null, prior: (1 - breaks) * (1 - rates.outages) }
  const changes = weighed(shares, policy.sizes.change).map(({ share, weight }): Switches => ({
    ...calm,
    change: share,
    prior: breaks * weight
  }))
  const outsides = (["environment", "dependency"] as const).flatMap((cause) => {
    const rate = rates.outages * (cause === "dependency" ? policy.rates.dependencies : 1 - policy.rates.dependencies)
    return weighed(shares, policy.sizes.outside).map(({ share, weight }): Switches => ({
      ...calm,
      cause,
      outside: share,
      prior: rate * weight
    }))
  })
  const both = changes
    .slice(0, failures.length === 1 ? 0 : 2)
    .flatMap(({ change, prior }) =>
      outsides
        .filter(({ cause }) => cause === "environment")
        .map((other): Switches => ({ ...other, change, prior: other.prior * prior }))
    )
  const settings = [calm, ...changes, ...outsides, ...both].flatMap((one) =>
    hasSiblings && one !== calm ? inJobs(one, some) : [{ ...one, isEverywhere: true }]
  )
  return withNoise(withBase(settings, joint, failures), joint)
}

type Noiseless = Omit<Setting, "noise">

const withBase = (
  settings: ReadonlyArray<Omit<Noiseless, "onBase">>,
  { facts, policy, run }: Joint,
  failures: ReadonlyArray<Likelihoods.Own>
): ReadonlyArray<Noiseless> => {
  const shared = failures.filter(({ isOutageOnBase }) => isOutageOnBase)
  if (shared.length === 0) return settings.map((one) => ({ ...one, onBase: null }))
  const broken = shared.reduce((sum, { baseBroken }) => sum + baseBroken, 0) / shared.length
  const latest = facts.run.record.base.toSorted((a, b) => a.at - b.at || a.failed - b.failed).at(-1)
  const fewer = latest !== undefined && latest.failed > 4 * run.failures ? policy.rates.fewer : 1
  return settings.flatMap((one): ReadonlyArray<Noiseless> => [
    { ...one, onBase: "broken", prior: one.prior * broken * fewer },
    { ...one, onBase: "outage", prior: one.prior * (1 - broken) * policy.rates.lasts * fewer },
    { ...one, onBase: null, prior: one.prior * (1 - broken) * (1 - policy.rates.lasts) }
  ])
}

type Switches = Pick<Setting, "change" | "outside" | "cause" | "prior">

const inJobs = (one: Switches, some: number): ReadonlyArray<Omit<Noiseless, "onBase">> => [
  { ...one, isEverywhere: true, prior: one.prior * (1 - some) },
  { ...one, isEverywhere: false, prior: one.prior * some }
]

interface Weighed {
  readonly share: number
  readonly weight: number
}

/** Shares with weights that sum to 1, each the factor times the one before. */
const weighed = (shares: ReadonlyArray<number>, factor: number): ReadonlyArray<Weighed> => {
  const all = shares.map((share, step) => ({ share, weight: factor ** step }))
  const sum = all.reduce((a, { weight }) => a + weight, 0)
  return all.map(({ share, weight }) => ({ share, weight: weight / sum }))
}

/** How noisy a repository is becomes known within some commits. */
const withNoise = (
  settings: ReadonlyArray<Noiseless>,
  { policy, rates }: Pick<Joint, "policy" | "rates">
): ReadonlyArray<Setting> => {
  const unknown = 4 / (4 + rates.commits)
  const more = policy.noise.map(({ factor, share }) => ({ noise: factor, share: share * unknown }))
  const usual = { noise: 1, share: 1 - more.reduce((sum, { share }) => sum + share, 0) }
  return [usual, ...more].flatMap(({ noise, share }) =>
    settings.map((setting) => ({ ...setting, noise, prior: setting.prior * share }))
  )
}
