/** The port of a scratch repository: what a certification needs next to `DriveForge` to make pull requests of its own. */
import type { Repository } from "@lazaret/domain"
import { Context, type Effect } from "effect"
import type { ForgeError } from "../ports/Forge.ts"

/** A commit to make: these files next to those of its parent, or in their place. */
export interface ScratchCommit {
  readonly parent: string
  readonly files: Readonly<Record<string, string>>
  readonly message: string
}

/** Makes commits and pull requests. */
export class ScratchForge extends Context.Service<
  ScratchForge,
  {
    /** The commit at the tip of the default branch. */
    readonly first: (ref: Repository.RepositoryRef) => Effect.Effect<string, ForgeError>
    /** Makes a commit, and yields its name. No branch has it yet. */
    readonly commit: (ref: Repository.RepositoryRef, made: ScratchCommit) => Effect.Effect<string, ForgeError>
    /** Opens a pull request from one branch onto another, and yields its number. */
    readonly openPull: (
      ref: Repository.RepositoryRef,
      pull: { readonly from: string; readonly onto: string; readonly title: string }
    ) => Effect.Effect<number, ForgeError>
  }
>()("@lazaret/services/ScratchForge") {}
