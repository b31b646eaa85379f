/**
 * The port of the hosting platform: what a token may do there, and which pull request brought a commit.
 *
 * @since 0.1.0
 */
import type { PullRef, Repository } from "@lazaret/domain"
import { Context, Effect, Layer, Option } from "effect"

/**
 * What a token of the hosting platform may do with a repository.
 *
 * @category models
 * @since 0.1.0
 */
export type Permission = "none" | "read" | "write"

/**
 * Asks the platform that hosts the repository.
 *
 * Neither question fails: a platform that cannot be asked grants nothing and knows no pull request.
 *
 * @category ports
 * @since 0.1.0
 */
export class HostingPlatform extends Context.Service<
  HostingPlatform,
  {
    /** What a token may do with a repository. */
    readonly permission: (token: string, ref: Repository.RepositoryRef) => Effect.Effect<Permission>
    /** The merged pull request that brought a commit. */
    readonly pullOf: (ref: Repository.RepositoryRef, commit: string) => Effect.Effect<Option.Option<PullRef.PullRef>>
  }
>()("@lazaret/services/HostingPlatform") {
  /**
   * No platform is configured: no token is known, no commit is traced.
   *
   * @category layers
   * @since 0.1.0
   */
  static readonly layerOff = Layer.succeed(HostingPlatform, {
    permission: () => Effect.succeed("none"),
    pullOf: () => Effect.succeed(Option.none())
  })
}
