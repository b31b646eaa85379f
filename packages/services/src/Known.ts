/** What must be known before anything can be said of it. */
import type { Repository } from "@lazaret/domain"
import type { RepositoryStore, StoreError } from "@lazaret/store"
import { Effect, Option } from "effect"
import { NotFound } from "./ServiceError.ts"

/** What was found, else the error that says what to do. */
export const orNotFound =
  (resource: NotFound["resource"], message: string) =>
  <A>(found: Option.Option<A>): Effect.Effect<A, NotFound> =>
    Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new NotFound({ resource, message }))

/** The repository, not found when nothing has ever been written for it. */
export const repository =
  (repositories: RepositoryStore["Service"]) =>
  (ref: Repository.RepositoryRef): Effect.Effect<Repository.Repository, NotFound | StoreError> =>
    Effect.flatMap(
      repositories.get(ref),
      orNotFound(
        "repository",
        `Nothing is known of the repository ${ref.owner}/${ref.repository}. Upload a test report for it first, or send events of its merge queue.`
      )
    )
