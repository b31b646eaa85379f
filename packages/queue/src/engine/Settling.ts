/** Settling: what is done with a batch whose build was answered. */
import type * as Batch from "./Batch.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as QueueBranch from "./QueueBranch.ts"
import * as Work from "./Work.ts"

/** Takes the members out that could not be merged, and publishes the rest, unless its tree has passed before. */
export const pass: Work.Pass = (work) => {
  for (const { id } of work.state.batches) settle(work, id)
}

const settle = (work: Work.Work, id: string): void => {
  const batch = work.state.batches.find((each) => each.id === id)
  if (batch === undefined || batch.phase !== "built") return
  if (batch.conflicts.length > 0 || isContained(batch)) {
    return leaveOut(work, batch)
  }
  const last = batch.steps.at(-1)
  if (last === undefined) return
  const required = EngineConfiguration.requiredDigest(work.configuration)
  const green = work.state.greens.find((each) => each.tree === last.tree && each.required === required)
  if (green !== undefined) return Work.emit(work, { kind: "round_reused", batch: id, sha: green.sha })
  if (isInPlace(batch, last.commit)) return Work.emit(work, { kind: "round_begun", batch: id, sha: last.commit })
  const branch = QueueBranch.nameOf(batch, work.configuration)
  Work.issue(work, { kind: "publish", id: `publish/${branch}`, batch: id, branch, sha: last.commit })
}

/** The head of the pull request is what is tested: it has its checks without a branch of the queue. */
const isInPlace = ({ members: [first] }: Batch.Batch, commit: string): boolean => first?.head === commit

/** The first member is in the base branch already. Elsewhere a member may be contained in one ahead, which may leave. */
const isContained = (batch: Batch.Batch): boolean => {
  const [first] = batch.members
  return first !== undefined && batch.foundation?.under.length === 0 && batch.contained.includes(first.number)
}

const leaveOut = (work: Work.Work, batch: Batch.Batch): void => {
  const [first] = batch.members
  if (first === undefined) return
  const { head, number } = first
  if (isContained(batch)) return Work.emit(work, { kind: "merged_elsewhere", number, head })
  const conflicting = batch.members.find((member) => batch.conflicts.includes(member.number))
  if (conflicting === undefined) return
  const under = batch.foundation?.under ?? []
  const before = batch.members.slice(0, batch.members.indexOf(conflicting))
  const ahead = [...under, ...before].map((member) => member.number)
  if (ahead.length === 0) {
    const reason = { code: "conflict" } as const
    return Work.emit(work, { kind: "dequeued", number: conflicting.number, head: conflicting.head, reason })
  }
  Work.emit(work, { kind: "conflict_held", batch: batch.id, number: conflicting.number, ahead })
}
