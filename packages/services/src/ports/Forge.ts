/**
 * The port of a hosting platform that the service acts on: reports on commits, notes on pull requests, reruns.
 *
 * The methods are few and plain: what follows from them (one note per pull request, when to publish) is decided once, in
 * the use cases.
 */
import type { Repository } from "@lazaret/domain"
import { Context, Effect, Schema } from "effect"

/**
 * Why a platform did not do what it was asked for.
 *
 * **Details**
 *
 * - `unavailable`: no answer in time, or one of failure: the request may have had its effect. A repetition may succeed.
 * - `rate_limited`: too many requests; none before `retryAt`.
 * - `not_installed`: the app is not installed for the repository.
 * - `refused`: missing permission, or something that does not exist. A repetition is in vain.
 */
export const ForgeReason = Schema.Literals(["unavailable", "rate_limited", "not_installed", "refused"])

/**
 * A request to a hosting platform failed.
 *
 * **Details**
 *
 * - `status`: the status of the platform's answer, null without one. Adapters compare it; use cases read `reason`.
 * - `message`: a sentence for the log, without credentials.
 *
 * **To do:** Decide by `reason`; try again at `retryAt` where it is given. A request may have taken effect although its answer was lost.
 */
export class ForgeError extends Schema.TaggedError<ForgeError>()("ForgeError", {
  operation: Schema.String,
  owner: Schema.String,
  repository: Schema.String,
  reason: ForgeReason,
  retryAt: Schema.NullOr(Schema.Finite),
  status: Schema.NullOr(Schema.Int).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  message: Schema.String
}) {}

/** An annotation of a report at a place of the source; `line` counts from 1. */
export interface Annotation {
  readonly path: string
  readonly line: number
  readonly level: "failure" | "warning" | "notice"
  readonly title: string
  readonly message: string
}

/** A button on a report. A press arrives as a delivery that names `id`. */
export interface ReportAction {
  readonly id: string
  readonly label: string
  readonly description: string
}

/**
 * A report on a commit.
 *
 * **Details**
 *
 * - `conclusion`: null while jobs are still running.
 * - `title`: one sentence. `summary`: Markdown.
 * - `annotations`: the most important first; a platform shows as many as it can.
 * - `url`: the page with more.
 */
export interface CommitReport {
  readonly name: string
  readonly commit: string
  readonly conclusion: "success" | "neutral" | "failure" | null
  readonly title: string
  readonly summary: string
  readonly annotations: ReadonlyArray<Annotation>
  readonly actions: ReadonlyArray<ReportAction>
  readonly url: string | null
}

/**
 * An open pull request.
 *
 * `source` is the repository of its head: its owner, and whether it is a fork; null when it was deleted, or was not asked for.
 */
export interface OpenPull {
  readonly number: number
  readonly head: string
  readonly base: string
  readonly source: { readonly owner: string; readonly isFork: boolean } | null
}

/** A note of ours on a pull request. */
export interface Note {
  readonly id: number
  readonly body: string
}

/** The description of a repository by the platform. */
export interface ForgeRepository {
  readonly defaultBranch: string
}

/**
 * Acts on the platform that hosts repositories.
 *
 * **Laws**
 *
 * - `publish` is idempotent: the same report again changes nothing that people see. A report replaces the earlier ones with
 *   its name on its commit.
 * - `notes` are those that this service wrote and that begin with the marker, oldest first.
 * - A write that fails as `unavailable` may have had its effect. Callers read before they repeat it.
 * - `editNote` and `removeNote` of a note that does not exist succeed and change nothing.
 * - `rerunFailedJobs` yields how many runs of the commit start again, or run already.
 */
export class Forge extends Context.Service<
  Forge,
  {
    /** A repository, as the platform knows it. */
    readonly repository: (ref: Repository.RepositoryRef) => Effect.Effect<ForgeRepository, ForgeError>
    /** The open pull requests with this head commit, each with its source. */
    readonly pullsAt: (
      ref: Repository.RepositoryRef,
      commit: string
    ) => Effect.Effect<ReadonlyArray<OpenPull>, ForgeError>
    /** The open pull requests, those that changed last first, at most 100. */
    readonly openPulls: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<OpenPull>, ForgeError>
    /** Publishes a report on a commit. */
    readonly publish: (ref: Repository.RepositoryRef, report: CommitReport) => Effect.Effect<void, ForgeError>
    /** Our notes on a pull request that begin with a marker. */
    readonly notes: (
      ref: Repository.RepositoryRef,
      pull: number,
      marker: string
    ) => Effect.Effect<ReadonlyArray<Note>, ForgeError>
    /** Writes a note on a pull request. */
    readonly createNote: (ref: Repository.RepositoryRef, pull: number, body: string) => Effect.Effect<void, ForgeError>
    /** Replaces the text of a note. */
    readonly editNote: (ref: Repository.RepositoryRef, pull: number, note: Note) => Effect.Effect<void, ForgeError>
    /** Removes a note. */
    readonly removeNote: (ref: Repository.RepositoryRef, pull: number, id: number) => Effect.Effect<void, ForgeError>
    /** Runs the failed jobs of a commit again. */
    readonly rerunFailedJobs: (ref: Repository.RepositoryRef, commit: string) => Effect.Effect<number, ForgeError>
  }
>()("@lazaret/services/Forge") {}
