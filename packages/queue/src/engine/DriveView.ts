/** Views of a driven queue for people: its batches, who is in it, and why each waits. */
import type { Batch as EngineBatch } from "./Batch.ts"
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import * as Entry from "./Entry.ts"
import type { Check } from "./Observation.ts"
import * as WaitReason from "./WaitReason.ts"

/**
 * A batch.
 *
 * **Details**
 *
 * `commit` is what is tested, null before it is built. `onto` are the pull requests that it stands on. `attempt` counts the runs of its
 * checks, from 1; 0 before the first.
 */
export interface Batch {
  readonly id: string
  readonly phase: EngineBatch["phase"]
  readonly pulls: ReadonlyArray<number>
  readonly onto: ReadonlyArray<number>
  readonly commit: string | null
  readonly attempt: number
  readonly checks: ReadonlyArray<Check>
}

/** A pull request in the queue, in its order; `batch` is null while it waits for one. */
export interface Queued {
  readonly number: number
  readonly head: string
  readonly rule: string
  readonly priority: number
  readonly batch: string | null
  readonly explanation: string
}

/** The batches, in the order in which they land. */
export const batches = ({ batches: all }: EngineState.EngineState): ReadonlyArray<Batch> =>
  all.map(({ foundation, id, members, phase, round, steps }) => ({
    id,
    phase,
    pulls: members.map(({ number }) => number),
    onto: (foundation?.under ?? []).map(({ number }) => number),
    commit: steps.at(-1)?.commit ?? null,
    attempt: round?.attempt ?? 0,
    checks: round?.checks ?? []
  }))

/** Everybody in the queue: those in batches first. */
export const queued = (
  state: EngineState.EngineState,
  circumstances: { readonly configuration: EngineConfiguration.EngineConfiguration; readonly now: number }
): ReadonlyArray<Queued> => {
  const { configuration } = circumstances
  const inBatches = state.batches.flatMap(({ members }) => members.map(({ number }) => number))
  const placeOf = ({ number }: Entry.Entry) => {
    const place = inBatches.indexOf(number)
    return place < 0 ? inBatches.length : place
  }
  const order = Entry.order(configuration)
  return state.entries
    .toSorted((a, b) => placeOf(a) - placeOf(b) || order(a, b))
    .map((entry) => ({
      number: entry.number,
      head: entry.head,
      rule: entry.rule,
      priority: entry.priority,
      batch: EngineState.batchOf(state, entry.number)?.id ?? null,
      explanation: explain(state, entry, circumstances)
    }))
}

/** In the shadow nothing is built: a batch waits for the checks of its heads. */
const explain = (
  state: EngineState.EngineState,
  { number }: Entry.Entry,
  circumstances: Parameters<typeof WaitReason.of>[2]
): string => {
  const reason = WaitReason.of(state, number, circumstances)
  const isPlanned = circumstances.configuration.shadow && EngineState.batchOf(state, number) !== undefined
  if (isPlanned && reason?.kind === "place") return "It would be tested now: the checks of its head decide."
  return reason === null ? "" : WaitReason.sentence(reason)
}
