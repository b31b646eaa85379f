/** Safety: the engine stops itself where it could not keep its promises. */
import * as Work from "./Work.ts"

/** Pauses when the base branch was rewritten, or when a landed tree was not the tested one. A person resumes. */
export const pass: Work.Pass = (work) => {
  const { alarm, isRewritten, pause } = work.state
  if (pause !== null) return
  if (alarm !== null) Work.emit(work, { kind: "pause_set", by: "lazaret", reason: `tree_mismatch: ${alarm}` })
  else if (isRewritten) {
    const reason = "base_rewritten: the base branch was force-pushed or deleted"
    Work.emit(work, { kind: "pause_set", by: "lazaret", reason })
  }
}
