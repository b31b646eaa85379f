/** The port of the connection to a hosting platform itself: what the platform grants and sends, and how to see it at work. */
import type { Repository } from "@lazaret/domain"
import { Readiness } from "@lazaret/queue"
import { Context, type Effect } from "effect"
import type { ForgeError } from "./Forge.ts"

/**
 * The connection to a platform.
 *
 * **Laws**
 *
 * - `read` does not fail: what the platform does not say is a step that is `unverified`.
 * - `isShown` reads, and does not believe what was written before.
 */
export class PlatformSetup extends Context.Service<
  PlatformSetup,
  {
    /** The name of the platform; null while none is connected. */
    readonly platform: Effect.Effect<"github" | "gitlab" | null>
    /** The answer of the platform about the connection of a repository now. */
    readonly read: (ref: Repository.RepositoryRef) => Effect.Effect<Readiness.Setup>
    /** Drops cached answers about the connection, which the platform has changed. */
    readonly forget: (ref: Repository.RepositoryRef) => Effect.Effect<void>
    /** A commit that takes a check: the newest of the default branch that does. */
    readonly commitOf: (ref: Repository.RepositoryRef) => Effect.Effect<string, ForgeError>
    /** Whether a check with this name is shown on a commit. */
    readonly isShown: (
      ref: Repository.RepositoryRef,
      commit: string,
      name: string
    ) => Effect.Effect<boolean, ForgeError>
  }
>()("@lazaret/services/PlatformSetup") {
  /** The answer where no platform is connected. */
  static readonly none = Readiness.noSetup
}
