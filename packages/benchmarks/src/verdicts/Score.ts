/** How well a rule classifies the tests of a world. */
import { type Confidence, type HealthStatus, Instant } from "@lazaret/domain"
import type { Judge, Rule } from "./Rule.ts"
import type { JobRun, World } from "./World.ts"

/** The statuses, in the order of a confusion matrix. */
export const statuses: ReadonlyArray<HealthStatus.HealthStatus> = ["healthy", "flaky", "broken"]

/**
 * The score of a rule in one world.
 *
 * **Details**
 *
 * - `confusion[truth][verdict]` counts tests at the end of each day, from the tenth day on.
 * - `daysToFlaky` has, for each test that became flaky, the days until the rule first said so; infinite for never.
 * - `wrongQuarantines` counts the tests that were quarantined although they never were flaky; null without quarantine.
 * - `commitsToBroken` has, for each test of a mass break, the number of the commit at which it was first called broken,
 *   counted from the breaking one as 1; infinite when it was mended before.
 * - `confidence` has the right and all verdicts of each level.
 */
export interface Score {
  readonly confusion: ReadonlyArray<ReadonlyArray<number>>
  readonly daysToFlaky: ReadonlyArray<number>
  readonly wrongQuarantines: number | null
  readonly commitsToBroken: ReadonlyArray<number>
  readonly confidence: Readonly<Record<Confidence.Confidence, readonly [right: number, all: number]>>
}

const firstDay = 10

/** Runs a rule through a world. */
export const of = (rule: Rule, world: World): Score => {
  const { days, tests } = world.scenario
  const judge = rule.start(tests)
  const sampler = samplerOf(world, judge)
  const broken = brokenOf(world, judge)
  let next = 0
  for (let day = 1; day <= days; day++) {
    const now = day * Instant.day - 1
    for (let run = world.runs[next]; run !== undefined && run.at <= now; run = world.runs[++next]) {
      judge.observe(run)
      broken.observe(run)
    }
    sampler.sample(day, now)
  }
  return { ...sampler.result(), commitsToBroken: broken.result() }
}

const samplerOf = (world: World, judge: Judge) => {
  const { tests } = world.scenario
  const confusion = statuses.map(() => statuses.map(() => 0))
  const confidence: Record<Confidence.Confidence, [number, number]> = { low: [0, 0], medium: [0, 0], high: [0, 0] }
  const foundFlaky = new Map<number, Instant.Instant>()
  const quarantined = new Set<number>()
  let hasQuarantine = true
  const sampleTest = (test: number, day: number, now: Instant.Instant): void => {
    const status = judge.statusOf(test)
    if (status === "flaky" && !foundFlaky.has(test) && now >= (world.flakySince(test) ?? now)) foundFlaky.set(test, now)
    const isQuarantined = judge.quarantines(test, now)
    if (isQuarantined === null) hasQuarantine = false
    else if (isQuarantined) quarantined.add(test)
    if (day < firstDay) return
    const truth = world.truth(test, now)
    const row = confusion[statuses.indexOf(truth)]
    const column = statuses.indexOf(status)
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1
    const level = judge.confidenceOf(test, now)
    if (level === null) return
    confidence[level][1] += 1
    if (truth === status) confidence[level][0] += 1
  }
  return {
    sample: (day: number, now: Instant.Instant) => {
      for (let test = 0; test < tests; test++) sampleTest(test, day, now)
    },
    result: () => ({
      confusion,
      confidence,
      daysToFlaky: Array.from({ length: tests }, (_, test) => test).flatMap((test) => {
        const since = world.flakySince(test)
        return since === null ? [] : [((foundFlaky.get(test) ?? Number.POSITIVE_INFINITY) - since) / Instant.day]
      }),
      wrongQuarantines: hasQuarantine ? [...quarantined].filter((test) => world.flakySince(test) === null).length : null
    })
  }
}

const brokenOf = (world: World, judge: Judge) => {
  const found = world.broken.map(() => Number.POSITIVE_INFINITY)
  return {
    observe: (run: JobRun) => {
      if (run.branch !== null) return
      world.broken.forEach(({ commits, test }, index) => {
        const place = commits.indexOf(run.commit)
        if (place === -1 || found[index] !== Number.POSITIVE_INFINITY) return
        if (judge.statusOf(test) === "broken") found[index] = place + 1
      })
    },
    result: () => found
  }
}

/** Precision and recall in one number for one status; null where neither truth nor verdict knows it. */
export const f1 = (confusion: ReadonlyArray<ReadonlyArray<number>>, status: number): number | null => {
  const right = confusion[status]?.[status] ?? 0
  const truth = (confusion[status] ?? []).reduce((sum, count) => sum + count, 0)
  const verdict = confusion.reduce((sum, row) => sum + (row[status] ?? 0), 0)
  return truth === 0 ? null : (2 * right) / (truth + verdict)
}

/** The mean of the F1 of the statuses that exist. */
export const macroF1 = (confusion: ReadonlyArray<ReadonlyArray<number>>): number =>
  mean(statuses.flatMap((_, status) => f1(confusion, status) ?? []))

/** The mean of numbers; NaN without any. */
export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The middle of numbers, which may be infinite; NaN without any. */
export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
