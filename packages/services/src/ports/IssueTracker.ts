/** The port of an issue tracker: the few primitives that issues of tests need. The rules are those of the use case. */
import type { Instant, Repository } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { ForgeError } from "./Forge.ts"

/**
 * An issue that this service wrote.
 *
 * **Details**
 *
 * - `id`: its name in the tracker, such as `12`.
 * - `closedAt`: null while it is open.
 * - `closedBy`: the account that closed it; null while it is open, and where the tracker does not say.
 */
export interface TrackedIssue {
  readonly id: string
  readonly url: string
  readonly body: string
  readonly isOpen: boolean
  readonly closedAt: Instant.Instant | null
  readonly closedBy: { readonly name: string; readonly isOurs: boolean } | null
}

/** A new issue. Accounts that cannot be assigned are left out. */
export interface IssueDraft {
  readonly title: string
  readonly body: string
  readonly labels: ReadonlyArray<string>
  readonly assignees: ReadonlyArray<string>
}

/** A change of an issue; `reason` says whether a closed one is done. Members that are absent stay. */
export interface IssueEdit {
  readonly title?: string
  readonly body?: string
  readonly state?: "open" | "closed"
  readonly reason?: "completed" | "not_planned"
}

/**
 * Writes issues in the tracker of a repository.
 *
 * **Laws**
 *
 * - `list` yields the issues that this service wrote and whose text begins with the marker, those that changed last first;
 *   issues of other authors are left out. `isWhole` says whether the list is complete.
 * - A write that fails as `unavailable` may have had its effect. Callers read before they repeat it.
 * - Nobody who cannot be assigned keeps an issue from being written.
 */
export class IssueTracker extends Context.Service<
  IssueTracker,
  {
    /** The issues of this service; `closedBy` may be missing. */
    readonly list: (
      ref: Repository.RepositoryRef,
      marker: string
    ) => Effect.Effect<{ readonly issues: ReadonlyArray<TrackedIssue>; readonly isWhole: boolean }, ForgeError>
    /** One issue; none when it was deleted, or moved to another repository. */
    readonly get: (ref: Repository.RepositoryRef, id: string) => Effect.Effect<Option.Option<TrackedIssue>, ForgeError>
    /** Writes an issue. */
    readonly create: (ref: Repository.RepositoryRef, draft: IssueDraft) => Effect.Effect<TrackedIssue, ForgeError>
    /** Changes an issue, and yields whether it exists. */
    readonly edit: (ref: Repository.RepositoryRef, id: string, edit: IssueEdit) => Effect.Effect<boolean, ForgeError>
  }
>()("@lazaret/services/IssueTracker") {}

/** Knows when commits were made. */
export interface CommitTimes {
  /** The instant of a commit; none for one that the platform does not know. */
  readonly of: (
    ref: Repository.RepositoryRef,
    commit: string
  ) => Effect.Effect<Option.Option<Instant.Instant>, ForgeError>
}

/** The times of commits; null without a platform that shows them. */
export const CommitTimes = Context.Reference<CommitTimes | null>("@lazaret/services/CommitTimes", {
  defaultValue: () => null
})
