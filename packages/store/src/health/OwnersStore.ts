/** The port of uploaded CODEOWNERS, and its rules over a driver: of repositories without a hosting platform that shows theirs. */
import type { CodeOwners, Instant, Repository } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { ownersFiles } from "../Rows.ts"

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
>()("@lazaret/store/OwnersStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): OwnersStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): OwnersStore["Service"] =>
  OwnersStore.of({
    get: (ref) =>
      driver.read("OwnersStore.get", ref, (view) =>
        Effect.map(view.select(ownersFiles, { where: [], order: [] }), ([row]) => Option.fromUndefinedOr(row))
      ),
    put: (ref, file) =>
      driver.transact("OwnersStore.put", ref, file.uploadedAt, (transaction) => transaction.put(ownersFiles, [file])),
    remove: (ref) =>
      driver.transact("OwnersStore.remove", ref, null, (transaction) =>
        Effect.map(transaction.remove(ownersFiles, []), (removed) => removed > 0)
      )
  })
