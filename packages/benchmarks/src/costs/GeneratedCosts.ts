/** The cost of generated histories, whose failures have known causes, compared with what the stored facts answer. */
import {
  CostCommit,
  CostFacts,
  CostPolicy,
  CostRun,
  FailureGate,
  FailurePolicy,
  FailurePrecision,
  type Report
} from "@lazaret/domain"
import { CostStore, ExecutionStore, MemoryStores, TriageStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import * as Judge from "../failures/Judge.ts"
import { generate, type JobRun } from "../generated/Generate.ts"
import { reportOf } from "../generated/Judged.ts"
import type { Regime } from "../generated/Regime.ts"

/**
 * The figures of one repository, in minutes of job runs.
 *
 * **Details**
 *
 * - `wasted`: job runs that only flakes made red, in truth. `found`: those that the answer names; `right`: of these, the true ones.
 * - `provable`: of the wasted ones, those of which each failing test passed on the same code; `proven`: of these, the found ones.
 * - `commits`: in truth red by flakes alone, and by the answer.
 */
export interface Figures {
  readonly wasted: number
  readonly found: number
  readonly right: number
  readonly provable: number
  readonly proven: number
  readonly all: number
  readonly commits: { readonly all: number; readonly truth: number; readonly answer: number }
}

/** The opinions that count: none, so that reruns alone decide, or the first verdicts too. */
export type Known = "reruns" | "verdicts"

/** The figures of a repository of a regime, by what is known. */
export const figuresOf = (regime: Regime, replica: number): Promise<Readonly<Record<Known, Figures>>> =>
  Effect.runPromise(Effect.provide(walk(regime, replica), Layer.fresh(MemoryStores.layer)))

const ref = { owner: "generated", repository: "generated" }

const walk = Effect.fnUntraced(function* (regime: Regime, replica: number) {
  const executions = yield* ExecutionStore
  const triage = yield* TriageStore
  const costs = yield* CostStore
  const runs = new Map<string, JobRun>()
  const kept: Array<FailurePrecision.KeptVerdict> = []
  for (const jobRun of generate(regime, replica)) {
    yield* executions.append(ref, timed(reportOf(regime, jobRun)))
    runs.set(keyOf(jobRun.run.id, jobRun.job, jobRun.attempt), jobRun)
    if (!jobRun.isLast) continue
    const subject = { _tag: "Run", runId: jobRun.run.id } as const
    const answer = yield* triage.failures(ref, subject, FailurePolicy.defaults)
    for (const [facts, verdict] of Option.match(answer, { onNone: () => [], onSome: Judge.verdicts })) {
      const first = FailurePrecision.firstOf(facts, verdict)
      if (first !== null) kept.push({ ...first, outcome: null, mark: null })
    }
  }
  const facts = yield* costs.facts(ref, 0)
  const none = CostRun.opinionsOf([])
  const byCommit = Map.groupBy(kept, ({ commit }) => commit)
  return {
    reruns: compared(facts, runs, () => none),
    verdicts: compared(facts, runs, (commit) => CostRun.opinionsOf(byCommit.get(commit) ?? []))
  }
})

const keyOf = (runId: string, job: string, attempt: number): string => `${runId}\0${job}\0${attempt}`

/** Each test takes a second. */
const timed = (report: Report.Report): Report.Report => ({
  ...report,
  executions: report.executions.map((execution) => ({ ...execution, durationMs: 1000 }))
})

const compared = (
  { runs }: CostFacts.CostFacts,
  truth: ReadonlyMap<string, JobRun>,
  opinionsOf: (commit: string) => CostRun.OpinionOf
): Figures => {
  const sums = { wasted: 0, found: 0, right: 0, provable: 0, proven: 0, all: 0 }
  const commits = { all: 0, truth: 0, answer: 0 }
  for (const ofCommit of CostFacts.byCommit(runs)) {
    const cost = CostCommit.of(ofCommit, {
      opinionOf: opinionsOf(ofCommit[0]?.commit ?? ""),
      causeOf: () => null,
      gate: FailureGate.recommended,
      policy: CostPolicy.defaults
    })
    const colours = cost.runs.map(({ colour, run }) => {
      const known = truth.get(keyOf(run.runId, run.jobName, run.runAttempt))
      const isWasted = run.failed > 0 && isByFlakes(known)
      const isFound = colour === "flakes"
      const isProvable = isWasted && run.tests.every(({ hasPassed, isFailed }) => hasPassed || !isFailed)
      const minutes = run.durationUs / 60_000_000
      sums.all += minutes
      if (isWasted) sums.wasted += minutes
      if (isFound) sums.found += minutes
      if (isWasted && isFound) sums.right += minutes
      if (isProvable) sums.provable += minutes
      if (isProvable && isFound) sums.proven += minutes
      return { isRed: run.failed > 0, isWasted }
    })
    const red = colours.filter(({ isRed }) => isRed)
    commits.all += 1
    if (red.length > 0 && red.every(({ isWasted }) => isWasted)) commits.truth += 1
    if (cost.colour === "flakes") commits.answer += 1
  }
  return { ...sums, commits }
}

const isByFlakes = (jobRun: JobRun | undefined): boolean =>
  jobRun !== undefined &&
  jobRun.failed.size > 0 &&
  [...jobRun.failed.values()].every(({ cause }) => cause.kind === "flake")
