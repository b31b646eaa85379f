/** The origin of an upload without an application key, as a token of the CI system proves it (semantics 8). */
import { Result } from "effect"
import type { RepositoryRef } from "../repository/Repository.ts"
import type { RunContext } from "../report/Report.ts"

/**
 * The run that a token of a CI system proves.
 *
 * **Details**
 *
 * - `subject`: names the run in records, such as `GitHub Actions run 7 of acme/widgets`.
 * - `runId`, `runAttempt`: null when the token does not say.
 * - `code`: whose code the run tests, as far as the token proves it.
 */
export interface UploadOrigin {
  readonly repository: RepositoryRef
  readonly subject: string
  readonly runId: string | null
  readonly runAttempt: number | null
  readonly code: Code
}

/**
 * The run that a token proves, with the numbers by which its issuer knows the owner and the repository: a name may be registered
 * again by somebody else, and a number never is.
 */
export interface TokenOrigin extends UploadOrigin {
  readonly platform: { readonly issuer: string; readonly ownerId: string; readonly repositoryId: string }
}

/**
 * The origin of the code that a run tests.
 *
 * **Details**
 *
 * - `ref`: this commit of a branch or a tag of the repository itself.
 * - `pull`: a pull request from a branch of the repository itself; `base` is null when the token does not name it.
 * - `unproven`: a pull request that may come from a fork; `head` and `base` are null when the token does not name them,
 *   `actor` is the account that started the run.
 */
export type Code =
  | { readonly _tag: "ref"; readonly branch: string; readonly commit: string }
  | { readonly _tag: "pull"; readonly head: string; readonly base: string | null }
  | { readonly _tag: "unproven"; readonly head: string | null; readonly base: string | null; readonly actor: string }

/** A claim of a report about its run that its token does not prove. */
export interface Mismatch {
  readonly what: "branch" | "commit" | "run" | "attempt"
  readonly proven: string
  readonly stated: string
}

/**
 * The run of a report with what the token proves about it, or the first contradiction between the two.
 *
 * **Details**
 *
 * - What the report leaves open comes from the token. A run id that starts with `commit:`, an attempt of 1, and a commit
 *   that is equal to the run id are what a report without them has.
 * - A run of unproven code becomes a fork's: its branch is `owner:branch`, it has a base branch, so that it never counts
 *   as default branch, and it brings no pull request.
 * - The commit of a pull request is that of the report: tokens name the commit that merges it for the test.
 */
export const bind = (origin: UploadOrigin, run: RunContext): Result.Result<RunContext, Mismatch> => {
  const { code } = origin
  const id = origin.runId === null || run.runId.startsWith("commit:") ? (origin.runId ?? run.runId) : run.runId
  const bound = { ...run, runId: id, runAttempt: origin.runAttempt ?? run.runAttempt }
  const checks: ReadonlyArray<readonly [Mismatch["what"], string | null, string | null]> = [
    ["run", origin.runId, id],
    ["attempt", origin.runAttempt === null ? null : `${origin.runAttempt}`, statedAttempt(run)],
    ["commit", code._tag === "ref" ? code.commit : null, run.commit === run.runId ? null : run.commit],
    ["branch", branchOf(code), run.branch === null ? null : headOf(run.branch)]
  ]
  for (const [what, proven, stated] of checks) {
    if (proven !== null && stated !== null && proven !== stated) return Result.fail({ what, proven, stated })
  }
  return Result.succeed(codeOf(code, bound))
}

const statedAttempt = ({ runAttempt }: RunContext): string | null => (runAttempt === 1 ? null : `${runAttempt}`)

const branchOf = (code: Code): string | null => {
  switch (code._tag) {
    case "ref":
      // The report of a tag may name the tag as its branch, and its token may not speak for a branch of that name.
      return code.branch.startsWith(tag) ? null : code.branch
    case "pull":
      return code.head
    case "unproven":
      return code.head
  }
}

const tag = "refs/tags/"

const headOf = (branch: string): string => branch.slice(branch.indexOf(":") + 1)

const codeOf = (code: Code, run: RunContext): RunContext => {
  switch (code._tag) {
    case "ref":
      return { ...run, branch: code.branch, baseBranch: null, commit: code.commit }
    case "pull":
      return {
        ...run,
        branch: code.head,
        baseBranch: code.base ?? run.baseBranch ?? unknown,
        pullRequest: null,
        pullNumber: null
      }
    case "unproven": {
      const head = code.head ?? headOf(run.branch ?? unknown)
      const owner = run.branch?.includes(":") === true ? run.branch.slice(0, run.branch.indexOf(":")) : code.actor
      const base = code.base ?? run.baseBranch ?? unknown
      return { ...run, branch: `${owner}:${head}`.slice(0, 255), baseBranch: base, pullRequest: null, pullNumber: null }
    }
  }
}

const unknown = "unknown"
