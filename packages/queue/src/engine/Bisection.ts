/**
 * Bisection: how the cause of a red batch is found.
 *
 * **Details**
 *
 * A red batch is split into halves. The left half is tested first; when it has landed, the right half on top of it is
 * the tree that failed. It counts as red without a run where the failure was judged real, else it is tested. A single
 * pull request that is red leaves, and the parts that remain are joined into one batch.
 */
import * as Batch from "./Batch.ts"
import type * as EngineConfiguration from "./EngineConfiguration.ts"

/**
 * The halves of a red batch, the left one not smaller.
 *
 * **Details**
 *
 * The right half carries the failure as a suspicion. Parts that waited for the batch wait for its right half.
 */
export const split = (batches: ReadonlyArray<Batch.Batch>, id: string): ReadonlyArray<Batch.Batch> => {
  const red = batches.find((batch) => batch.id === id)
  if (red === undefined || red.failed === null) return batches
  const { failed } = red
  const on = red.foundation?.tree ?? red.suspect?.base ?? ""
  const middle = Math.ceil(red.members.length / 2)
  const part = (name: string, members: Batch.Batch["members"]): Batch.Batch => ({
    ...Batch.make(`${id}.${name}`, red.rule, members),
    root: red.root
  })
  const left = part("1", red.members.slice(0, middle))
  const right: Batch.Batch = {
    ...part("2", red.members.slice(middle)),
    suspect: { failed, on, left: left.id, base: null }
  }
  return batches
    .flatMap((batch) => (batch === red ? [left, right] : [wait(batch, id, right.id)]))
    .map((batch) => (batch.root === red.root ? { ...batch, splits: red.splits + 1 } : batch))
}

const wait = (batch: Batch.Batch, left: string, right: string): Batch.Batch =>
  batch.suspect?.left === left ? { ...batch, suspect: { ...batch.suspect, left: right } } : batch

/** The parts of a root joined into one batch, at the place of the first. Batches of other roots stay as they are. */
export const join = (batches: ReadonlyArray<Batch.Batch>, root: string, id: string): ReadonlyArray<Batch.Batch> => {
  const parts = batches.filter((batch) => batch.root === root)
  const [first] = parts
  if (first === undefined) return batches
  const joined: Batch.Batch = {
    ...Batch.make(
      id,
      first.rule,
      parts.flatMap(({ members }) => members)
    ),
    root,
    splits: first.splits
  }
  return batches.flatMap((batch) => (batch === first ? [joined] : parts.includes(batch) ? [] : [batch]))
}

/**
 * Whether a part counts as red without a run.
 *
 * **Details**
 *
 * All before it must have landed as they were tested, on the tree on which the batch failed: then the part on the base
 * branch is the tree that failed.
 */
export const isInferable = (
  batch: Batch.Batch,
  baseTree: string,
  { inferCulprit }: EngineConfiguration.EngineConfiguration
): boolean => {
  const { suspect } = batch
  if (suspect === null || suspect.base === null || suspect.base !== baseTree || batch.phase !== "planned") return false
  if (inferCulprit === "never" || suspect.failed.outcome !== "red") return false
  return inferCulprit === "always" || suspect.failed.class === "real"
}
