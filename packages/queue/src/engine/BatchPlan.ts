/** Plans of batches: who is tested together next. */
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import * as Entry from "./Entry.ts"
import { Instant } from "@lazaret/domain"
import type { Member } from "./Observation.ts"

/**
 * The next batch, or the reason without one: no entry is ready, or the batch may still grow until an active time.
 *
 * **Details**
 *
 * `overtaken` are the ready pull requests that were queued before one of the members and are not among them.
 */
export type BatchPlan =
  | { readonly kind: "none" }
  | { readonly kind: "wait"; readonly until: number }
  | {
      readonly kind: "form"
      readonly rule: string
      readonly members: ReadonlyArray<Member>
      readonly overtaken: ReadonlyArray<number>
    }

/**
 * The plan of the next batch.
 *
 * **Details**
 *
 * The longest run of ready pull requests of one rule at the front of those that wait, at most `batchSize`, and never one
 * that overtakes an earlier entry more than `maxOvertakes` times. One that may still grow waits for
 * `batchMaxWaitTime` after its first member became ready; an arrival does not restart that.
 */
export const next = (
  state: EngineState.EngineState,
  configuration: EngineConfiguration.EngineConfiguration,
  clock: number
): BatchPlan => {
  const taken = new Set(state.batches.flatMap(({ members }) => members.map(({ number }) => number)))
  const waiting = state.entries
    .filter((entry) => !taken.has(entry.number) && Entry.isReady(entry, configuration.branch))
    .sort(Entry.order(configuration))
  const [first] = waiting
  if (first === undefined) return { kind: "none" }
  const rule = EngineConfiguration.ruleOf(configuration, first.rule)
  const other = waiting.findIndex((entry) => entry.rule !== first.rule)
  const sameRule = other < 0 ? waiting : waiting.slice(0, other)
  const chosen = fair(sameRule.slice(0, rule.batchSize), waiting, configuration)
  const isFull = chosen.length === rule.batchSize || other >= 0 || chosen.length < sameRule.length
  const since = Math.min(...chosen.map(({ readyAt }) => readyAt ?? clock))
  const until = since + rule.batchMaxWaitTime * Instant.second
  if (!isFull && clock < until) return { kind: "wait", until }
  return {
    kind: "form",
    rule: first.rule,
    members: chosen.map(({ head, number }) => ({ number, head })),
    overtaken: overtaken(chosen, waiting).map(({ number }) => number)
  }
}

const overtaken = (
  chosen: ReadonlyArray<Entry.Entry>,
  waiting: ReadonlyArray<Entry.Entry>
): ReadonlyArray<Entry.Entry> => {
  const latest = Math.max(...chosen.map(({ queuedAt }) => queuedAt))
  return waiting.filter((entry) => !chosen.includes(entry) && entry.queuedAt < latest)
}

/** The longest part of the choice that overtakes no entry too often. The first entry is always in it: starving ones are first. */
const fair = (
  chosen: ReadonlyArray<Entry.Entry>,
  waiting: ReadonlyArray<Entry.Entry>,
  { maxOvertakes }: EngineConfiguration.EngineConfiguration
): ReadonlyArray<Entry.Entry> => {
  for (let length = chosen.length; length > 1; length--) {
    const part = chosen.slice(0, length)
    if (overtaken(part, waiting).every((entry) => entry.overtaken + length <= maxOvertakes)) return part
  }
  return chosen.slice(0, 1)
}
