/** Showing: what people are told at their pull request. */
import * as Work from "./Work.ts"

/** Tells every pull request that was decided its outcome, once. */
export const pass: Work.Pass = (work) => {
  for (const { number, seq, text } of work.state.messages) {
    Work.issue(work, { kind: "tell", id: `tell/${number}/${seq}`, number, text })
  }
}
