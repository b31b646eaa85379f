/** The flags that say which run a report is of; what is not given comes from the CI system. */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as CommandFailure from "./CommandFailure.ts"
import * as CiRun from "./ci/CiRun.ts"

const optional = (name: string, longest: number, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (text) => text.trim() !== "" && [...text].length <= longest && !text.includes("\0"),
      (text) =>
        text.trim() === "" ? `"${text}" is empty` : `"${text.slice(0, 40)}…" is longer than ${longest} characters`
    ),
    Flag.optional
  )

/** As the server takes them (RFC 3339). */
const instant = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** The flags. */
export const flags = {
  pipeline: optional("pipeline", 255, "Pipeline (workflow) that ran the tests (CI)"),
  job: optional("job", 255, "Job within the pipeline (CI); name matrix jobs apart"),
  commit: optional("commit", 255, "Commit that was tested (CI)"),
  branch: optional("branch", 255, "Branch that was tested (CI, else: the default branch)"),
  baseBranch: optional("base-branch", 255, "Branch that the pull request goes to; only for runs of pull requests (CI)"),
  pullRequest: optional(
    "pull-request",
    10_000,
    "Pull request that brought the commit, as JSON with id, number, title and user (CI)"
  ),
  runId: optional("run-id", 255, "Run of the pipeline (CI, else: one run per commit)"),
  runAttempt: Flag.Int("run-attempt").pipe(
    Flag.withDescription("Attempt of the run (CI, else: 1)"),
    Flag.filter(
      (attempt) => attempt >= 0 && attempt <= 2_147_483_647,
      (attempt) => `"${attempt}" is no attempt: give a whole number from 0`
    ),
    Flag.optional
  ),
  jobUrl: optional("job-url", 2048, "Where people read the log of the job (CI)"),
  finishedAt: Flag.String("finished-at").pipe(
    Flag.withDescription("When the tests finished, such as 2026-11-21T10:30:00Z (else: now)"),
    Flag.filter(
      (text) => instant.test(text) && !Number.isNaN(Date.parse(text)),
      (text) => `"${text}" is no instant: write it as 2026-11-21T10:30:00Z`
    ),
    Flag.optional
  ),
  idempotencyKey: optional("idempotency-key", 900, "Key of this upload (else: made from the run and the content)")
}

/** What was given for {@link flags}. */
export interface Given {
  readonly pipeline: Option.Option<string>
  readonly job: Option.Option<string>
  readonly commit: Option.Option<string>
  readonly branch: Option.Option<string>
  readonly baseBranch: Option.Option<string>
  readonly pullRequest: Option.Option<string>
  readonly runId: Option.Option<string>
  readonly runAttempt: Option.Option<number>
  readonly jobUrl: Option.Option<string>
  readonly finishedAt: Option.Option<string>
  readonly idempotencyKey: Option.Option<string>
}

/**
 * The run as parameters of an upload: flags first, then what the CI system says. A commit or a branch that is given by
 * hand is of another run than the environment's: what belongs to that run is not taken then.
 */
export const parametersOf = (given: Given, ci: CiRun.CiRun | null): Readonly<Record<string, string>> => {
  const isOtherCommit = Option.isSome(given.commit) && given.commit.value !== ci?.commit
  const isOtherBranch = Option.isSome(given.branch) && given.branch.value !== ci?.branch
  const entries: ReadonlyArray<readonly [string, Option.Option<string | number>, string | null | undefined]> = [
    ["pipeline_name", given.pipeline, ci?.pipeline],
    ["job_name", given.job, ci?.job],
    ["commit", given.commit, ci?.commit],
    ["branch", given.branch, ci?.branch],
    ["base_branch", given.baseBranch, isOtherBranch ? null : ci?.baseBranch],
    ["pull_request", given.pullRequest, isOtherCommit || isOtherBranch ? null : ci?.pullRequest],
    ["run_id", given.runId, ci?.runId],
    ["run_attempt", given.runAttempt, Option.isSome(given.runId) ? null : ci?.runAttempt],
    ["job_url", given.jobUrl, ci?.jobUrl],
    ["finished_at", given.finishedAt, null]
  ]
  return Object.fromEntries(
    entries.flatMap(([name, flag, environment]) => {
      const value = Option.isSome(flag) ? String(flag.value) : (environment ?? null)
      return value === null ? [] : [[name, value]]
    })
  )
}

/** Fails when the run cannot be told: an upload needs pipeline, job and commit. */
export const demand = (
  parameters: Readonly<Record<string, string>>,
  ci: CiRun.CiRun | null
): Effect.Effect<void, CommandFailure.CommandFailure> => {
  const missing = [
    ["pipeline_name", "--pipeline"],
    ["job_name", "--job"],
    ["commit", "--commit"]
  ].flatMap(([parameter = "", flag = ""]) => (parameters[parameter] === undefined ? [flag] : []))
  if (missing.length === 0) return Effect.void
  const where =
    ci === null
      ? `this is none of the CI systems that are known (${CiRun.systems.map(({ name }) => name).join(", ")})`
      : `${ci.system} does not say`
  return Effect.fail(CommandFailure.usage(`Give ${missing.join(", ")}: ${where}.`))
}
