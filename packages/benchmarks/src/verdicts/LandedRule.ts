/** The rule that the product runs: the domain's outage rule, health fold and automatic quarantine. */
import {
  AutoQuarantine,
  Confidence,
  Contradiction,
  type Execution,
  Health,
  HealthPolicy,
  Instant,
  Outage
} from "@lazaret/domain"
import { Result } from "effect"
import * as OutageRule from "./OutageRule.ts"
import type { Judge, Rule } from "./Rule.ts"
import type { JobRun } from "./World.ts"

/** The options of the landed rule. */
export interface Options {
  readonly health?: Partial<HealthPolicy.HealthPolicy>
  readonly outage?: Partial<Outage.OutagePolicy>
  /** Whether contradictions on other branches are evidence. */
  readonly everyBranch?: boolean
  readonly variant?: OutageRule.Variant
  /** Whether failures of outages that are not excused may be evidence of flakiness. */
  readonly outagesAreEvidence?: boolean
}

/** The landed rule with its policies, or with other numbers or parts. */
export const landed = (name: string, options: Options = {}): Rule => ({
  name,
  start: (tests) => judge(tests, options)
})

interface Known {
  state: Health.State
  pending: Array<Health.Item>
  readonly recent: Array<Execution.Observation>
  firstSeenAt: Instant.Instant | null
  passedCleanly: boolean
}

const judge = (tests: number, options: Options): Judge => {
  const policy = { ...HealthPolicy.defaults, ...options.health }
  const branches = new Map<string, Map<number, Array<Contradiction.Candidate>>>()
  const known = Array.from({ length: tests }, blank)
  const outages = OutageRule.start(options.variant ?? OutageRule.landed, { ...Outage.defaults, ...options.outage })
  const flush = (each: Known): void => {
    if (each.pending.length === 0) return
    each.state = Health.fold(each.state, each.pending, policy)
    each.pending = []
  }
  const onBranch = (run: JobRun): void => {
    const ofRun = branches.get(run.runId) ?? new Map<number, Array<Contradiction.Candidate>>()
    branches.set(run.runId, ofRun)
    run.tests.forEach((test, index) => {
      const { at, conclusion, flaky, id } = observationOf(run, index, Outage.calm)
      const earlier = ofRun.get(test) ?? []
      const list = [...earlier, { id, at, conclusion, flaky }]
      ofRun.set(test, list)
      const isNew = Contradiction.completedBy(earlier) === null && Contradiction.completedBy(list) !== null
      const { branch, commit } = run
      if (isNew) known[test]?.pending.push({ id, at, commit, conclusion: "contradicted", branch: branch ?? "" })
    })
  }
  return {
    observe: (run) => {
      if (run.branch !== null) {
        if (options.everyBranch !== false && !run.fork && !outages.isOutage(run)) onBranch(run)
        return
      }
      const found = outages.onMain(run)
      const judgement = options.outagesAreEvidence === true ? { ...found, outage: false } : found
      run.tests.forEach((test, index) => {
        const each = known[test]
        if (each !== undefined) record(each, observationOf(run, index, judgement))
      })
    },
    statusOf: (test) => {
      const each = known[test] ?? blank()
      flush(each)
      return each.state.status
    },
    confidenceOf: (test) => {
      const each = known[test] ?? blank()
      flush(each)
      return Confidence.classify(each.state.reruns, policy)
    },
    quarantines: (test, now) => {
      const each = known[test] ?? blank()
      flush(each)
      if (each.state.status !== "flaky") return false
      const since = now - AutoQuarantine.defaults.days * Instant.day
      const candidate = {
        status: each.state.status,
        ...AutoQuarantine.numbersOf([each.recent.filter(({ at }) => at >= since)]),
        firstSeenAt: each.firstSeenAt ?? now,
        passedCleanly: each.passedCleanly,
        removedAt: null
      }
      return Result.isSuccess(AutoQuarantine.judge(candidate, "flaky", now, AutoQuarantine.defaults))
    }
  }
}

const blank = (): Known => ({
  state: Health.initial,
  pending: [],
  recent: [],
  firstSeenAt: null,
  passedCleanly: false
})

const record = (each: Known, execution: Execution.Observation): void => {
  each.pending.push(execution)
  each.recent.push(execution)
  each.firstSeenAt ??= execution.at
  each.passedCleanly ||= AutoQuarantine.isCleanPass(execution)
  while ((each.recent[0]?.at ?? execution.at) < execution.at - 15 * Instant.day) each.recent.shift()
}

const observationOf = (run: JobRun, index: number, judgement: Outage.Judgement): Execution.Observation => {
  const outcome = run.outcomes[index]
  return {
    id: `${run.runId}/${run.attempt}`,
    at: run.at,
    commit: run.commit,
    conclusion: outcome === "failed" ? "failed" : "passed",
    flaky: outcome === "flaky",
    reruns: outcome === "flaky" ? 1 : 0,
    excused: judgement.excused && outcome === "failed",
    outage: judgement.outage && outcome === "failed",
    many: judgement.many && outcome === "failed"
  }
}
