/** Rules of a branch as the description of GitHub has them, for `Repository.branchRules` of the simulated GitHub. */
import type { SimulatedGitHub } from "./SimulatedGitHub.ts"

/** The rule that turns the merge queue on. */
export const mergeQueue = {
  type: "merge_queue",
  parameters: {
    check_response_timeout_minutes: 60,
    grouping_strategy: "ALLGREEN",
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: "SQUASH",
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5
  }
}

/** The rule that requires the check of the queue, which is bound to the app, and further checks by name. */
export const requiredChecks = ({ app }: SimulatedGitHub, ...more: ReadonlyArray<string>) => ({
  type: "required_status_checks",
  parameters: {
    required_status_checks: [
      { context: "lazaret/queue", integration_id: app.id },
      ...more.map((context) => ({ context }))
    ],
    strict_required_status_checks_policy: false
  }
})
