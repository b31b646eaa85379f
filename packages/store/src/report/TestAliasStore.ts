/** The port of aliases of tests. */
import type { Instant, Repository, TestAlias } from "@lazaret/domain"
import { Context, type Effect, type Result } from "effect"
import type { StoreError } from "../StoreError.ts"

/** An alias to make; its id is used where none like it holds. */
export interface NewAlias {
  readonly id: string
  readonly link: TestAlias.Link
}

/** The author of a change of aliases, and its instant. */
export interface AliasChange {
  readonly by: string
  readonly at: Instant.Instant
}

/**
 * The port of aliases of tests.
 *
 * **Laws**
 *
 * - *As from the beginning.* While an alias holds, every answer is that of a repository whose reports had the names that stand for
 *   theirs (`TestAlias.applied`) from the beginning, whether they were recorded before the alias or after it.
 * - *Both ids.* A question that names a test by the id of a stored name is answered with the test that stands for it.
 * - *Undone.* A revoked alias is as if it had never been made. Its row is kept with who and when.
 * - *Idempotent.* To add an alias that holds, or to revoke one that does not, changes nothing.
 * - These hold as long as nothing is dropped (`RetentionStore`): see `Driver.regroup`.
 */
export class TestAliasStore extends Context.Service<
  TestAliasStore,
  {
    /**
     * Makes aliases, all or none, and yields those that hold now, in the order given; the first refusal when one cannot hold
     * (`TestAlias.added`).
     */
    readonly add: (
      ref: Repository.RepositoryRef,
      aliases: ReadonlyArray<NewAlias>,
      change: AliasChange
    ) => Effect.Effect<Result.Result<ReadonlyArray<TestAlias.TestAlias>, TestAlias.Refusal>, StoreError>
    /** Revokes those of the aliases that hold, and yields them. */
    readonly revoke: (
      ref: Repository.RepositoryRef,
      ids: ReadonlyArray<string>,
      change: AliasChange
    ) => Effect.Effect<ReadonlyArray<TestAlias.TestAlias>, StoreError>
    /** The aliases, revoked ones included, by creation time, then id. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<TestAlias.TestAlias>, StoreError>
    /** The name that stands for a stored name, by the aliases that hold now. */
    readonly names: (ref: Repository.RepositoryRef) => Effect.Effect<TestAlias.Resolve, StoreError>
  }
>()("@lazaret/store/TestAliasStore") {}
