/** The rules of a project for a branch, in the words of a merge queue. */
import type { Repository } from "@lazaret/domain"
import type { Preflight } from "@lazaret/queue"
import { Effect, Option, Schema } from "effect"
import * as GitLabChecks from "./GitLabChecks.ts"
import type * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"

type Rule = Preflight.BranchRule

const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))

const Project = Schema.Struct({
  merge_method: Schema.optionalKey(Schema.String),
  only_allow_merge_if_pipeline_succeeds: flag,
  only_allow_merge_if_all_discussions_are_resolved: flag,
  merge_trains_enabled: flag
})

const Protected = Schema.Struct({ name: Schema.String, allow_force_push: flag })

/**
 * The rules of a branch.
 *
 * **Details**
 *
 * - "Pipelines must succeed" is the required check `pipeline`. Merge trains are the platform's own queue.
 * - A protected branch is one that only some may push to; GitLab says neither whether the token may, nor what a push rule refuses.
 * - The merge methods "fast-forward" and "semi-linear" merge only what stands on the tip: no batch of several can land one by one.
 */
export const ofBranch = Effect.fnUntraced(function* (
  client: GitLabClient.GitLabClient,
  ref: Repository.RepositoryRef,
  branch: string
) {
  const { body } = yield* client.ask("rules", ref, { path: "" }, Project)
  const path = `/protected_branches/${encodeURIComponent(branch)}`
  const guard = yield* GitLabCommits.orNone(client.ask("rules", ref, { path }, Protected)).pipe(
    // The list of protected branches is for those who may change it, or for developers, by version.
    Effect.catchIf(GitLabCommits.hasStatus(401, 403), () => Effect.succeedNone)
  )
  const rules: ReadonlyArray<Rule | false> = [
    body.only_allow_merge_if_pipeline_succeeds === true && {
      kind: "required_check",
      name: GitLabChecks.pipelineCheck,
      isOurs: false
    },
    body.merge_trains_enabled === true && { kind: "merge_queue", timeout: 0 },
    Option.isSome(guard) && { kind: "other", name: "protected_branch" },
    body.only_allow_merge_if_all_discussions_are_resolved === true && { kind: "other", name: "resolved_discussions" },
    body.merge_method !== undefined &&
      body.merge_method !== "merge" && { kind: "other", name: `merge_method_${body.merge_method}` }
  ]
  return rules.filter((rule) => rule !== false)
})
