/** The facts in a delivery of a GitHub webhook, in domain types. */
import type { CiRun, Instant, JobTime, PullHead, PullRef, Repository } from "@lazaret/domain"
import type { QueueCommand, QueueEvent } from "@lazaret/queue"
import { Result, Schema, SchemaIssue } from "effect"

/**
 * The facts to record.
 *
 * **Details**
 *
 * - `events`: what happened in the merge queue.
 * - `pulls`: which pull request brought which commit.
 * - `defaultBranch`: the default branch, null where the delivery is not about it.
 * - `configurationFile`: the path of the queue's configuration file if it changed on the default branch. A delivery
 *   holds no file content: a caller with access to the platform reads the file there.
 * - `heads`: commits whose report is wanted: the head of a pull request, or of a check that was requested again.
 * - `pullHeads`: the heads of pull requests, with the repositories that they are in.
 * - `press`: the button of a check that was pressed, its commit, and the account that pressed it.
 * - `completedRun`: the id of a workflow run whose artifacts can be read. `ciRun`: a run that has begun or ended.
 * - `jobTimes`: how long jobs took.
 * - `asked`: what a person asked of the merge queue.
 * - `checked`: a commit, not of a group, with a new status. `change`: another name, owner or state of the repository.
 */
export interface Delivery {
  readonly repository: Repository.RepositoryRef
  readonly events: ReadonlyArray<QueueEvent.QueueEvent>
  readonly pulls: ReadonlyArray<{ readonly commit: string; readonly pull: PullRef.PullRef }>
  readonly defaultBranch: string | null
  readonly configurationFile: string | null
  readonly heads: ReadonlyArray<string>
  readonly pullHeads?: ReadonlyArray<PullHead.PullHead>
  readonly press: { readonly action: string; readonly commit: string; readonly by: string } | null
  readonly completedRun?: string
  readonly ciRun?: Omit<CiRun.CiRun, "at">
  readonly jobTimes?: ReadonlyArray<JobTime.JobTime>
  readonly asked?: Asked
  readonly checked?: string
  readonly change?: { readonly name: string; readonly to: string | null }
}

/** Commands in a comment on a pull request, or labels that were added or removed. `author` opened the pull request. */
export interface Asked {
  readonly number: number
  readonly author: string | null
  readonly by: string
  readonly how:
    | {
        readonly _tag: "Comment"
        readonly id: number
        readonly at: Instant.Instant
        readonly commands: ReadonlyArray<QueueCommand.QueueCommand>
      }
    | { readonly _tag: "Label"; readonly label: string; readonly isAdded: boolean }
    | { readonly _tag: "Labels"; readonly added: ReadonlyArray<string>; readonly removed: ReadonlyArray<string> }
}

/**
 * The reason why a delivery records nothing.
 *
 * **Details**
 *
 * - `ignored`: the delivery is valid and holds no facts that are stored; `reason` is a sentence for its sender.
 * - `malformed`: a payload of a used event does not match GitHub's documentation; every fault has the path of its
 *   field, such as `pull_request.number`, empty for the whole payload.
 */
export type Unusable =
  | { readonly kind: "ignored"; readonly reason: string }
  | { readonly kind: "malformed"; readonly faults: ReadonlyArray<Fault> }

/** A fault of a payload. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** A delivery that was read. */
export type Reading = Result.Result<Delivery, Unusable>

/** A delivery with the given facts only. */
export const make = (repository: Repository.RepositoryRef, given: Partial<Omit<Delivery, "repository">>): Reading =>
  Result.succeed({
    repository,
    events: [],
    pulls: [],
    defaultBranch: null,
    configurationFile: null,
    heads: [],
    press: null,
    ...given
  })

/** A valid delivery without facts to store. */
export const ignored = (reason: string): Result.Result<never, Unusable> => Result.fail({ kind: "ignored", reason })

/** Reads payloads of one schema; any other payload is malformed. */
export const readerOf = <A, I, B>(schema: Schema.Codec<A, I>, read: (payload: A) => Result.Result<B, Unusable>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (payload: unknown): Result.Result<B, Unusable> =>
    Result.match(decode(payload), {
      onFailure: ({ issue }): Result.Result<B, Unusable> => Result.fail({ kind: "malformed", faults: faultsOf(issue) }),
      onSuccess: read
    })
}

/** Reads the deliveries of one schema. */
export const reader = <A, I>(schema: Schema.Codec<A, I>, read: (payload: A) => Reading) => readerOf(schema, read)

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "is required" : SchemaIssue.defaultLeafHook(issue))
})

const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  format(issue).issues.map(({ message, path = [] }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message: message
      .replace(/^Expected /u, "must be ")
      .slice(0, longestMessage)
      .toWellFormed()
  }))

/** A message can quote the value, which can be long. */
const longestMessage = 500
