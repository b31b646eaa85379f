/** Preempting: rounds of lower priority are given up for a pull request of higher priority. */
import type * as Batch from "./Batch.ts"
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import * as Entry from "./Entry.ts"
import * as Work from "./Work.ts"

/**
 * Dissolves the batches that are tested ahead of a ready pull request of higher priority, where `preempt` allows it.
 *
 * **Details**
 *
 * Their pull requests wait again, and each such overtaking counts for `max_overtakes`: who was overtaken often enough is not given up.
 * A batch that passed, failed or is being landed stays, with everything ahead of it, and so does one that is being split.
 */
export const pass: Work.Pass = (work) => {
  const { configuration, state } = work
  if (!configuration.preempt || state.incident !== null) return
  const taken = new Set(state.batches.flatMap(({ members }) => members.map(({ number }) => number)))
  const [urgent] = state.entries
    .filter((entry) => !taken.has(entry.number) && Entry.isReady(entry, configuration.branch))
    .sort(Entry.order(configuration))
  if (urgent === undefined) return
  const settled = state.batches.findLastIndex((batch) => !mayYield(state, batch, configuration))
  const rest = state.batches.slice(settled + 1)
  const from = rest.findIndex((batch) => entriesOf(state, batch).every(({ priority }) => priority < urgent.priority))
  if (from < 0) return
  for (const { id } of rest.slice(from).toReversed()) Work.emit(work, { kind: "batch_dissolved", batch: id })
}

const entriesOf = (state: EngineState.EngineState, { members }: Batch.Batch): ReadonlyArray<Entry.Entry> =>
  members.flatMap(({ number }) => EngineState.entryOf(state, number) ?? [])

const running: ReadonlySet<Batch.Phase> = new Set(["planned", "building", "built", "publishing", "testing"])

const mayYield = (
  state: EngineState.EngineState,
  batch: Batch.Batch,
  { maxOvertakes }: EngineConfiguration.EngineConfiguration
): boolean =>
  running.has(batch.phase) &&
  batch.splits === 0 &&
  entriesOf(state, batch).every(({ overtaken }) => overtaken < maxOvertakes)
