/**
 * The port of the hosting platform: what a token may do there, which pull request brought a commit, and what is in a
 * file.
 */
import type { PullRef, Repository } from "@lazaret/domain"
import { Context, Effect, Layer, Option } from "effect"

/** What a token of the hosting platform may do with a repository. */
export type Permission = "none" | "read" | "write"

/**
 * Asks the platform that hosts the repository.
 *
 * No question fails: a platform that cannot be asked grants nothing, and knows no pull request and no file.
 */
export class HostingPlatform extends Context.Service<
  HostingPlatform,
  {
    /** What a token may do with a repository. */
    readonly permission: (token: string, ref: Repository.RepositoryRef) => Effect.Effect<Permission>
    /** The merged pull request that brought a commit. */
    readonly pullOf: (ref: Repository.RepositoryRef, commit: string) => Effect.Effect<Option.Option<PullRef.PullRef>>
    /** The text of a file as it is on the default branch now; none when it is not there or may not be read. */
    readonly file: (ref: Repository.RepositoryRef, path: string) => Effect.Effect<Option.Option<string>>
  }
>()("@lazaret/services/HostingPlatform") {
  /** No platform is configured: no token is known, no commit is traced, no file is read. */
  static readonly layerOff = Layer.succeed(HostingPlatform, {
    permission: () => Effect.succeed("none"),
    pullOf: () => Effect.succeed(Option.none()),
    file: () => Effect.succeed(Option.none())
  })
}
