/** Tree audits: whether what landed is what was tested. */
import type * as EngineEvent from "./EngineEvent.ts"
import type * as EngineState from "./EngineState.ts"
import * as Work from "./Work.ts"

/** The sides of an audit: the group as it was tested, and the tree of the base branch's commit that holds it. */
export interface Landed {
  readonly tested: string | null
  readonly landed: string
}

/**
 * The outcome of an audit: `untested` where no group was seen before it landed.
 *
 * @example
 * ```ts
 * import { TreeAudit } from "@lazaret/queue"
 *
 * TreeAudit.compare({ tested: "t1", landed: "t1" }) // => "equal"
 * TreeAudit.compare({ tested: "t1", landed: "t2" }) // => "mismatch"
 * TreeAudit.compare({ tested: null, landed: "t2" }) // => "untested"
 * ```
 */
export const compare = ({ landed, tested }: Landed): EngineEvent.Of<"tree_audited">["outcome"] => {
  if (tested === null) return "untested"
  return tested === landed ? "equal" : "mismatch"
}

/** Audits every group that landed, once. */
export const pass: Work.Pass = (work) => {
  for (const landing of work.state.landings) Work.emit(work, audit(work.state.groups, landing))
}

const audit = (
  groups: ReadonlyArray<EngineState.NativeGroup>,
  { group: id, tree: landed }: EngineState.Landing
): EngineEvent.Of<"tree_audited"> => {
  const group = groups.find((each) => each.id === id)
  const tested = group?.tree ?? null
  const outcome = compare({ tested, landed })
  return { kind: "tree_audited", group: id, members: group?.members ?? [], tested, landed, outcome }
}

/** The sentence that explains an audit to people. */
export const sentence = (event: EngineEvent.Of<"tree_audited">): string => {
  const members = event.members.map(({ number }) => `#${number}`).join(", ")
  switch (event.outcome) {
    case "equal":
      return `${members} landed as the tree that was tested (${event.landed}).`
    case "mismatch":
      return `${members} landed as tree ${event.landed}, but tree ${event.tested} was tested. Compare the two before anything else is merged.`
    case "untested":
      return `Group ${event.group} landed as tree ${event.landed}, and no tested group is known for it.`
  }
}
