/**
 * The port of a hosting platform at which a merge queue is driven: the commits and branches that it makes, and what lands.
 *
 * Where a platform has no such port, a queue is driven in the shadow alone.
 */
import type { Repository } from "@lazaret/domain"
import type { CommitMessage, EngineCommand, Observation } from "@lazaret/queue"
import { Context, type Effect, type Option } from "effect"
import type { ForgeError } from "../ports/Forge.ts"

/** A member of a batch, and the message of the commit that is made for it. */
export interface BuildMember extends Observation.Member {
  readonly message: CommitMessage.Message
}

/**
 * A batch to build.
 *
 * **Details**
 *
 * - `scratch`: a branch of its own for the time of the build. `onto`: the commit under the first member.
 * - `squash`: one commit per member, else one merge commit per member.
 * - `inPlace`: a head that descends from `onto` is the step itself.
 */
export interface Build {
  readonly scratch: string
  readonly onto: string
  readonly members: ReadonlyArray<BuildMember>
  readonly squash: boolean
  readonly inPlace: boolean
}

/** A built batch, in the words of `EngineCommand.Answer`. */
export type Built = Omit<Extract<EngineCommand.Answer, { readonly kind: "built" }>, "kind">

/** A branch and its commit. */
export interface NamedBranch {
  readonly name: string
  readonly sha: string
}

/** A pull request to merge at its head; `title` and `body` are those of the commit, null for the platform's own. */
export interface Merge extends Observation.Member {
  readonly method: "merge" | "squash" | "rebase"
  readonly message: CommitMessage.Message | null
}

/**
 * The outcome of a landing.
 *
 * **Details**
 *
 * `moved`: the branch, or the head of the pull request, is not where it was expected. `refused`: the platform forbids it, in its
 * own words.
 */
export type Landed =
  | { readonly kind: "landed"; readonly sha: string; readonly tree: string }
  | { readonly kind: "moved"; readonly what: "base" | "head" }
  | { readonly kind: "refused"; readonly detail: string }

/**
 * Makes, publishes and lands the batches of a merge queue.
 *
 * **Laws**
 *
 * - *Repeatable.* Each write may be repeated after an unknown outcome: `publish` of what is published, `discard` of what is gone,
 *   `land` of what has landed and `merge` of what is merged at this head change nothing, and answer as the first time.
 * - *Compare-and-set.* `publish` never moves a branch that points elsewhere; `land` moves a branch only from `from`, and never drops a
 *   commit. `merge` is of the head that is named.
 * - `build` leaves no branch behind, and writes to none that people use.
 */
export class DriveForge extends Context.Service<
  DriveForge,
  {
    /** The name of the platform's host, such as `github.com`; null while the platform that is connected cannot be driven. */
    readonly host: Effect.Effect<string | null>
    /** The facts that the message of a commit is made of; none when the pull request does not exist. */
    readonly describe: (
      ref: Repository.RepositoryRef,
      number: number
    ) => Effect.Effect<Option.Option<CommitMessage.Facts>, ForgeError>
    /** Merges the members in order, leaving out those that conflict; none when `onto` or a head does not exist. */
    readonly build: (ref: Repository.RepositoryRef, build: Build) => Effect.Effect<Option.Option<Built>, ForgeError>
    /** Creates a branch at a commit; `false` when a branch of this name is elsewhere. */
    readonly publish: (ref: Repository.RepositoryRef, branch: NamedBranch) => Effect.Effect<boolean, ForgeError>
    /** The branches whose name begins with a prefix. */
    readonly branches: (
      ref: Repository.RepositoryRef,
      prefix: string
    ) => Effect.Effect<ReadonlyArray<NamedBranch>, ForgeError>
    /** Cancels the runs of a branch and removes it. */
    readonly discard: (ref: Repository.RepositoryRef, branch: string) => Effect.Effect<void, ForgeError>
    /** Moves a branch from a commit to a descendant of it. */
    readonly land: (
      ref: Repository.RepositoryRef,
      move: { readonly branch: string; readonly from: string; readonly to: string }
    ) => Effect.Effect<Landed, ForgeError>
    /** Merges a pull request. */
    readonly merge: (ref: Repository.RepositoryRef, merge: Merge) => Effect.Effect<Landed, ForgeError>
    /** Closes a pull request. */
    readonly close: (ref: Repository.RepositoryRef, number: number) => Effect.Effect<void, ForgeError>
  }
>()("@lazaret/services/DriveForge") {}
