/**
 * Replays real history run by run: every failure with the facts that were known when its run ended.
 *
 * Each run is recorded in a store in memory, and the store is asked about its failures before the next run arrives, as a
 * service does. A prediction sees the runs that ended before, and the other jobs of the same run.
 */
import { Failure, type FailureFacts, FailurePolicy, Report, TestIdentity } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, TriageStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import type { HistoryRun } from "./History.ts"

/** The outcome of a failure: the same commit passed as well, or it was run at least twice and never passed. */
export type Truth = "flaky" | "persistent" | null

/**
 * One failure of the history.
 *
 * `isFirstSight` is whether the identity had not run on the commit before; `isKnownFlake` whether an earlier run had shown
 * that the test failed and passed on a commit in one job, `isKnownMessage` whether it failed with the same message there.
 */
export interface ReplayedFailure {
  readonly at: string
  readonly commit: string
  readonly job: string
  readonly test: string
  readonly truth: Truth
  readonly isFirstSight: boolean
  readonly isKnownFlake: boolean
  readonly isKnownMessage: boolean
  /** The later outcomes of the identity on the commit. */
  readonly later: ReadonlyArray<{ readonly at: number; readonly outcome: "p" | "f" }>
  readonly facts: FailureFacts.FailureFacts
}

/** Every failure of the history in order. */
export const replay = (runs: ReadonlyArray<HistoryRun>): Promise<ReadonlyArray<ReplayedFailure>> =>
  Effect.runPromise(Effect.provide(replayed(runs), Layer.fresh(MemoryStores.layer)))

const ref = { owner: "history", repository: "history" }

const replayed = Effect.fnUntraced(function* (runs: ReadonlyArray<HistoryRun>) {
  const executions = yield* ExecutionStore
  const triage = yield* TriageStore
  const truths = truthsOf(runs)
  const outcomes = outcomesOf(runs)
  const past: Past = { outcomes: new Map(), flakes: new Map() }
  const failures: Array<ReplayedFailure> = []
  for (const [index, run] of runs.entries()) {
    for (const report of reportsOf(run, index)) yield* executions.append(ref, report)
    const subject = { _tag: "Run", runId: String(index) } as const
    const found = yield* triage.failures(ref, subject, FailurePolicy.defaults)
    const byIdentity = new Map(
      Option.match(found, { onNone: () => [], onSome: (one) => one.failures }).map((facts) => [
        TestIdentity.key(facts.failure),
        facts
      ])
    )
    for (const { job, name, outcome, test } of resultsOf(run)) {
      const facts = byIdentity.get(TestIdentity.key({ testName: test, pipelineName, jobName: job }))
      if (outcome === "p" || facts === undefined) continue
      const { at, commit } = run
      const messages = past.flakes.get(test)
      failures.push({
        at,
        commit,
        job,
        test,
        truth: truths.get(name) ?? null,
        isFirstSight: !past.outcomes.has(name),
        isKnownFlake: messages !== undefined,
        isKnownMessage: messages?.has(facts.failure.signature ?? "") ?? false,
        later: (outcomes.get(name) ?? []).filter((one) => one.at > Date.parse(at)),
        facts
      })
    }
    for (const result of resultsOf(run)) remember(past, result)
  }
  return failures
})

/** The history so far: the outcomes of each identity on a commit, and the messages of the flakes of each test. */
interface Past {
  readonly outcomes: Map<string, { hasPassed: boolean; readonly messages: Set<string> }>
  readonly flakes: Map<string, Set<string>>
}

const remember = ({ flakes, outcomes }: Past, { message, name, outcome, test }: Result): void => {
  const known = outcomes.get(name) ?? { hasPassed: false, messages: new Set() }
  outcomes.set(name, known)
  if (outcome === "p") known.hasPassed = true
  else known.messages.add(Failure.signatureOf({ type: null, message, stacktrace: null }) ?? "no message")
  if (!known.hasPassed || known.messages.size === 0) return
  flakes.set(test, new Set([...(flakes.get(test) ?? []), ...known.messages]))
}

const pipelineName = "CI"

/** The reports of the jobs of one run of the history. */
const reportsOf = (run: HistoryRun, index: number): ReadonlyArray<Report.Report> => {
  const at = Date.parse(run.at)
  return Object.entries(run.jobs).map(([jobName, results]) =>
    Report.make({
      key: `${index} ${jobName}`,
      digest: `${index} ${jobName}`,
      receivedAt: at,
      finishedAt: at,
      run: Report.contextOf({ pipelineName, jobName, commit: run.commit, branch: "main", runId: String(index) }),
      cases: results.map(([testName, outcome, message]) =>
        outcome === "p"
          ? Report.caseOf({ testName, conclusion: "passed" })
          : Report.caseOf({ testName, conclusion: "failed", exception: { type: null, message, stacktrace: null } })
      )
    })
  )
}

/** One result; `name` is equal for the same test and job on the same commit only. */
export interface Result {
  readonly job: string
  readonly test: string
  readonly outcome: "p" | "f"
  readonly message: string | null
  readonly name: string
}

/** The results of every job of a run. */
export function* resultsOf(run: HistoryRun): Generator<Result> {
  for (const [job, results] of Object.entries(run.jobs)) {
    for (const [test, outcome, message] of results) {
      yield { job, test, outcome, message, name: `${test}\0${job}\0${run.commit}` }
    }
  }
}

/** The truth about each failed identity on each commit, by the name of its results. */
export const truthsOf = (runs: ReadonlyArray<HistoryRun>): ReadonlyMap<string, Truth> => {
  const counts = new Map<string, { passed: number; failed: number }>()
  for (const run of runs) {
    for (const { name, outcome } of resultsOf(run)) {
      const count = counts.get(name) ?? { passed: 0, failed: 0 }
      counts.set(name, count)
      if (outcome === "p") count.passed += 1
      else count.failed += 1
    }
  }
  return new Map(
    [...counts].map(([name, { failed, passed }]): readonly [string, Truth] => [
      name,
      failed > 0 && passed > 0 ? "flaky" : failed >= 2 ? "persistent" : null
    ])
  )
}

/** The outcomes of each identity on each commit, by the name of its results. */
const outcomesOf = (runs: ReadonlyArray<HistoryRun>) => {
  const found = new Map<string, Array<ReplayedFailure["later"][number]>>()
  for (const run of runs) {
    for (const { name, outcome } of resultsOf(run)) {
      const list = found.get(name) ?? []
      found.set(name, list)
      list.push({ at: Date.parse(run.at), outcome })
    }
  }
  return found
}
