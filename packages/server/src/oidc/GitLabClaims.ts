/** The claims of GitLab's job tokens: https://docs.gitlab.com/ci/secrets/id_token_authentication/ */
import type { UploadOrigin } from "@lazaret/domain"
import { Option, Schema } from "effect"
import { repositoryOf } from "./RepositoryPath.ts"

const text = Schema.String.check(Schema.isBetweenLength(1, 255))

const Claims = Schema.Struct({
  project_path: Schema.String,
  pipeline_source: text,
  pipeline_id: Schema.Union([text, Schema.Int]),
  ref: text,
  ref_type: text,
  ref_path: Schema.optionalKey(Schema.NullOr(text)),
  sha: text,
  user_login: text
})

/** The run that the claims prove; none when they are not those of a job. */
export const originOf = (payload: unknown): Option.Option<UploadOrigin.UploadOrigin> =>
  Option.flatMap(decode(payload), (claims) =>
    Option.map(repositoryOf(claims.project_path), (repository) => ({
      repository,
      subject: `GitLab pipeline ${claims.pipeline_id} of ${claims.project_path}`,
      runId: `${claims.pipeline_id}`,
      runAttempt: null,
      code: codeOf(claims)
    }))
  )

const decode = Schema.decodeUnknownOption(Claims)

/** The sources of pipelines that run a commit of the project itself. A child pipeline may be one of a merge request. */
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

/** A pipeline of a merge request may run the code of a fork: no claim tells. Older versions do not send `ref_path`. */
const codeOf = (claims: typeof Claims.Type): UploadOrigin.Code => {
  const path = claims.ref_path ?? null
  const isOwn = path === null ? ownSources.has(claims.pipeline_source) : /^refs\/(?:heads|tags)\//u.test(path)
  if (!isOwn) return { _tag: "unproven", head: null, base: null, actor: claims.user_login }
  return {
    _tag: "ref",
    branch: claims.ref_type === "branch" ? claims.ref : `refs/tags/${claims.ref}`,
    commit: claims.sha
  }
}
