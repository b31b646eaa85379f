/** The version of everything that answers about a repository are made from. */
import type { Repository } from "@lazaret/domain"
import { RepositoryStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Option } from "effect"
import { HostingPlatform } from "../ports/HostingPlatform.ts"

/**
 * Reads the version of a repository from the store, and whether a hosting platform is connected.
 *
 * **Laws**
 *
 * While the version stays, an answer with a `Lifetime` holds for that lifetime, whichever server gives it.
 */
export class AnswerVersion extends Context.Service<
  AnswerVersion,
  {
    /** The version now, none for a repository that does not exist. */
    readonly of: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<string>, StoreError>
  }
>()("@lazaret/services/AnswerVersion") {
  /** The version over the storage port. */
  static readonly layer = Layer.effect(
    AnswerVersion,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const { isConnected } = yield* HostingPlatform
      return AnswerVersion.of({
        of: (ref) =>
          Effect.zipWith(repositories.version(ref), isConnected, (version, connected) =>
            Option.map(version, (each) => (connected ? `${each}.connected` : each))
          )
      })
    })
  )
}
