/**
 * Foresight: what a driven queue in the shadow would have done with the pull requests that people queued.
 *
 * **Details**
 *
 * In the shadow nothing is built, so that a batch is judged by the checks of the heads of its members: it would have passed when all of
 * them did. Conflicts between members, and failures that only appear together, are not foreseen.
 */
import type * as EngineEvent from "./EngineEvent.ts"
import type { Member } from "./Observation.ts"

/**
 * The sums of what was foreseen.
 *
 * **Details**
 *
 * - `batches`: how many would have landed, with `pulls` pull requests: one by one they would have been as many rounds.
 * - `reruns`: the heads whose failure would have been run again, and how many of those `passed` later at the same commit.
 * - `left`: who would have left after a failure that was judged real, and how many of those were merged at that head all the same.
 */
export interface Foresight {
  readonly batches: number
  readonly pulls: number
  readonly reruns: ReadonlyArray<string>
  readonly passed: number
  readonly left: ReadonlyArray<Member>
  readonly innocent: number
}

/** Nothing was foreseen yet. */
export const initial: Foresight = { batches: 0, pulls: 0, reruns: [], passed: 0, left: [], innocent: 0 }

/** How many heads are remembered. */
const kept = 500

/** The sums after one more batch. */
export const after = (
  foresight: Foresight,
  { members, outcome }: Pick<EngineEvent.Of<"batch_foreseen">, "members" | "outcome">
): Foresight => {
  const heads = members.map(({ head }) => head)
  switch (outcome) {
    case "landed":
      return {
        ...foresight,
        batches: foresight.batches + 1,
        pulls: foresight.pulls + members.length,
        passed: foresight.passed + heads.filter((head) => foresight.reruns.includes(head)).length,
        reruns: foresight.reruns.filter((head) => !heads.includes(head))
      }
    case "left":
      return { ...foresight, left: [...foresight.left, ...members].slice(-kept) }
    case "rerun":
      return { ...foresight, reruns: [...foresight.reruns, ...heads].slice(-kept) }
  }
}

/** The sums after a pull request was merged at a head. */
export const merged = (foresight: Foresight, { head, number }: Member): Foresight => {
  const left = foresight.left.filter((member) => member.number !== number || member.head !== head)
  return left.length === foresight.left.length ? foresight : { ...foresight, left, innocent: foresight.innocent + 1 }
}
