/**
 * The port of the hosting platform: the permissions of a token, the pull request of a commit, and the content of a
 * file.
 */
import type { PullRef, Repository } from "@lazaret/domain"
import { Context, Effect, Layer, Option } from "effect"

/** The rights of a token of the hosting platform on a repository. */
export type Permission = "none" | "read" | "write"

/**
 * Asks the platform that hosts the repository.
 *
 * No method fails: when the platform is unavailable, there are no permissions, no pull request and no file.
 */
export class HostingPlatform extends Context.Service<
  HostingPlatform,
  {
    /** Whether a platform is connected now. Without one the other methods answer as for what does not exist. */
    readonly isConnected: Effect.Effect<boolean>
    /** The permissions of a token for a repository. */
    readonly permission: (token: string, ref: Repository.RepositoryRef) => Effect.Effect<Permission>
    /** The merged pull request that brought a commit. */
    readonly pullOf: (ref: Repository.RepositoryRef, commit: string) => Effect.Effect<Option.Option<PullRef.PullRef>>
    /** The current text of a file on the default branch; none when it is missing or access is denied. */
    readonly file: (ref: Repository.RepositoryRef, path: string) => Effect.Effect<Option.Option<string>>
  }
>()("@lazaret/services/HostingPlatform") {
  /** No platform is configured: no token is known, no commit is traced, no file is read. */
  static readonly layerOff = Layer.succeed(HostingPlatform, {
    isConnected: Effect.succeed(false),
    permission: () => Effect.succeed("none"),
    pullOf: () => Effect.succeed(Option.none()),
    file: () => Effect.succeed(Option.none())
  })
}
