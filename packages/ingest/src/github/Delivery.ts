/** What a delivery of a GitHub webhook says, in the words of the domain. */
import type { PullRef, QueueEvent, Repository } from "@lazaret/domain"
import { Result, Schema, SchemaIssue } from "effect"

/**
 * What is to be recorded.
 *
 * **Details**
 *
 * - `events`: what happened in the merge queue.
 * - `pulls`: which pull request brought which commit.
 * - `defaultBranch`: the default branch, null where the delivery is not about it.
 * - `configurationFile`: the path of the queue's configuration file if it changed on the default branch. A delivery
 *   holds no content of files: who has access to the platform reads it there.
 */
export interface Delivery {
  readonly repository: Repository.RepositoryRef
  readonly events: ReadonlyArray<QueueEvent.QueueEvent>
  readonly pulls: ReadonlyArray<{ readonly commit: string; readonly pull: PullRef.PullRef }>
  readonly defaultBranch: string | null
  readonly configurationFile: string | null
}

/**
 * Why there is nothing to record.
 *
 * **Details**
 *
 * - `ignored`: the delivery is right and says nothing that is kept here; `reason` is a sentence for its sender.
 * - `malformed`: a payload that should be understood is not as GitHub documents it; every fault has the path of its
 *   field, such as `pull_request.number`, empty for the whole payload.
 */
export type Refusal =
  | { readonly kind: "ignored"; readonly reason: string }
  | { readonly kind: "malformed"; readonly faults: ReadonlyArray<Fault> }

/** A fault of a payload. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** A delivery that was read. */
export type Reading = Result.Result<Delivery, Refusal>

/** A delivery that says nothing but what is given. */
export const make = (repository: Repository.RepositoryRef, given: Partial<Omit<Delivery, "repository">>): Reading =>
  Result.succeed({ repository, events: [], pulls: [], defaultBranch: null, configurationFile: null, ...given })

/** A delivery that is right and says nothing that is kept here. */
export const ignored = (reason: string): Result.Result<never, Refusal> => Result.fail({ kind: "ignored", reason })

/** Reads payloads of one schema; one that does not fit is malformed. */
export const reader = <A, I>(schema: Schema.Codec<A, I>, read: (payload: A) => Reading) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (payload: unknown): Reading =>
    Result.match(decode(payload), {
      onFailure: ({ issue }): Reading => Result.fail({ kind: "malformed", faults: faultsOf(issue) }),
      onSuccess: read
    })
}

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
