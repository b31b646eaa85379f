/** Generators of test histories: executions of one identity that run into every rule of the health fold. */
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import type { Conclusion, Observation } from "../report/Execution.ts"
import * as Contradiction from "../health/Contradiction.ts"
import * as Instant from "../time/Instant.ts"

/** An execution with everything that folds, statistics and stores read. */
export interface HistoryExecution extends Observation {
  readonly durationMs: number
}

/**
 * How a generated history behaves.
 *
 * **Details**
 *
 * - `length`: at most this many executions.
 * - `start`: instant of the first one.
 * - `failures`, `skips`, `inJob`, `excuses`: percentages of failed, skipped, in-job flaky and excused ones; as many as are
 *   excused belong to an outage that counts, and twice as many to runs in which many tests failed.
 */
export interface HistoryOptions {
  readonly length: number
  readonly start: Instant.Instant
  readonly failures: number
  readonly skips: number
  readonly inJob: number
  readonly excuses: number
}

/**
 * Histories that are short, dense in failures and reruns, and spread over weeks, so that few of them suffice to reach
 * every rule.
 */
export const defaults: HistoryOptions = {
  length: 60,
  start: Date.UTC(2026, 0, 1),
  failures: 25,
  skips: 5,
  inJob: 4,
  excuses: 5
}

const percent = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))

const Draw = Schema.Struct({
  outcome: percent,
  inJob: percent,
  excused: percent,
  commit: percent,
  gap: percent,
  durationMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 }))
})

/**
 * Histories of one identity in order, with distinct ids. Commits advance mostly one by one and sometimes come back;
 * times stand still, or advance by minutes, hours, days or weeks.
 */
export const histories = (
  options: Partial<HistoryOptions> = {}
): Arbitrary.Arbitrary<ReadonlyArray<HistoryExecution>> => {
  const settings = { ...defaults, ...options }
  return Arbitrary.array(Arbitrary.schema(Draw), { maxLength: settings.length }).pipe(
    Arbitrary.map((draws) => build(draws, settings))
  )
}

const Elsewhere = Schema.Struct({
  place: percent,
  branch: Schema.Literals(["topic-1", "topic-1", "topic-2", "topic-3"]),
  gap: percent
})

/** Histories with up to eight contradictions on other branches among the executions. */
export const items = (
  options: Partial<HistoryOptions> = {}
): Arbitrary.Arbitrary<ReadonlyArray<HistoryExecution | Contradiction.Contradiction>> =>
  Arbitrary.all({
    history: histories(options),
    draws: Arbitrary.array(Arbitrary.schema(Elsewhere), { maxLength: 8 })
  }).pipe(
    Arbitrary.map(({ draws, history }) =>
      Contradiction.merged(
        history,
        draws.map(({ branch, gap, place }, index) => ({
          id: `x${index}`,
          at: (history[Math.floor((place * history.length) / 100)]?.at ?? defaults.start) + gapOf(gap),
          commit: `on ${branch}`,
          conclusion: "contradicted" as const,
          branch
        }))
      )
    )
  )

const build = (draws: ReadonlyArray<typeof Draw.Type>, options: HistoryOptions): ReadonlyArray<HistoryExecution> => {
  let at = options.start
  let commit = 0
  return draws.map((draw, index) => {
    at += gapOf(draw.gap)
    commit = commitAfter(commit, draw.commit)
    const conclusion = conclusionOf(draw.outcome, options)
    const flaky = conclusion === "passed" && draw.inJob < options.inJob
    return {
      id: `e${String(index).padStart(4, "0")}`,
      at,
      commit: `c${commit}`,
      conclusion,
      flaky,
      reruns: flaky ? 1 : 0,
      excused: conclusion === "failed" && draw.excused < options.excuses,
      outage: conclusion === "failed" && draw.excused < 2 * options.excuses,
      many: conclusion === "failed" && draw.excused < 4 * options.excuses,
      durationMs: conclusion === "skipped" ? 0 : draw.durationMs
    }
  })
}

const gapOf = (draw: number): number => {
  if (draw < 10) return 0
  if (draw < 40) return draw * Instant.minute
  if (draw < 90) return (draw * Instant.hour) / 4
  return (draw - 89) * Instant.day * 2
}

const commitAfter = (commit: number, draw: number): number => {
  if (draw < 35) return commit
  if (draw < 45) return Math.max(0, commit - 1)
  if (draw < 48) return Math.max(0, commit - 17)
  return commit + 1
}

const conclusionOf = (draw: number, options: HistoryOptions): Conclusion => {
  if (draw < options.failures) return "failed"
  return draw < options.failures + options.skips ? "skipped" : "passed"
}
