/**
 * The heads of pull requests, as the hosting platform names them: the proof that a fork's run belongs to a pull request.
 */
import { Schema } from "effect"
import { isFork, type RunContext } from "./Report.ts"
import * as Text from "../text/Text.ts"

/**
 * A commit that is, or was, the head of a pull request.
 *
 * **Details**
 *
 * - `owner`: of the repository that the head is in, as branches of forks begin (`owner:branch`).
 * - `isFork`: whether that is another repository than the one of the pull request.
 */
export const PullHead = Schema.Struct({
  number: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  commit: Text.between(1, 255),
  owner: Text.between(1, 255),
  isFork: Schema.Boolean
})

/** A commit that is, or was, the head of a pull request. */
export type PullHead = typeof PullHead.Type

/** A run, as far as it says where its code comes from. */
export type OfCode = Pick<RunContext, "branch" | "commit">

/**
 * Whether the platform names a fork's run: one of the heads is its commit, in a repository of its owner.
 *
 * @example
 * ```ts
 * import { PullHead } from "@lazaret/domain"
 *
 * const heads = [{ number: 7, commit: "4f1c", owner: "ada", isFork: true }]
 * PullHead.names(heads, { branch: "ada:topic", commit: "4f1c" }) // => true
 * PullHead.names(heads, { branch: "eve:topic", commit: "4f1c" }) // => false
 * PullHead.names(heads, { branch: "ada:topic", commit: "9b2d" }) // => false
 * ```
 */
export const names = (heads: ReadonlyArray<PullHead>, { branch, commit }: OfCode): boolean => {
  const owner = branch?.slice(0, branch.indexOf(":")).toLowerCase()
  return heads.some((head) => head.isFork && head.commit === commit && head.owner.toLowerCase() === owner)
}

/** Runs of one subject: those that count, and those of forks that do not. */
export interface Taken<Run> {
  readonly counted: ReadonlyArray<Run>
  readonly forks: ReadonlyArray<Run>
}

/**
 * The runs that count for a commit: those of the repository itself. Without such a run, the runs of forks that the platform names count,
 * unless a pull request of the repository itself has the commit as its head.
 *
 * **Details**
 *
 * Anybody can open a pull request with somebody else's commit as its head. Its runs must not speak for that commit.
 */
export const ofCommit = <Run extends OfCode>(runs: ReadonlyArray<Run>, heads: ReadonlyArray<PullHead>): Taken<Run> => {
  const own = runs.filter((run) => !isFork(run))
  const isOwnHead = ({ commit }: Run) => heads.some((head) => !head.isFork && head.commit === commit)
  return split(runs, (run) => (isFork(run) ? own.length === 0 && !isOwnHead(run) && names(heads, run) : true))
}

/** The runs that count for a pull request with these heads: those of the repository itself, and those of its fork. */
export const ofPull = <Run extends OfCode>(runs: ReadonlyArray<Run>, heads: ReadonlyArray<PullHead>): Taken<Run> =>
  split(runs, (run) => !isFork(run) || names(heads, run))

/** The runs that count for a run of CI: those of the repository itself, or those of forks when the repository has no run of its own. */
export const ofRun = <Run extends OfCode>(runs: ReadonlyArray<Run>): Taken<Run> => {
  const hasOwn = runs.some((run) => !isFork(run))
  return split(runs, (run) => !hasOwn || !isFork(run))
}

const split = <Run>(runs: ReadonlyArray<Run>, isCounted: (run: Run) => boolean): Taken<Run> => ({
  counted: runs.filter(isCounted),
  forks: runs.filter((run) => !isCounted(run))
})
