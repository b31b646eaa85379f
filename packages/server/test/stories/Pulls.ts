/** Pull requests of stories: how their required job ends in each attempt, and whether they should be merged. */
import type { Hub } from "@lazaret/forge-simulated"

/**
 * A pull request.
 *
 * **Details**
 *
 * - `ends`: the conclusions of the job `unit`, by attempt; the last one for all further attempts.
 * - `of`: the test that fails is a known flake of the base branch, or one that never failed before; `nothing`: the job ends before it has
 *   a report, so that nobody knows why.
 * - `minutes`: how long the job takes. `after`: how long the job takes that `unit` needs. `besides`: how long a third job takes.
 */
export interface Pull {
  readonly ends: ReadonlyArray<Hub.Conclusion>
  readonly of: "flaky" | "new" | "nothing"
  readonly isBad: boolean
  readonly minutes: number
  readonly after: number
  readonly besides: number
}

/** A pull request whose job passes after two minutes. */
export const green: Pull = { ends: ["success"], of: "new", isBad: false, minutes: 2, after: 0, besides: 0 }

/** One whose job ends like this, attempt by attempt. */
export const ending = (...ends: ReadonlyArray<Hub.Conclusion>): Pull => ({ ...green, ends })

/** One that a known flake fails once. */
export const flaky: Pull = { ...ending("failure", "success"), of: "flaky" }

/** One that breaks a test. */
export const bad: Pull = { ...ending("failure"), isBad: true }
