/** The port of uploaded CODEOWNERS: of repositories without a hosting platform that shows theirs. */
import type { CodeOwners, Instant, Repository } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/** An uploaded CODEOWNERS, with the instant of its upload and the name of its uploader. */
export interface OwnersFile {
  readonly text: string
  readonly dialect: CodeOwners.Dialect
  readonly uploadedAt: Instant.Instant
  readonly uploadedBy: string
}

/** Keeps one uploaded CODEOWNERS per repository. */
export class OwnersStore extends Context.Service<
  OwnersStore,
  {
    /** The uploaded file. */
    readonly get: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<OwnersFile>, StoreError>
    /** Replaces the file. Creates the repository. */
    readonly put: (ref: Repository.RepositoryRef, file: OwnersFile) => Effect.Effect<void, StoreError>
    /** Removes the file, and yields whether there was one. */
    readonly remove: (ref: Repository.RepositoryRef) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/OwnersStore") {}
