/** The writes that create a repository. */
import type { Repository } from "@lazaret/domain"
import type { RepositoryStore, StoreError } from "@lazaret/store"
import { Context, Effect, Option } from "effect"

/**
 * The writes that create a repository that does not exist: `writes`, every accepted write; `uploads`, test reports alone, so
 * that a misspelt name in another write creates nothing.
 */
export const RepositoryCreation: Context.Reference<"writes" | "uploads"> = Context.Reference<"writes" | "uploads">(
  "@lazaret/services/RepositoryCreation",
  { defaultValue: () => "writes" }
)

/** Whether a write that is not an upload may go to a repository. */
export const admits =
  (repositories: RepositoryStore["Service"], creation: "writes" | "uploads") =>
  (ref: Repository.RepositoryRef): Effect.Effect<boolean, StoreError> =>
    creation === "writes" ? Effect.succeed(true) : Effect.map(repositories.get(ref), Option.isSome)
