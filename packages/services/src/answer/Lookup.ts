/** Lookups whose absence is an error of the use case. */
import type { Repository } from "@lazaret/domain"
import type { RepositoryStore, StoreError } from "@lazaret/store"
import { Effect, Option } from "effect"
import { RepositoryNotFound, TestNotFound } from "./ServiceError.ts"

/** The found value, else the error. */
export const orFail =
  <E>(error: () => E) =>
  <A>(found: Option.Option<A>): Effect.Effect<A, E> =>
    Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(error())

/** The found value of a test, else `TestNotFound`. */
export const orNoTest = ({ owner, repository }: Repository.RepositoryRef, testId: string) =>
  orFail(() => new TestNotFound({ owner, repository, testId }))

/** The repository, else `RepositoryNotFound`. */
export const repository =
  (repositories: RepositoryStore["Service"]) =>
  (ref: Repository.RepositoryRef): Effect.Effect<Repository.Repository, RepositoryNotFound | StoreError> =>
    Effect.flatMap(
      repositories.get(ref),
      orFail(() => new RepositoryNotFound({ owner: ref.owner, repository: ref.repository }))
    )
