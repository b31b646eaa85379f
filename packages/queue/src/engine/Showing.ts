/** Showing: the texts that a pull request shows to people. */
import * as Work from "./Work.ts"

/** Tells every pull request that was decided its outcome, once, and closes those that landed unseen by the platform. */
export const pass: Work.Pass = (work) => {
  for (const { number, sha } of work.state.closing) {
    Work.issue(work, { kind: "close", id: `close/${number}/${sha}`, number, sha })
  }
  for (const { number, seq, text } of work.state.messages) {
    Work.issue(work, { kind: "tell", id: `tell/${number}/${seq}`, number, text })
  }
}
