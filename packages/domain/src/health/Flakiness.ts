/** Flaky executions: contradicted failures and in-job flaky runs (interface 2.5, `flaky_count`). */
import type { Conclusion } from "../report/Execution.ts"
import * as Health from "./Health.ts"

/** The fields of an execution that decide whether it is flaky. */
export interface Outcome<Commit = string> {
  readonly commit: Commit
  readonly conclusion: Conclusion
  readonly flaky: boolean
}

/**
 * A predicate that tells the flaky executions of one identity: failures on a commit on which the identity also passed,
 * earlier or later, and executions that failed and passed inside one job; never the passing siblings.
 *
 * **Details**
 *
 * `history` is everything that is kept of the identity, so that a pass outside a window still contradicts a failure
 * inside it.
 *
 * @example
 * ```ts
 * import { Flakiness } from "@lazaret/domain"
 *
 * const failure = { commit: "c1", conclusion: "failed", flaky: false } as const
 * const pass = { commit: "c1", conclusion: "passed", flaky: false } as const
 * const isFlaky = Flakiness.among([failure, pass])
 * isFlaky(failure) // => true
 * isFlaky(pass) // => false
 * ```
 */
export const among = <Commit>(history: Iterable<Outcome<Commit>>): ((execution: Outcome<Commit>) => boolean) => {
  const passed = new Set<Commit>()
  for (const { commit, conclusion } of history) if (conclusion === "passed") passed.add(commit)
  return (execution) => execution.flaky || (execution.conclusion === "failed" && passed.has(execution.commit))
}

/**
 * The commits on which an identity passed before its first kept execution, as far as its state remembers them: they go
 * before the history that {@link among} is given.
 */
export const remembered = <Commit>(
  state: Pick<Health.State<unknown, Commit>, "commits" | "outcomes">
): ReadonlyArray<Outcome<Commit>> =>
  state.commits
    .filter((_, index) => Health.passed(state, index))
    .map((commit) => ({ commit, conclusion: "passed", flaky: false }))
