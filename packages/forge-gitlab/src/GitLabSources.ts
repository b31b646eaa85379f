/** The projects that merge requests come from. */
import type { Repository } from "@lazaret/domain"
import type { ForgeError } from "@lazaret/services"
import { Effect, Schema } from "effect"
import type * as GitLabClient from "./GitLabClient.ts"

/** The fields of a merge request that name its projects. */
export const fields = { source_project_id: Schema.NullOr(Schema.Int), target_project_id: Schema.Int }

/** A merge request with these fields. */
export type MergeRequest = Schema.Struct.Type<typeof fields>

const Project = Schema.Struct({ path_with_namespace: Schema.String })

/**
 * The namespace of the source project, such as `ada` or `acme/platform`, and whether it is a fork. Null for a fork that was deleted,
 * or that the token of the server may not see.
 */
export const of = (
  client: GitLabClient.GitLabClient,
  ref: Repository.RepositoryRef,
  { source_project_id: from, target_project_id: to }: MergeRequest
): Effect.Effect<{ readonly owner: string; readonly isFork: boolean } | null, ForgeError> => {
  if (from === to) return Effect.succeed({ owner: ref.owner, isFork: false })
  if (from === null) return Effect.succeed(null)
  return client.ask("source", ref, { path: "", project: from }, Project).pipe(
    Effect.map(({ body: { path_with_namespace: path } }) => ({
      owner: path.slice(0, path.lastIndexOf("/")),
      isFork: true
    })),
    Effect.catchIf(
      ({ reason }) => reason === "refused" || reason === "not_installed",
      () => Effect.succeed(null)
    )
  )
}
