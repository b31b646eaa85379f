/** The online calibration: how much more or less often failures of a repository pass again than the model says. */
import type { FailureFacts } from "./FailureFacts.ts"
import * as Facts from "./FailureFacts.ts"
import { jobKey } from "./JobRun.ts"
import * as Instant from "../time/Instant.ts"

/** How the base stood at a failure. */
export type BaseState = "passed" | "failed" | "unknown"

/** The state of the base at a failure. */
export const baseState = (facts: FailureFacts): BaseState => Facts.baseRow(facts)?.conclusion ?? "unknown"

/**
 * A failure whose outcome is known.
 *
 * **Details**
 *
 * `odds` are the bits that the model gave before the calibration; `isFlaky` is whether the same code passed.
 */
export interface Resolved {
  readonly at: Instant.Instant
  readonly commit: string
  readonly pipelineName: string
  readonly jobName: string
  readonly base: BaseState
  readonly odds: number
  readonly isFlaky: boolean
}

/** The offsets in bits: of the repository, of each state of the base, and of each job ({@link jobKey}). */
export interface Offsets {
  readonly all: number
  readonly base: { readonly [S in BaseState]: number }
  readonly jobs: ReadonlyMap<string, number>
}

/** The offsets of a repository without known outcomes. */
export const none: Offsets = { all: 0, base: { passed: 0, failed: 0, unknown: 0 }, jobs: new Map() }

/**
 * How the offsets are learned. In brackets the defaults and the source of each.
 *
 * **Details**
 *
 * - `all` (1), `base` (2), `job` (0.5): standard deviations in bits to which offsets are shrunk. `halfLifeDays` (120): of an outcome.
 *   `clustering` (0.2): the failures of a commit with n of them weigh n to this power together. Chosen on the first half of
 *   2024 of the history of dask/distributed, and tested once on later data and other projects.
 */
export interface CalibrationPolicy {
  readonly all: number
  readonly base: number
  readonly job: number
  readonly halfLifeDays: number
  readonly clustering: number
}

/** The policy of the calibration with every default. */
export const defaults: CalibrationPolicy = { all: 1, base: 2, job: 0.5, halfLifeDays: 120, clustering: 0.2 }

/** How many outcomes are read, and of how many days. */
export const bounds = { outcomes: 2000, days: 365 }

/**
 * The offsets that fit known outcomes best, given in any order, as of an instant.
 *
 * **Details**
 *
 * Without outcomes they are 0. They are the mode of a logistic model with normal priors, found by Newton's method one offset after the other, a fixed number
 * of times.
 */
export const offsets = (outcomes: Iterable<Resolved>, now: Instant.Instant, policy: CalibrationPolicy): Offsets => {
  const known = [...outcomes].filter(({ at }) => at < now).sort((a, b) => a.at - b.at || a.odds - b.odds)
  if (known.length === 0) return none
  const sizes = new Map<string, number>()
  for (const { commit } of known) sizes.set(commit, (sizes.get(commit) ?? 0) + 1)
  const samples = known.map((one): Sample => ({
    odds: Math.max(-8, Math.min(8, one.odds)),
    isFlaky: one.isFlaky,
    names: ["", `base ${one.base}`, `job ${jobKey(one)}`],
    weight:
      (sizes.get(one.commit) ?? 1) ** (policy.clustering - 1) *
      0.5 ** ((now - one.at) / Instant.day / policy.halfLifeDays)
  }))
  const found = new Map<string, number>()
  const groups = groupsOf(samples)
  for (let round = 0; round < 8; round++) {
    for (const [name, members] of groups) found.set(name, improved(name, members, found, policy))
  }
  const offset = (name: string) => found.get(name) ?? 0
  return {
    all: offset(""),
    base: { passed: offset("base passed"), failed: offset("base failed"), unknown: offset("base unknown") },
    jobs: new Map([...found].flatMap(([name, value]) => (name.startsWith("job ") ? [[name.slice(4), value]] : [])))
  }
}

/** The offset of a failure in bits. */
export const offsetOf = (facts: FailureFacts, { all, base, jobs }: Offsets): number =>
  all + base[baseState(facts)] + (jobs.get(jobKey(facts.failure)) ?? 0)

interface Sample {
  readonly odds: number
  readonly isFlaky: boolean
  readonly names: readonly [all: string, base: string, job: string]
  readonly weight: number
}

const groupsOf = (samples: ReadonlyArray<Sample>): ReadonlyMap<string, ReadonlyArray<Sample>> => {
  const groups = new Map<string, Array<Sample>>()
  for (const sample of samples) {
    for (const name of sample.names) {
      const list = groups.get(name) ?? []
      groups.set(name, list)
      list.push(sample)
    }
  }
  return groups
}

/** One step of Newton's method for one offset, while the others stay. */
const improved = (
  name: string,
  members: ReadonlyArray<Sample>,
  found: ReadonlyMap<string, number>,
  policy: CalibrationPolicy
): number => {
  const deviation = name === "" ? policy.all : name.startsWith("base ") ? policy.base : policy.job
  const old = found.get(name) ?? 0
  let slope = -old / deviation ** 2
  let curvature = 1 / deviation ** 2
  for (const { isFlaky, names, odds, weight } of members) {
    const bits = odds + names.reduce((sum, each) => sum + (found.get(each) ?? 0), 0)
    const probability = 1 / (1 + 2 ** -bits)
    slope += weight * ((isFlaky ? 1 : 0) - probability) * Math.LN2
    curvature += weight * probability * (1 - probability) * Math.LN2 ** 2
  }
  return old + Math.max(-1, Math.min(1, slope / curvature))
}
