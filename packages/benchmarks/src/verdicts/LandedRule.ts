/** The rule that the product runs: the domain's outage rule, health fold and automatic quarantine. */
import { AutoQuarantine, Confidence, type Execution, Health, HealthPolicy, Instant, Outage } from "@lazaret/domain"
import { Result } from "effect"
import type { Judge, Rule } from "./Rule.ts"
import type { JobRun } from "./World.ts"

/** The landed rule with a policy. */
export const landed = (name: string, policy = HealthPolicy.defaults, outages = Outage.defaults): Rule => ({
  name,
  start: (tests) => judge(tests, policy, outages)
})

interface Known {
  state: Health.State
  pending: Array<Execution.Observation>
  readonly recent: Array<Execution.Observation>
  readonly reruns: Array<Instant.Instant>
  firstSeenAt: Instant.Instant | null
  passedCleanly: boolean
}

const judge = (tests: number, policy: HealthPolicy.HealthPolicy, outages: Outage.OutagePolicy): Judge => {
  const known = Array.from({ length: tests }, blank)
  let totals: Array<Outage.RunTotals> = []
  const flush = (each: Known): void => {
    if (each.pending.length === 0) return
    each.state = Health.walk(each.state, each.pending, policy, (execution, reruns) => {
      for (let rerun = 0; rerun < reruns; rerun++) each.reruns.push(execution.at)
    })
    each.pending = []
  }
  return {
    observe: (run) => {
      if (run.branch !== null) return
      const total = totalsOf(run)
      totals = [...totals.slice(-4), total]
      const excused = Outage.excused(totals, outages).has(total.key)
      run.tests.forEach((test, index) => {
        const each = known[test]
        if (each !== undefined) record(each, observationOf(run, index, excused))
      })
    },
    statusOf: (test) => {
      const each = known[test] ?? blank()
      flush(each)
      return each.state.status
    },
    confidenceOf: (test, now) => {
      const each = known[test] ?? blank()
      flush(each)
      return Confidence.classify(each.reruns.filter((at) => at > now - policy.activeDays * Instant.day).length, policy)
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
  reruns: [],
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

const totalsOf = (run: JobRun): Outage.RunTotals => {
  const failed = run.outcomes.filter((outcome) => outcome === "failed").length
  return {
    key: `${run.runId}/${run.attempt}`,
    at: run.at,
    commit: run.commit,
    passed: run.outcomes.length - failed,
    failed
  }
}

const observationOf = (run: JobRun, index: number, excused: boolean): Execution.Observation => {
  const outcome = run.outcomes[index]
  return {
    id: `${run.runId}/${run.attempt}`,
    at: run.at,
    commit: run.commit,
    conclusion: outcome === "failed" ? "failed" : "passed",
    flaky: outcome === "flaky",
    reruns: outcome === "flaky" ? 1 : 0,
    excused: excused && outcome === "failed"
  }
}
