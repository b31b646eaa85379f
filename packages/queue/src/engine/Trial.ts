/**
 * The trial of a gate: what its decisions in the shadow would have done, compared with what the platform did.
 *
 * See `docs/how-to/first-hour.md`.
 */
import type { NativeGroup } from "./EngineState.ts"
import type { Member } from "./Observation.ts"

/** A pull request that a decision would have evicted although the platform merged it at that head. */
export interface Innocent extends Member {
  readonly at: number
}

/**
 * The trial of a gate.
 *
 * **Details**
 *
 * - `groups`: how many groups in a row the gate and the platform agreed on: passed and merged, or failed and evicted.
 * - `failed`: the pull requests that the gate would have evicted lately, and the platform did not merge yet.
 * - `innocent`: the pull request of the last mistake, null before the first one.
 */
export interface Trial {
  readonly groups: number
  readonly failed: ReadonlyArray<Member>
  readonly innocent: Innocent | null
}

/** No group yet. */
export const initial: Trial = { groups: 0, failed: [], innocent: null }

/** A gate acts after this many groups without a mistake: one that errs in every seventh group passes in 1 of 22 trials. */
export const needed = 20

/** How many failed pull requests are remembered. */
const failedKept = 100

/**
 * The trial after a group has left the platform's queue.
 *
 * **Details**
 *
 * A group that the gate had not decided is not counted, and neither is one that the platform only builds again. A pull request that
 * failed and is merged later at the same head had failed by chance: that is a mistake as well, and the count starts again.
 */
export const after = (
  trial: Trial,
  { concluded, members }: Pick<NativeGroup, "concluded" | "members">,
  { at, cause }: { readonly at: number; readonly cause: "merged" | "invalidated" | "dequeued" }
): Trial => {
  const isFailed = concluded === "failure"
  if (cause === "merged") {
    const [innocent] = isFailed ? members : members.filter((member) => isIn(trial.failed, member))
    if (innocent !== undefined) {
      const failed = trial.failed.filter((member) => !isIn(members, member))
      return { groups: 0, failed, innocent: { number: innocent.number, head: innocent.head, at } }
    }
    return concluded === null ? trial : { ...trial, groups: trial.groups + 1 }
  }
  if (!isFailed) return trial
  const others = trial.failed.filter((member) => !isIn(members, member))
  return {
    ...trial,
    groups: cause === "dequeued" ? trial.groups + 1 : trial.groups,
    failed: [...others, ...members].slice(-failedKept)
  }
}

const isIn = (members: ReadonlyArray<Member>, { head, number }: Member): boolean =>
  members.some((member) => member.number === number && member.head === head)
