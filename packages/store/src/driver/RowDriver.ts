/** The part of a driver that keeps plain rows: all that an engine needs to add to `MemoryFacts` to be a driver. */
import type { Repository } from "@lazaret/domain"
import type { Effect } from "effect"
import type { Driver } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"

/** The operations of a driver on plain rows. */
export interface RowDriver extends Pick<Driver["Service"], "read" | "snapshot" | "transact" | "scan"> {
  /** Writes the settings of a repository, and yields it. Runs inside of a transaction of the repository. */
  readonly setSettings: (
    ref: Repository.RepositoryRef,
    settings: Repository.RepositorySettings
  ) => Effect.Effect<Repository.Repository, StoreError>
  /**
   * Deletes a repository with its rows and its log, and yields whether it existed. `also` runs in the same transaction, when
   * it existed.
   */
  readonly erase: (
    operation: string,
    ref: Repository.RepositoryRef,
    also: Effect.Effect<void, StoreError>
  ) => Effect.Effect<boolean, StoreError>
}
