/** Reasons why a pull request is still in the queue, and the sentences that explain them. */
import * as Batch from "./Batch.ts"
import * as BatchPlan from "./BatchPlan.ts"
import * as EngineCommand from "./EngineCommand.ts"
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import * as Entry from "./Entry.ts"
import { Instant } from "@lazaret/domain"
import * as Landing from "./Landing.ts"

/**
 * The reason why a pull request waits.
 *
 * **Details**
 *
 * - `paused`, `incident`: the whole queue waits. `obstacle`: the pull request is not ready.
 * - `conflict`: it conflicts with others ahead. `refused`: a rule of the repository forbade its landing. `foreseen`: the shadow would have landed it.
 * - `more`: its batch may still grow, until an instant. `place`: every place for parallel checks is taken.
 * - `left_part`: the parts before it are tested first. `split`: a batch ahead failed, and who of it lands is open. `building`, `checks`: its batch is built or tested.
 *   `repeated`: the platform refuses to build it, and is asked again.
 * - `ahead`: its round is decided, those ahead are not. `frozen`: landing is held. `landing`: it is being landed.
 */
export type WaitReason =
  | { readonly kind: "paused"; readonly by: string; readonly reason: string }
  | { readonly kind: "incident"; readonly signature: string }
  | { readonly kind: "obstacle"; readonly obstacle: NonNullable<ReturnType<typeof Entry.obstacle>> }
  | { readonly kind: "conflict"; readonly ahead: ReadonlyArray<number> }
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "foreseen" }
  | { readonly kind: "more"; readonly until: Instant.Instant }
  | { readonly kind: "place" }
  | { readonly kind: "left_part" }
  | { readonly kind: "split"; readonly numbers: ReadonlyArray<number> }
  | { readonly kind: "building" }
  | { readonly kind: "repeated"; readonly tries: number; readonly refusal: string }
  | { readonly kind: "checks"; readonly checks: ReadonlyArray<string>; readonly attempt: number }
  | { readonly kind: "ahead"; readonly numbers: ReadonlyArray<number>; readonly isRed: boolean }
  | { readonly kind: "frozen"; readonly reason: string; readonly until: Instant.Instant }
  | { readonly kind: "landing" }

interface Circumstances {
  readonly configuration: EngineConfiguration.EngineConfiguration
  readonly now: Instant.Instant
}

/** The reason why a pull request waits; null when it is not in the queue. */
export const of = (
  state: EngineState.EngineState,
  number: number,
  { configuration, now }: Circumstances
): WaitReason | null => {
  const entry = EngineState.entryOf(state, number)
  if (entry === undefined) return null
  const batch = EngineState.batchOf(state, number)
  if (batch?.phase === "landing") return { kind: "landing" }
  if (state.pause !== null) return { kind: "paused", by: state.pause.by, reason: state.pause.reason }
  if (entry.hold?.kind === "conflict") return { kind: "conflict", ahead: entry.hold.ahead }
  if (entry.hold?.kind === "refused") return { kind: "refused", detail: entry.hold.detail }
  if (entry.hold?.kind === "foreseen") return { kind: "foreseen" }
  const obstacle = Entry.obstacle(entry, configuration.branch)
  if (obstacle !== null) return { kind: "obstacle", obstacle }
  if (batch !== undefined) return ofBatch(state, batch, { configuration, now })
  const open = Batch.unresolved(state.batches)
  if (open.length > 0) return { kind: "split", numbers: open.map((member) => member.number) }
  const plan = BatchPlan.next(state, configuration, EngineState.clock(state, now))
  return plan.kind === "wait" ? { kind: "more", until: plan.until + state.pausedFor } : { kind: "place" }
}

const ofBatch = (
  state: EngineState.EngineState,
  batch: Batch.Batch,
  { configuration, now }: Circumstances
): WaitReason => {
  const ahead = state.batches.slice(0, state.batches.indexOf(batch)).flatMap(({ members }) => members)
  const numbers = ahead.map(({ number }) => number)
  switch (batch.phase) {
    case "planned":
      if (batch.suspect !== null && batch.suspect.left !== null) return { kind: "left_part" }
      if (state.incident === null && Batch.isBehindUnresolved(state.batches, batch)) {
        return { kind: "split", numbers: Batch.unresolved(state.batches).map(({ number }) => number) }
      }
      return state.incident === null ? { kind: "place" } : { kind: "incident", signature: state.incident.signature }
    case "testing": {
      const open = (batch.round?.checks ?? []).filter((check) => check.state === "pending").map(({ name }) => name)
      return { kind: "checks", checks: open, attempt: batch.round?.attempt ?? 1 }
    }
    case "red":
      if (state.incident !== null) return { kind: "incident", signature: state.incident.signature }
      return { kind: "ahead", numbers, isRed: true }
    case "green": {
      const freeze = numbers.length > 0 ? null : Landing.freezeOf(state, batch, configuration, now)
      if (freeze !== null) return { kind: "frozen", reason: freeze.reason, until: freeze.to }
      return numbers.length > 0 ? { kind: "ahead", numbers, isRed: false } : { kind: "landing" }
    }
    case "landing":
      return { kind: "landing" }
    default:
      return ofBuild(state, batch)
  }
}

const ofBuild = ({ inflight }: EngineState.EngineState, { id }: Batch.Batch): WaitReason => {
  const build = inflight.find(({ command }) => EngineCommand.isBuild(command) && command.batch === id)
  const { refusal = null, tries = 0 } = build ?? {}
  return refusal === null ? { kind: "building" } : { kind: "repeated", tries, refusal }
}

const obstacles: Record<NonNullable<ReturnType<typeof Entry.obstacle>>, string> = {
  not_seen: "It has not been read yet.",
  closed: "It is closed.",
  head_changed: "Its head changed.",
  base_changed: "Its base branch changed.",
  draft: "It is a draft.",
  approval: "It waits for an approval.",
  label: "A label keeps it out of the queue.",
  mergeable: "It conflicts with the base branch."
}

/** The sentence about a write that the platform refuses, and that is repeated. */
export const repeated = (write: string, { refusal, tries }: Pick<EngineState.Inflight, "refusal" | "tries">): string =>
  `The platform has refused ${write} ${tries === 1 ? "once" : `${tries} times`}, and is asked again: ${refusal}`

const list = (numbers: ReadonlyArray<number>): string => numbers.map((number) => `#${number}`).join(", ")

/**
 * The sentence that explains what a pull request waits for.
 *
 * @example
 * ```ts
 * import { WaitReason } from "@lazaret/queue"
 *
 * WaitReason.sentence({ kind: "paused", by: "ana", reason: "release" }) // => "The queue is paused by ana: release."
 * WaitReason.sentence({ kind: "ahead", numbers: [7, 8], isRed: false }) // => "Its checks passed; #7, #8 land first."
 * ```
 */
export const sentence = (reason: WaitReason): string => {
  switch (reason.kind) {
    case "paused":
      return `The queue is paused by ${reason.by}: ${reason.reason}.`
    case "incident":
      return `Unrelated rounds fail alike (${reason.signature}); nobody is evicted until a round passes.`
    case "obstacle":
      return obstacles[reason.obstacle]
    case "conflict":
      return `It conflicts with ${list(reason.ahead)} ahead; it is tried again when they are decided.`
    case "refused":
      return `The repository refused to merge it (${reason.detail}); change the rule and ask for a retry.`
    case "foreseen":
      return "It would have landed; it stays in the queue until it is merged."
    case "more":
      return `Its batch waits for more pull requests until ${Instant.toIso(Math.floor(reason.until))}.`
    case "place":
      return "It waits for a place among the rounds that run."
    case "left_part":
      return "Its batch failed and was split; the part before it is tested first."
    case "split":
      return `A batch ahead failed; it is tested when the cause among ${list(reason.numbers)} is found.`
    case "building":
      return "Its batch is being built."
    case "repeated":
      return repeated("to build its batch", reason)
    case "checks": {
      const runs = reason.attempt > 1 ? ` (attempt ${reason.attempt})` : ""
      return `Its checks run${runs}: ${reason.checks.length === 0 ? "no result yet" : reason.checks.join(", ")}.`
    }
    case "ahead":
      return reason.isRed
        ? `Its checks failed; whether it is the cause is decided after ${list(reason.numbers)}.`
        : `Its checks passed; ${list(reason.numbers)} land first.`
    case "frozen":
      return `Landing is frozen until ${Instant.toIso(reason.until)}: ${reason.reason}.`
    case "landing":
      return "It is being landed."
  }
}
