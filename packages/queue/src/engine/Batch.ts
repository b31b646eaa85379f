/**
 * Batches: pull requests that are tested and landed together, in the order of the queue.
 *
 * **Details**
 *
 * A batch is built on the base branch and on the batches ahead that are likely to land: its foundation. Its round counts
 * as long as the members under it and the base branch's tree are those it was built on.
 */
import type { Step } from "./EngineCommand.ts"
import type * as FailureClass from "./FailureClass.ts"
import type { Failure, Member, Tip } from "./Observation.ts"
import type { Round } from "./Round.ts"

/**
 * The base that a batch was built on.
 *
 * **Details**
 *
 * `under` are the members of the batches beneath that have not landed yet, `base` the tip of the base branch under them.
 * `onto` and `tree` are the commit and tree on which the first member was merged.
 */
export interface Foundation {
  readonly under: ReadonlyArray<Member>
  readonly base: Tip
  readonly onto: string
  readonly tree: string
}

/** A round that went wrong: how, and the evidence. `members` are those of the tested batch. */
export interface Failed {
  readonly outcome: "red" | "timeout" | "missing"
  readonly class: FailureClass.FailureClass
  readonly probability: number | null
  readonly checks: ReadonlyArray<string>
  readonly failures: ReadonlyArray<Failure>
  readonly sha: string
  readonly tree: string
  readonly members: ReadonlyArray<number>
  readonly attempts: number
}

/**
 * Why a part of a split batch is taken for red: with everything before it, it is the tree that failed.
 *
 * **Details**
 *
 * `left` is the part before it until that has landed. `on` is the tree under the failed batch. `base` is the tree on
 * which this part would be the failed tree again: known when `left` has landed unchanged, else null.
 */
export interface Suspect {
  readonly failed: Failed
  readonly on: string
  readonly left: string | null
  readonly base: string | null
}

/** The phase of a batch. */
export type Phase = "planned" | "building" | "built" | "publishing" | "testing" | "green" | "red" | "landing"

/**
 * Pull requests that are tested and landed together.
 *
 * **Details**
 *
 * `root` is the batch from which parts were split, and `splits` how often it was. `generation` counts the builds, and
 * `tries` the landings that were begun. `edits` counts foreign changes of the queue branch.
 */
export interface Batch {
  readonly id: string
  readonly rule: string
  readonly members: ReadonlyArray<Member>
  readonly root: string
  readonly splits: number
  readonly phase: Phase
  readonly generation: number
  readonly foundation: Foundation | null
  readonly steps: ReadonlyArray<Step>
  readonly conflicts: ReadonlyArray<number>
  readonly contained: ReadonlyArray<number>
  readonly round: Round | null
  readonly failed: Failed | null
  readonly suspect: Suspect | null
  readonly notBefore: number
  readonly tries: number
  readonly edits: number
}

/** A batch that nothing has been done for. */
export const make = (id: string, rule: string, members: ReadonlyArray<Member>): Batch => ({
  id,
  rule,
  members,
  root: id,
  splits: 0,
  generation: 0,
  conflicts: [],
  contained: [],
  suspect: null,
  notBefore: 0,
  tries: 0,
  edits: 0,
  ...untested
})

const untested = { phase: "planned", foundation: null, steps: [], round: null, failed: null } as const

/** The batch without what was built and tested: it is built again. */
export const reset = (batch: Batch): Batch => ({ ...batch, ...untested, conflicts: [], contained: [] })

/**
 * Whether those behind are built without a batch: it is red, a part that, with the parts before it, is known to fail, or
 * it runs again for an unknown failure.
 */
const isPresumedRed = (batch: Batch): boolean =>
  batch.phase === "red" || batch.suspect !== null || (batch.phase === "testing" && isLikelyRed(batch.round))

/** Most reruns of unknown failures fail again, and what stands on such a batch is then tested in vain. */
const isLikelyRed = (round: Round | null): boolean => round?.reds.at(-1)?.class === "unknown"

const isUnresolved = (batch: Batch): boolean =>
  batch.suspect !== null || (batch.phase === "red" && batch.members.length > 1)

/**
 * The members of failed batches of which it is open who lands: red ones with several members, and suspected parts.
 *
 * **Details**
 *
 * Each part that lands or leaves changes what those behind stand on, so that their rounds would be void before they count. A
 * single red pull request leaves, and those behind are built without it.
 */
export const unresolved = (batches: ReadonlyArray<Batch>): ReadonlyArray<Member> =>
  membersOf(batches.filter(isUnresolved))

/** Whether a batch stands behind one of another root of which it is open who lands. */
export const isBehindUnresolved = (batches: ReadonlyArray<Batch>, batch: Batch): boolean =>
  batches.slice(0, batches.indexOf(batch)).some((each) => each.root !== batch.root && isUnresolved(each))

/** Whether a batch takes one of the places for parallel checks. */
export const isRunning = ({ phase }: Batch): boolean =>
  phase === "building" || phase === "built" || phase === "publishing" || phase === "testing"

/**
 * The base that the batch at `index` would be built on now; null while the batch beneath is not built.
 *
 * **Details**
 *
 * The base branch under it is the one under the batch beneath, which may differ from where the base branch is now: the
 * batch beneath may be in the middle of its landing.
 */
export const beneath = (batches: ReadonlyArray<Batch>, index: number, base: Tip): Foundation | null => {
  const stack = batches.slice(0, index).filter((batch) => !isPresumedRed(batch))
  const last = stack.at(-1)
  if (last === undefined) return { under: [], base, onto: base.sha, tree: base.tree }
  const step = last.steps.at(-1)
  if (step === undefined || last.foundation === null) return null
  return { under: membersOf(stack), base: last.foundation.base, onto: step.commit, tree: step.tree }
}

/** The members of the batches ahead on which the batch at `index` is to stand. */
export const ahead = (batches: ReadonlyArray<Batch>, index: number): ReadonlyArray<Member> =>
  membersOf(batches.slice(0, index).filter((batch) => !isPresumedRed(batch)))

const membersOf = (batches: ReadonlyArray<Batch>): ReadonlyArray<Member> => batches.flatMap(({ members }) => members)

/** Batches that stand on one another as one: the last one was tested with all of them under it. */
export const whole = (parts: ReadonlyArray<Batch>): Batch | null => {
  const last = parts.at(-1)
  return last === undefined
    ? null
    : {
        ...last,
        members: membersOf(parts),
        foundation: parts[0]?.foundation ?? null,
        steps: parts.flatMap(({ steps }) => steps)
      }
}

/** Whether two lists name the same pull requests at the same commits, in the same order. */
export const isSame = (a: ReadonlyArray<Member>, b: ReadonlyArray<Member>): boolean =>
  a.length === b.length && a.every(({ head, number }, index) => number === b[index]?.number && head === b[index].head)

/** The batches without a pull request: a batch that held it is built again, an empty one is gone. */
export const withoutMember = (batches: ReadonlyArray<Batch>, number: number): ReadonlyArray<Batch> => {
  const changed = batches.filter(({ members }) => members.some((member) => member.number === number))
  const gone = changed.filter(({ members }) => members.length === 1)
  return batches
    .filter((batch) => !gone.includes(batch))
    .map((batch) => {
      const left = batch.suspect?.left ?? null
      const before = batches.slice(0, batches.indexOf(batch) + 1)
      const suspect = gone.some(({ id }) => id === left)
        ? null
        : doubt(
            batch,
            changed.filter((each) => before.includes(each))
          )
      return changed.includes(batch)
        ? reset({ ...batch, suspect, members: batch.members.filter((member) => member.number !== number) })
        : { ...batch, suspect }
    })
}

/**
 * A suspicion does not survive a change of the part itself or of any part before it as a proof, only as a presumption: the tree
 * that failed held all of them.
 */
const doubt = (batch: Batch, changed: ReadonlyArray<Batch>): Suspect | null => {
  if (batch.suspect === null) return null
  const isChanged = changed.some(({ root }) => root === batch.root)
  return isChanged ? { ...batch.suspect, on: "", base: null } : batch.suspect
}

/**
 * The batches after the first `count` members of a batch have landed as the commit and tree that were tested.
 *
 * **Details**
 *
 * What stands on them keeps its round: the tree under it is the same. A part behind it may now be the failed tree.
 */
export const land = (batches: ReadonlyArray<Batch>, id: string, count: number, tip: Tip): ReadonlyArray<Batch> => {
  const landing = batches.find((batch) => batch.id === id)
  if (landing === undefined) return batches
  const landed = landing.members.slice(0, count)
  const isWhole = landed.length === landing.members.length
  return batches
    .filter((batch) => !isWhole || batch !== landing)
    .map((batch) => {
      if (batch !== landing) return settle(stand(batch, landed, tip), isWhole ? landing : null, tip)
      const foundation = landing.foundation === null ? null : { ...landing.foundation, base: tip }
      return {
        ...landing,
        phase: "green",
        members: landing.members.slice(count),
        steps: landing.steps.slice(count),
        foundation
      }
    })
}

const stand = (batch: Batch, landed: ReadonlyArray<Member>, tip: Tip): Batch => {
  const { foundation } = batch
  if (foundation === null || !isSame(foundation.under.slice(0, landed.length), landed)) return batch
  return { ...batch, foundation: { ...foundation, under: foundation.under.slice(landed.length), base: tip } }
}

const settle = (batch: Batch, landed: Batch | null, tip: Tip): Batch => {
  if (landed === null || batch.suspect?.left !== landed.id) return batch
  const isUnchanged = landed.foundation?.tree === batch.suspect.on && landed.round?.tree === tip.tree
  return { ...batch, suspect: { ...batch.suspect, left: null, base: isUnchanged ? tip.tree : null } }
}
