/** Showing: the texts that a pull request shows to people. */
import * as Work from "./Work.ts"

/**
 * Tells every pull request that was decided its outcome, once, and closes those that landed unseen by the platform. Where comments
 * are off, none is written.
 */
export const pass: Work.Pass = (work) => {
  for (const { number, sha } of work.state.closing) {
    Work.issue(work, { kind: "close", id: `close/${number}/${sha}`, number, sha })
  }
  for (const { number, seq, text } of work.state.messages) {
    const command = { kind: "tell", id: `tell/${number}/${seq}`, number, text } as const
    if (work.configuration.comments === "off") Work.skip(work, command)
    else Work.issue(work, command)
  }
}
