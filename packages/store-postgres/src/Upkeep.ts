/**
 * What people do to a repository as a whole when they do not trust what is stored.
 *
 * @since 0.1.0
 */
import type { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Option } from "effect"
import * as Head from "./append/Head.ts"
import * as Session from "./append/Session.ts"
import { PostgresClient } from "./PostgresClient.ts"
import * as Recalculation from "./Recalculation.ts"
import * as Snapshot from "./reading/Snapshot.ts"
import { RepositoryDirectory } from "./RepositoryDirectory.ts"
import * as Verification from "./Verification.ts"

/**
 * Computes anew, and compares.
 *
 * **Details**
 *
 * - `refold` computes everything of a repository from its kept executions, while uploads to it wait; false when nothing
 *   is known of the repository.
 * - `verify` computes the same without writing it, and yields every difference; none when there is nothing to compare.
 *
 * @category services
 * @since 0.1.0
 */
export class Upkeep extends Context.Service<
  Upkeep,
  {
    readonly refold: (ref: Repository.RepositoryRef) => Effect.Effect<boolean, StoreError>
    readonly verify: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<Verification.Difference>, StoreError>
  }
>()("@lazaret/store-postgres/Upkeep") {
  /**
   * Upkeep over a client and its directory of repositories.
   *
   * @category layers
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<Upkeep, never, PostgresClient | RepositoryDirectory> = Layer.effect(
    Upkeep,
    Effect.gen(function* () {
      const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
      return Upkeep.of({
        refold: (ref) => refold(reader, ref),
        verify: (ref) =>
          Snapshot.ofRepository<ReadonlyArray<Verification.Difference>>(
            reader,
            "Upkeep.verify",
            ref,
            [],
            (repositoryId) =>
              Effect.andThen(
                withoutLimit(reader.client.sql),
                Verification.verify({ sql: reader.client.sql, repositoryId })
              )
          )
      })
    })
  )
}

const refold = ({ client: { sql, transaction }, directory }: Snapshot.Reader, ref: Repository.RepositoryRef) =>
  transaction(
    "Upkeep.refold",
    Effect.gen(function* () {
      const repositoryId = yield* directory.find(ref)
      if (Option.isNone(repositoryId)) return false
      const session = yield* Session.open(sql, repositoryId.value)
      yield* Recalculation.all(session)
      yield* Head.save(sql, repositoryId.value, session.head)
      return true
    })
  )

const withoutLimit = (sql: Session.Sql) => sql`SET LOCAL statement_timeout = 0`
