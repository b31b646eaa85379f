/**
 * Which pull request brought which commit.
 *
 * @since 0.1.0
 */
import type { PullRef, Repository } from "@lazaret/domain"
import { RepositoryStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"

/**
 * Traces commits to merged pull requests.
 *
 * @category services
 * @since 0.1.0
 */
export class PullRequests extends Context.Service<
  PullRequests,
  {
    /** The pull requests of these commits; a commit that cannot be traced is absent. */
    readonly ofCommits: (
      ref: Repository.RepositoryRef,
      commits: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, PullRef.PullRef>, StoreError>
  }
>()("@lazaret/services/PullRequests") {
  /**
   * Knows the facts that are stored.
   *
   * @category layers
   * @since 0.1.0
   */
  static readonly layer = Layer.effect(
    PullRequests,
    Effect.map(RepositoryStore, (repositories) =>
      PullRequests.of({
        ofCommits: (ref, commits) =>
          commits.length === 0 ? Effect.succeed(new Map()) : repositories.pulls(ref, [...new Set(commits)])
      })
    )
  )
}
