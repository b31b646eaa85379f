/** The claims of GitHub Actions tokens: https://docs.github.com/en/actions/reference/security/oidc */
import type { UploadOrigin } from "@lazaret/domain"
import { OwnEvents } from "@lazaret/forge-github"
import { Option, Schema } from "effect"
import { repositoryOf } from "./RepositoryPath.ts"

const text = Schema.String.check(Schema.isBetweenLength(1, 255))

const optional = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(255)))

const Claims = Schema.Struct({
  repository: Schema.String,
  repository_id: text,
  repository_owner_id: text,
  repository_visibility: optional,
  event_name: text,
  ref: text,
  sha: text,
  head_ref: optional,
  base_ref: optional,
  actor: text,
  run_id: text,
  run_attempt: Schema.String.check(Schema.isPattern(/^[0-9]{1,9}$/u))
})

/** The run that the claims prove; none when they are not those of a workflow run. */
export const originOf = (payload: unknown, issuer: string): Option.Option<UploadOrigin.TokenOrigin> =>
  Option.flatMap(decode(payload), (claims) =>
    Option.map(repositoryOf(claims.repository), (repository) => ({
      repository,
      platform: { issuer, ownerId: claims.repository_owner_id, repositoryId: claims.repository_id },
      subject: `GitHub Actions run ${claims.run_id} of ${claims.repository}`,
      runId: claims.run_id,
      runAttempt: Number(claims.run_attempt),
      code: codeOf(claims)
    }))
  )

const decode = Schema.decodeUnknownOption(Claims)

/**
 * The origin of the code that a workflow run tests.
 *
 * No claim names the repository of a pull request's head. A public repository proves it: GitHub gives runs of pull
 * requests from forks no token there. The setting of a private one may give them some.
 */
const codeOf = (claims: typeof Claims.Type): UploadOrigin.Code => {
  const [, branch] = /^refs\/heads\/(.+)$/u.exec(claims.ref) ?? []
  if (OwnEvents.has(claims.event_name) && !claims.ref.startsWith("refs/pull/")) {
    return { _tag: "ref", branch: branch ?? claims.ref, commit: claims.sha }
  }
  const head = claims.head_ref || null
  const base = claims.base_ref || null
  const isOwn = claims.event_name === "pull_request" && claims.repository_visibility === "public"
  return isOwn && head !== null && base !== null
    ? { _tag: "pull", head, base }
    : { _tag: "unproven", head, base: base ?? branch ?? null, actor: claims.actor }
}
