/** The rule that the product runs: the domain's outage rule, health fold and automatic quarantine. */
import {
  AutoQuarantine,
  Confidence,
  Contradiction,
  type Execution,
  Health,
  HealthPolicy,
  Instant,
  Outage,
  TestSet
} from "@lazaret/domain"
import { Result } from "effect"
import type { Judge, Rule } from "./Rule.ts"
import type { JobRun } from "./World.ts"

/** The options of the landed rule. */
export interface Options {
  readonly health?: Partial<HealthPolicy.HealthPolicy>
  readonly outage?: Partial<Outage.OutagePolicy>
  /** Whether contradictions on other branches are evidence. */
  readonly everyBranch?: boolean
}

/** The landed rule with its policies, or other numbers in them. */
export const landed = (name: string, { everyBranch = true, health, outage }: Options = {}): Rule => ({
  name,
  start: (tests) =>
    judge(tests, { ...HealthPolicy.defaults, ...health }, { ...Outage.defaults, ...outage }, everyBranch)
})

interface Known {
  state: Health.State
  pending: Array<Health.Item>
  readonly recent: Array<Execution.Observation>
  firstSeenAt: Instant.Instant | null
  passedCleanly: boolean
}

const judge = (
  tests: number,
  policy: HealthPolicy.HealthPolicy,
  outages: Outage.OutagePolicy,
  everyBranch: boolean
): Judge => {
  const branches = new Map<string, Map<number, Array<Contradiction.Candidate>>>()
  const known = Array.from({ length: tests }, blank)
  let outage = Outage.initial()
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
        if (everyBranch && !run.fork && !Outage.step(outage, jobRunOf(run), outages).judgement.outage) onBranch(run)
        return
      }
      const { judgement, state } = Outage.step(outage, jobRunOf(run), outages)
      outage = state
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

const jobRunOf = (run: JobRun): Outage.Run => {
  const tests = (isIn: (outcome: string) => boolean) =>
    TestSet.of(run.tests.filter((_, index) => isIn(run.outcomes[index] ?? "passed")))
  return {
    key: `${run.runId}/${run.attempt}`,
    at: run.at,
    commit: run.commit,
    passed: tests((outcome) => outcome !== "failed"),
    failed: tests((outcome) => outcome === "failed")
  }
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
