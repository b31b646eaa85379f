/**
 * Same trees: a group passes at once when all required checks were green on another group with its tree.
 *
 * **Details**
 *
 * Only groups count. Checks of the head of a pull request do not count: GitHub runs them on a merge with the base branch of that time,
 * and jobs are often skipped outside of the queue.
 */
import * as EngineConfiguration from "./EngineConfiguration.ts"
import type { NativeGroup } from "./EngineState.ts"
import * as Work from "./Work.ts"

/** Remembers the tree of a green group, once for each set of required checks. */
export const remember = (work: Work.Work, group: NativeGroup): void => {
  const required = EngineConfiguration.requiredDigest(work.configuration)
  if (group.greenWith !== required) Work.emit(work, { kind: "round_passed", batch: group.id, required })
}

/** The commit of a green group with the same tree and the same required checks. */
export const find = ({ configuration, state }: Work.Work, group: NativeGroup): string | undefined => {
  const required = EngineConfiguration.requiredDigest(configuration)
  return state.greens.find(
    (green) => green.tree === group.tree && green.required === required && green.sha !== group.id
  )?.sha
}

/**
 * Cancels the runs of the required checks of a group that passed by its tree.
 *
 * **Details**
 *
 * Only where a setting allows it, and where the rules of the branch require no other check than that of the queue: the platform would
 * take a cancelled check for a failed one.
 */
export const cancel = (work: Work.Work, { id }: NativeGroup): void => {
  const { configuration, state } = work
  if (!configuration.cancelReused) return
  const required = (state.rules ?? []).filter((rule) => rule.kind === "required_check")
  const isAlone = required.length > 0 && required.every(({ name }) => name === EngineConfiguration.ownCheck)
  const checks = EngineConfiguration.requiredOf(configuration)
  if (isAlone) Work.issue(work, { kind: "cancel", id: `cancel/${id}/reused`, sha: id, checks })
}
