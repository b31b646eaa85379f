/**
 * The port of a hosting platform that merges pull requests: what the engine of a merge queue reads, and the writes of a
 * gate.
 *
 * Every read is a snapshot; what follows from it is decided in the domain.
 */
import type { Repository } from "@lazaret/domain"
import type { Observation, Preflight } from "@lazaret/queue"
import { Context, type Effect, type Option } from "effect"
import type { ForgeError } from "../ports/Forge.ts"

/**
 * The removal of a pull request from the platform's own queue, in the platform's words.
 *
 * **Details**
 *
 * - `at`: by the clock of the platform, in milliseconds. It may be before the moment at which anything else of it was read.
 * - `reason`: `manual` also names a push to the head; `other` is any reason that the platform does not say.
 * - `by`: the account that removed it, null for the platform itself where it says so.
 */
export interface Removal {
  readonly at: number
  readonly reason: "ci_failure" | "ci_timeout" | "manual" | "merged" | "conflict" | "other"
  readonly by: string | null
}

/**
 * A pull request as it is now.
 *
 * **Details**
 *
 * - `labels`: their names.
 * - `landed`: the commit on the base branch that holds it, null before it is merged.
 * - `removal`: its last removal from the queue; null: none is known. Platforms record a removal after it happened, so that a
 *   read right after one may yield the removal before it, or null. Lists of pull requests leave it out.
 */
export interface PullSnapshot extends Omit<Observation.Pull, "blockedBy" | "version"> {
  readonly labels: ReadonlyArray<string>
  readonly landed: { readonly sha: string; readonly tree: string } | null
  readonly removal: Removal | null
}

/** An open pull request with the checks of its head, as attempt 1. */
export interface OpenPullSnapshot extends PullSnapshot {
  readonly checks: ReadonlyArray<Observation.Check>
}

/**
 * A pull request in the platform's own queue.
 *
 * **Details**
 *
 * `group` is null until the platform has built the commit that is tested. `isUnmergeable`: the platform says that it cannot merge
 * the entry, for any reason; false without it.
 */
export interface QueueEntry extends Observation.Member {
  readonly isUnmergeable?: boolean
  readonly group: { readonly id: string; readonly tree: string; readonly onto: string } | null
}

/** The check of the queue on a commit. `conclusion` null: it is in progress. */
export interface QueueReport {
  readonly name: string
  readonly sha: string
  readonly conclusion: "success" | "failure" | null
  readonly title: string
  readonly url: string | null
}

/** A rerun of failed checks of a commit; `attempt` is the last one that is known of any of them. */
export interface QueueRerun {
  readonly sha: string
  readonly checks: ReadonlyArray<string>
  readonly attempt: number
}

/**
 * The outcome of a rerun that was asked for.
 *
 * **Details**
 *
 * - `started`: every failed check runs again, or has run since.
 * - `running`: a run with one of them has not ended, and cannot run again before; the others were started.
 * - `none`: nothing that can run again stands behind the checks.
 */
export type RerunOutcome = "started" | "running" | "none"

/** The tip of a branch; `isRewritten` says that a commit which was its tip before is not part of it any more. */
export interface BranchTip {
  readonly sha: string
  readonly tree: string
  readonly isRewritten: boolean
}

/**
 * Acts on the merge queue of the platform that hosts repositories.
 *
 * **Laws**
 *
 * - Each write is idempotent: `setCheck` replaces the check with its name on its commit, `rerun` of checks that
 *   run already, or have run since `attempt`, `enqueue` of what is in the queue and `dequeue` of what is not change nothing.
 * - `enqueue` is refused when the head of the pull request is not the one that is given.
 * - A write that fails as `unavailable` may have had its effect.
 */
export class QueueForge extends Context.Service<
  QueueForge,
  {
    /** The pull request with a number; none when no pull request has it. */
    readonly pull: (
      ref: Repository.RepositoryRef,
      number: number
    ) => Effect.Effect<Option.Option<PullSnapshot>, ForgeError>
    /** The open pull requests onto a branch; the checks of a head that have all ended may be some minutes old. */
    readonly openPulls: (
      ref: Repository.RepositoryRef,
      branch: string
    ) => Effect.Effect<ReadonlyArray<OpenPullSnapshot>, ForgeError>
    /** The latest attempt of every check and status of a commit. */
    readonly checks: (
      ref: Repository.RepositoryRef,
      sha: string
    ) => Effect.Effect<ReadonlyArray<Observation.Check>, ForgeError>
    /** The platform's own queue in its order; none when the branch has none. */
    readonly queue: (
      ref: Repository.RepositoryRef,
      branch: string
    ) => Effect.Effect<Option.Option<ReadonlyArray<QueueEntry>>, ForgeError>
    /** The tip of a branch, compared with its tip at an earlier time; none when the branch does not exist. */
    readonly tip: (
      ref: Repository.RepositoryRef,
      branch: string,
      known: string | null
    ) => Effect.Effect<Option.Option<BranchTip>, ForgeError>
    /** The rules of the repository for a branch. */
    readonly rules: (
      ref: Repository.RepositoryRef,
      branch: string
    ) => Effect.Effect<ReadonlyArray<Preflight.BranchRule>, ForgeError>
    /** The permission that an account has for the repository now; `none` also for one that does not exist. */
    readonly permission: (
      ref: Repository.RepositoryRef,
      account: string
    ) => Effect.Effect<"none" | "read" | "write", ForgeError>
    /**
     * The moment, in milliseconds, from which reads that no news asks for leave most of the platform's limits to others; 0
     * when nothing is known about a limit.
     */
    readonly sweepAt: (ref: Repository.RepositoryRef) => Effect.Effect<number>
    /** Sets the check of the queue on a commit. */
    readonly setCheck: (ref: Repository.RepositoryRef, report: QueueReport) => Effect.Effect<void, ForgeError>
    /** Whether a run of CI on a commit has not ended: it may bring checks that the commit does not have yet. */
    readonly runsInProgress: (ref: Repository.RepositoryRef, sha: string) => Effect.Effect<boolean, ForgeError>
    /** Runs the failed jobs behind the given checks of a commit again, unless all of the checks have. */
    readonly rerun: (ref: Repository.RepositoryRef, rerun: QueueRerun) => Effect.Effect<RerunOutcome, ForgeError>
    /** Cancels the runs of a commit. */
    readonly cancel: (ref: Repository.RepositoryRef, sha: string) => Effect.Effect<void, ForgeError>
    /** Cancels the runs that the given checks of a commit are in; false when no run is known for them. */
    readonly cancelChecks: (
      ref: Repository.RepositoryRef,
      sha: string,
      checks: ReadonlyArray<string>
    ) => Effect.Effect<boolean, ForgeError>
    /** Puts a pull request into the platform's own queue. */
    readonly enqueue: (ref: Repository.RepositoryRef, member: Observation.Member) => Effect.Effect<void, ForgeError>
    /** Takes a pull request out of the platform's own queue. */
    readonly dequeue: (ref: Repository.RepositoryRef, number: number) => Effect.Effect<void, ForgeError>
  }
>()("@lazaret/services/QueueForge") {}
