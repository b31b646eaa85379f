/**
 * The health fold with parts that the product does not have, for comparison: contradictions of pull requests and failures
 * of outages as evidence.
 */
import { type HealthStatus, Instant } from "@lazaret/domain"

/** The numbers of the fold and the parts of it that can be switched off. */
export interface CandidatePolicy {
  readonly rememberedCommits: number
  readonly episodeDays: number
  readonly halfLifeDays: number
  readonly recoveryPasses: number
  readonly cleanPasses: number
  readonly cleanDays: number
  readonly usesEstimatedExits: boolean
  readonly usesSingleCommitFailure: boolean
  readonly isOutageEvidence: boolean
  readonly usesOtherBranches: boolean
}

/** The numbers that the model proposes. */
export const proposed: CandidatePolicy = {
  rememberedCommits: 16,
  episodeDays: 14,
  halfLifeDays: 14,
  recoveryPasses: 3,
  cleanPasses: 10,
  cleanDays: 7,
  usesEstimatedExits: true,
  usesSingleCommitFailure: true,
  isOutageEvidence: false,
  usesOtherBranches: true
}

/** One execution on the main branch with what its job run says about it. */
export interface Observation {
  readonly at: Instant.Instant
  readonly commit: string
  readonly failed: boolean
  readonly flaky: boolean
  readonly excused: boolean
  readonly outage: boolean
  /** Few tests failed in the job run. */
  readonly few: boolean
}

interface OnCommit {
  readonly commit: string
  executions: number
  failed: boolean
  outage: boolean
  few: boolean
}

/** The state of one test, changed in place. */
export class CandidateHealth {
  status: HealthStatus.HealthStatus = "healthy"
  movedAt: Instant.Instant | null = null
  readonly reruns: Array<Instant.Instant> = []
  lastFailureAt: Instant.Instant | null = null
  readonly contradictedBranches = new Map<string, Instant.Instant>()

  private readonly commits: Array<{ readonly commit: string; passed: boolean; failed: boolean }> = []
  private current: OnCommit | null = null
  private before: OnCommit | null = null
  private failing = false
  private readonly failedCommits = new Set<string>()
  private episodeAt: Instant.Instant | null = null
  private passes = 0
  private passCommits = new Set<string>()
  private cleanPasses = 0
  private cleanSince: Instant.Instant | null = null
  private isSingle = false
  private failures = 0
  private runs = 0
  private row = 0
  private decayedAt: Instant.Instant | null = null

  private readonly policy: CandidatePolicy

  constructor(policy: CandidatePolicy) {
    this.policy = policy
  }

  /** The estimated failure rate, from counters with a half-life and without the current row of failures. */
  private estimate(): number {
    return Math.min(0.95, Math.max(0.004, (this.failures + 0.5) / (this.runs + 1.5)))
  }

  /** Folds one execution of the main branch. */
  observe(execution: Observation): void {
    const single = this.enterCommit(execution)
    if (execution.failed) this.lastFailureAt = execution.at
    if (execution.failed && execution.excused) return
    const known = this.commits.find(({ commit }) => commit === execution.commit)
    if (known !== undefined || execution.flaky) this.reruns.push(execution.at)
    const evidence = this.isEvidence(execution, known) || single
    this.remember(execution)
    this.decay(execution.at)
    if (execution.failed) this.recordFailure(execution)
    else this.recordPass(execution)
    this.transition(execution, evidence, single)
  }

  /** Folds a contradiction on another branch. */
  observeContradiction(at: Instant.Instant): void {
    if (!this.policy.usesOtherBranches) return
    this.cleanPasses = 0
    this.cleanSince = at
    this.isSingle = false
    if (this.status !== "flaky") this.move("flaky", at)
  }

  private enterCommit({ commit, failed, few, flaky, outage }: Observation): boolean {
    const isNew = this.current?.commit !== commit
    const before = this.before
    const current = this.current
    const isSingle =
      isNew &&
      !failed &&
      !flaky &&
      current !== null &&
      current.executions === 1 &&
      current.failed &&
      current.few &&
      !current.outage &&
      before !== null &&
      !before.failed
    if (isNew) {
      this.before = current
      this.current = { commit, executions: 0, failed: false, outage: false, few: true }
    }
    if (this.current !== null) {
      this.current.executions += 1
      this.current.failed ||= failed
      this.current.outage ||= outage && failed
      this.current.few &&= few
    }
    return isSingle && this.policy.usesSingleCommitFailure
  }

  private isEvidence(
    { at, failed, flaky, outage }: Observation,
    known: { readonly passed: boolean; readonly failed: boolean } | undefined
  ): boolean {
    if (flaky) return true
    if (failed && outage && !this.policy.isOutageEvidence) return false
    if (known !== undefined && (failed ? known.passed : known.failed)) return true
    return (
      failed && !this.failing && this.episodeAt !== null && at - this.episodeAt <= this.policy.episodeDays * Instant.day
    )
  }

  private remember({ commit, failed, outage }: Observation): void {
    const index = this.commits.findIndex((each) => each.commit === commit)
    const [known] = index === -1 ? [] : this.commits.splice(index, 1)
    const entry = known ?? { commit, passed: false, failed: false }
    if (!failed) entry.passed = true
    else if (!outage || this.policy.isOutageEvidence) entry.failed = true
    this.commits.push(entry)
    if (this.commits.length > this.policy.rememberedCommits) this.commits.shift()
  }

  private decay(at: Instant.Instant): void {
    const factor = 0.5 ** ((at - (this.decayedAt ?? at)) / (this.policy.halfLifeDays * Instant.day))
    this.failures *= factor
    this.runs *= factor
    this.decayedAt = at
  }

  private recordFailure({ at, commit, outage }: Observation): void {
    if (!this.failing) {
      this.failing = true
      if (!outage || this.policy.isOutageEvidence) this.episodeAt = at
      this.passes = 0
      this.passCommits = new Set()
    }
    this.failedCommits.add(commit)
    this.row += 1
    this.cleanPasses = 0
    this.cleanSince = at
    if (this.status === "flaky") this.isSingle = false
  }

  private recordPass({ at, commit, flaky }: Observation): void {
    this.failures += this.row + (flaky ? 1 : 0)
    this.runs += this.row + 1
    this.row = 0
    this.failing = false
    this.failedCommits.clear()
    this.passes += 1
    this.passCommits.add(commit)
    if (flaky) {
      this.cleanPasses = 0
      this.cleanSince = at
      this.isSingle = false
    } else {
      this.cleanPasses += 1
    }
  }

  private transition(execution: Observation, evidence: boolean, single: boolean): void {
    if (this.status === "flaky") {
      if (execution.failed && this.isPersistent()) this.move("broken", execution.at)
      else if (!execution.failed && this.isClean(execution.at)) this.move("healthy", execution.at)
      return
    }
    if (evidence) {
      this.isSingle = single
      this.move("flaky", execution.at)
    } else if (this.status === "healthy") {
      if (execution.failed) this.move("broken", execution.at)
    } else if (!execution.failed && this.passes >= this.policy.recoveryPasses && this.passCommits.size >= 2) {
      this.move("healthy", execution.at)
    }
  }

  private isPersistent(): boolean {
    const count = this.failedCommits.size
    if (!this.policy.usesEstimatedExits) return count >= 5
    return (count >= 5 && this.estimate() ** count <= 0.005) || count >= 20
  }

  private isClean(at: Instant.Instant): boolean {
    const days = (at - (this.cleanSince ?? at)) / Instant.day
    if (this.cleanPasses < this.policy.cleanPasses || days < this.policy.cleanDays) return false
    if (!this.policy.usesEstimatedExits) return true
    return (1 - this.estimate()) ** this.cleanPasses <= 0.1 || days >= 14 || this.isSingle
  }

  private move(status: HealthStatus.HealthStatus, at: Instant.Instant): void {
    this.status = status
    this.movedAt = at
  }
}
