/** The flags of the run that a report belongs to. The CI system supplies the values that are not given. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as Checkout from "../ci/Checkout.ts"
import * as CiRun from "../ci/CiRun.ts"
import * as Reference from "../ci/Reference.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"

const optional = (name: string, longest: number, description: string) =>
  Flag.optional(Flags.text(name, longest, description))

/** An instant as the server accepts it (RFC 3339). */
const instant = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** The flags. */
export const flags = {
  pipeline: optional("pipeline", 255, "Pipeline (workflow) that ran the tests (CI)"),
  job: optional("job", 255, "Job within the pipeline (CI); give matrix jobs different names"),
  commit: optional("commit", 255, "Commit that was tested (CI)"),
  branch: optional("branch", 255, "Branch that was tested (CI, else: the default branch)"),
  baseBranch: optional("base-branch", 255, "Target branch of the pull request; only for runs of pull requests (CI)"),
  pullRequest: Flags.text(
    "pull-request",
    10_000,
    "Pull request of the commit, as JSON with id, number, title and user, or its number (CI)"
  ).pipe(
    Flag.filter(
      Reference.isPullRequest,
      (text) => `"${text}" is not a pull request: write its number, or JSON with id, number, title and user`
    ),
    Flag.optional
  ),
  runId: optional("run-id", 255, "Run of the pipeline (CI, else: one run per commit)"),
  runAttempt: Flag.Int("run-attempt").pipe(
    Flag.withDescription("Attempt of the run (CI, else: 1)"),
    Flag.filter(
      (attempt) => attempt >= 1 && attempt <= 2_147_483_647,
      (attempt) => `"${attempt}" is not an attempt: the first one is 1`
    ),
    Flag.optional
  ),
  jobUrl: optional("job-url", 2048, "Address of the log of the job (CI)"),
  finishedAt: Flag.String("finished-at").pipe(
    Flag.withDescription("When the tests finished, such as 2026-11-21T10:30:00Z (else: now); times in the report stay"),
    Flag.filter(
      (text) => instant.test(text) && !Number.isNaN(Date.parse(text)),
      (text) => `"${text}" is not an instant: write it as 2026-11-21T10:30:00Z`
    ),
    Flag.optional
  ),
  checkout: Checkout.flag,
  idempotencyKey: optional("idempotency-key", 900, "Key of this upload (else: derived from the run and the content)")
}

/** The values of {@link flags}. */
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

/** A run as an upload names it. */
export type Run = Omit<Schemas.ReportQuery, "idempotency_key" | "checkout" | "tests_ended">

/**
 * The run of the flags, completed by the CI system.
 *
 * **Details**
 *
 * A commit or a branch that a flag gives and the CI system does not know belongs to another run: base branch, pull request
 * and attempt of the CI system are left out then. Fails when pipeline, job or commit are unknown.
 */
export const runOf = (given: Given, ci: CiRun.CiRun | null): Effect.Effect<Run, CommandFailure.CommandFailure> => {
  const isOtherCommit = Option.isSome(given.commit) && given.commit.value !== ci?.commit
  const isOtherBranch = Option.isSome(given.branch) && given.branch.value !== ci?.branch
  const pipeline = Option.getOrElse(given.pipeline, () => ci?.pipeline ?? null)
  const job = Option.getOrElse(given.job, () => ci?.job ?? null)
  const commit = Option.getOrElse(given.commit, () => ci?.commit ?? null)
  if (pipeline === null || job === null || commit === null)
    return Effect.fail(incomplete({ pipeline, job, commit }, ci))
  return Effect.succeed({
    pipeline_name: pipeline,
    job_name: job,
    commit,
    ...field("branch", given.branch, ci?.branch),
    ...field("base_branch", given.baseBranch, isOtherBranch ? null : ci?.baseBranch),
    ...field(
      "pull_request",
      given.pullRequest,
      isOtherCommit || isOtherBranch ? null : (ci?.pullRequest ?? ci?.pullNumber)
    ),
    ...field("run_id", given.runId, ci?.runId),
    ...field("run_attempt", given.runAttempt, Option.isSome(given.runId) ? null : attemptOf(ci)),
    ...field("job_url", given.jobUrl, ci?.jobUrl),
    ...field("finished_at", Option.map(given.finishedAt, Date.parse), null)
  })
}

const field = <Name extends string, A>(
  name: Name,
  given: Option.Option<A>,
  ofCi: A | null | undefined
): { readonly [N in Name]?: A } => {
  const value = Option.getOrElse(given, () => ofCi ?? null)
  // A computed key widens to `string`: the object has this one field or none.
  return (value === null ? {} : { [name]: value }) as { readonly [N in Name]?: A }
}

const attemptOf = (ci: CiRun.CiRun | null): number | null => {
  const text = ci?.runAttempt ?? null
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

const incomplete = (
  values: { readonly [Flag in "pipeline" | "job" | "commit"]: string | null },
  ci: CiRun.CiRun | null
): CommandFailure.CommandFailure => {
  const missing = Object.entries(values).flatMap(([flag, value]) => (value === null ? [`--${flag}`] : []))
  const systems = CiRun.systems.map(({ name }) => name).join(", ")
  return CommandFailure.usage(
    `Give ${missing.join(", ")}: ` +
      `${ci === null ? `this is not a known CI system (${systems})` : `${ci.system} does not say`}.`
  )
}
