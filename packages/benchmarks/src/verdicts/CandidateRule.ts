/** The rule with parts that the product does not have: see `CandidateHealth` and `RelativeOutage`. */
import { AutoQuarantine, Confidence, type Execution, HealthPolicy, Instant } from "@lazaret/domain"
import { Result } from "effect"
import * as Fold from "./CandidateHealth.ts"
import * as RelativeOutage from "./RelativeOutage.ts"
import type { Judge, Rule } from "./Rule.ts"
import type { JobRun, Outcome } from "./World.ts"

/** The candidate rule with a policy of each part. */
export const candidate = (
  name: string,
  policy: Fold.CandidatePolicy = Fold.proposed,
  outages: RelativeOutage.RelativeOutagePolicy = RelativeOutage.proposed
): Rule => ({ name, start: (tests) => judge(tests, policy, outages) })

interface Known {
  readonly health: Fold.CandidateHealth
  readonly recent: Array<Execution.Observation>
  firstSeenAt: Instant.Instant | null
  passedCleanly: boolean
}

/** The outcomes of one run id of a pull request: what its attempts said so far, and whether one was an outage. */
interface Attempts {
  readonly outcomes: Map<number, Outcome>
  outage: boolean
}

const judge = (tests: number, policy: Fold.CandidatePolicy, outages: RelativeOutage.RelativeOutagePolicy): Judge => {
  const outage = RelativeOutage.start(outages)
  const attempts = new Map<string, Attempts>()
  const known = Array.from({ length: tests }, (): Known => ({
    health: new Fold.CandidateHealth(policy),
    recent: [],
    firstSeenAt: null,
    passedCleanly: false
  }))
  const onMain = (run: JobRun): void => {
    const judgement = outage.judge(run)
    const failed = run.outcomes.filter((each) => each === "failed").length
    const few = failed < 4 || failed < 0.01 * run.tests.length
    run.tests.forEach((test, index) => {
      const each = known[test]
      const outcome = run.outcomes[index] ?? "passed"
      if (each === undefined) return
      const isFailed = outcome === "failed"
      each.health.observe({
        at: run.at,
        commit: run.commit,
        failed: isFailed,
        flaky: outcome === "flaky",
        excused: judgement.excused,
        outage: judgement.outage,
        few
      })
      record(each, run, outcome, judgement.outage && isFailed)
    })
  }
  const onBranch = (run: JobRun): void => {
    const before = attempts.get(run.runId) ?? { outcomes: new Map<number, Outcome>(), outage: false }
    attempts.set(run.runId, before)
    before.outage ||= outage.judge(run).outage
    run.tests.forEach((test, index) => {
      const outcome = run.outcomes[index] ?? "passed"
      const earlier = before.outcomes.get(test) ?? outcome
      before.outcomes.set(test, outcome)
      const health = known[test]?.health
      if (health === undefined || run.fork || before.outage) return
      if (outcome === "flaky" || earlier !== outcome) contradict(health, run)
    })
  }
  return {
    observe: (run) => (run.branch === null ? onMain(run) : onBranch(run)),
    statusOf: (test) => known[test]?.health.status ?? "healthy",
    confidenceOf: (test, now) => {
      const health = known[test]?.health
      const since = Math.max(health?.movedAt ?? 0, now - 30 * Instant.day)
      return Confidence.classify(health?.reruns.filter((at) => at > since).length ?? 0, HealthPolicy.defaults)
    },
    quarantines: (test, now) => {
      const each = known[test]
      if (each?.health.status !== "flaky") return false
      const since = now - AutoQuarantine.defaults.days * Instant.day
      const numbers = AutoQuarantine.numbersOf([each.recent.filter(({ at }) => at >= since)])
      const { firstSeenAt, health, passedCleanly } = each
      const of = { status: health.status, ...numbers, firstSeenAt: firstSeenAt ?? now, passedCleanly, removedAt: null }
      return Result.isSuccess(AutoQuarantine.judge(of, "flaky", now, AutoQuarantine.defaults))
    }
  }
}

/** A contradiction counts when the test also failed on main within 30 days, or on a second branch within 14. */
const contradict = (health: Fold.CandidateHealth, run: JobRun): void => {
  const branch = run.branch ?? ""
  const isOnSecond = [...health.contradictedBranches].some(
    ([other, at]) => other !== branch && run.at - at <= 14 * Instant.day
  )
  health.contradictedBranches.set(branch, run.at)
  const onMain = health.lastFailureAt
  if (isOnSecond || (onMain !== null && run.at - onMain <= 30 * Instant.day)) health.observeContradiction(run.at)
}

const record = (each: Known, run: JobRun, outcome: Outcome, excused: boolean): void => {
  each.firstSeenAt ??= run.at
  each.passedCleanly ||= outcome === "passed"
  each.recent.push({
    id: `${run.runId}/${run.attempt}`,
    at: run.at,
    commit: run.commit,
    conclusion: outcome === "failed" ? "failed" : "passed",
    flaky: outcome === "flaky",
    reruns: outcome === "flaky" ? 1 : 0,
    excused
  })
  while ((each.recent[0]?.at ?? run.at) < run.at - 15 * Instant.day) each.recent.shift()
}
