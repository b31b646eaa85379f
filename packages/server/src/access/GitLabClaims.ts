/** The claims of GitLab's job tokens: https://docs.gitlab.com/ci/secrets/id_token_authentication/ */
import type { UploadOrigin } from "@lazaret/domain"
import { GitLabGroups } from "@lazaret/forge-gitlab"
import { Option, Schema } from "effect"

const text = Schema.String.check(Schema.isBetweenLength(1, 255))

const optional = Schema.optionalKey(Schema.NullOr(text))

/** GitLab writes ids as text; earlier versions wrote some of them as numbers. */
const number = Schema.Union([text, Schema.Int])

const Claims = Schema.Struct({
  project_path: Schema.String,
  project_id: number,
  namespace_id: number,
  job_project_path: optional,
  job_project_id: Schema.optionalKey(Schema.NullOr(number)),
  job_namespace_id: Schema.optionalKey(Schema.NullOr(number)),
  pipeline_source: text,
  pipeline_id: number,
  ref: text,
  ref_type: text,
  ref_protected: optional,
  target_ref: optional,
  sha: text,
  user_login: text
})

type Claims = typeof Claims.Type

/**
 * The run that the claims prove; none when they are not those of a job.
 *
 * **Details**
 *
 * The repository is the project in which the job runs. GitLab names it `job_project_path` since 18.4; `project_path` is then
 * the project that the code comes from. Older versions send `project_path` alone.
 */
export const originOf = (
  payload: unknown,
  issuer: string,
  groups: GitLabGroups.GitLabGroups
): Option.Option<UploadOrigin.TokenOrigin> =>
  Option.flatMap(decode(payload), (claims) => {
    const path = claims.job_project_path ?? claims.project_path
    return Option.map(GitLabGroups.refOf(groups, path), (repository) => ({
      repository,
      platform: {
        issuer,
        ownerId: `${claims.job_namespace_id ?? claims.namespace_id}`,
        repositoryId: `${claims.job_project_id ?? claims.project_id}`
      },
      subject: `GitLab pipeline ${claims.pipeline_id} of ${path}`,
      runId: `${claims.pipeline_id}`,
      runAttempt: null,
      code: codeOf(claims)
    }))
  })

const decode = Schema.decodeUnknownOption(Claims)

/** The sources of pipelines that run a commit of the project itself, never a merge request. */
const ownSources: ReadonlySet<string> = new Set([
  "push",
  "web",
  "schedule",
  "api",
  "trigger",
  "pipeline",
  "webide",
  "chat",
  "ondemand_dast_scan",
  "security_orchestration_policy"
])

/**
 * The origin of the code that a job tests.
 *
 * **Details**
 *
 * The claims of a pipeline of a merge request name its source branch, `ref` as well as `ref_path`, without the project of
 * that branch: a fork may call its branch `main`. So `ref` speaks for a branch of the project only where the source of the
 * pipeline excludes a merge request. A child pipeline (`parent_pipeline`) may belong to one, unless its ref is protected.
 */
const codeOf = (claims: Claims): UploadOrigin.Code => {
  const { pipeline_source: source, project_path: from, ref, ref_protected: isProtected } = claims
  const isOwnChild = source === "parent_pipeline" && isProtected === "true" && !isOfFork(claims)
  if (ownSources.has(source) || isOwnChild) {
    const branch = claims.ref_type === "branch" ? ref : `refs/tags/${ref}`
    return { _tag: "ref", branch, commit: claims.sha }
  }
  const base = claims.target_ref ?? null
  const isOfMergeRequest = source === "merge_request_event" || source === "parent_pipeline"
  if (isOfMergeRequest && claims.job_project_path === from) return { _tag: "pull", head: ref, base }
  return { _tag: "unproven", head: ref, base, actor: isOfFork(claims) ? ownerOf(from) : claims.user_login }
}

const isOfFork = ({ job_project_path: here, project_path: from }: Claims): boolean =>
  here !== undefined && here !== null && here !== from

const ownerOf = (path: string): string => path.slice(0, path.lastIndexOf("/"))
