/** Skipping: a later batch that passed lands the batches under it, too, while they are still being tested. */
import * as Batch from "./Batch.ts"
import type * as EngineState from "./EngineState.ts"
import * as Landing from "./Landing.ts"
import * as Work from "./Work.ts"

/**
 * Joins the batches under the first one that passed with it, where `skip_intermediate` allows it.
 *
 * **Details**
 *
 * What passed contains them all, and is landed as it was tested, by one compare-and-set. The commits between were tested as parts of it
 * alone. Nothing is skipped while the cause of a failure is looked for, during an incident, or across rules.
 */
export const pass: Work.Pass = (work) => {
  const { configuration, state } = work
  if (!configuration.skipIntermediate || state.incident !== null || state.batches[0]?.phase !== "testing") return
  const passed = state.batches.find((batch) => isWhole(state, batch) && Landing.isFastForward(batch, configuration))
  if (passed !== undefined) Work.emit(work, { kind: "batches_joined", batch: passed.id })
}

/** Whether a batch passed on top of everything ahead of it. */
const isWhole = ({ batches }: EngineState.EngineState, batch: Batch.Batch): boolean => {
  if (batch.phase !== "green" || batch.foundation === null) return false
  const ahead = batches.slice(0, batches.indexOf(batch))
  return (
    [...ahead, batch].every((each) => each.suspect === null && each.rule === batch.rule) &&
    ahead.every(({ members, phase, steps }) => isOpen(phase) && steps.length === members.length) &&
    Batch.isSame(
      batch.foundation.under,
      ahead.flatMap(({ members }) => members)
    )
  )
}

const isOpen = (phase: Batch.Phase): boolean => phase === "testing" || phase === "green"
