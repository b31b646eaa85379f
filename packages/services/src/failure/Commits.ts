/** The use cases that find a commit or a pull request: the ways to its failures. */
import { CommitSummary, Instant, type PullRef, type Repository, TestSort } from "@lazaret/domain"
import { RepositoryStore, type StoreError, TriageStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import type { Invalid, RepositoryNotFound } from "../answer/ServiceError.ts"

/**
 * The commits to list.
 *
 * **Details**
 *
 * - `kind`: every commit, or the latest commit of each pull request.
 * - `isFailing`: only those with a failed job, only those without, or all for null.
 * - `search`: a part of branch or title in any case, the beginning of a hash, a run id, or a number with or without `#`;
 *   empty finds all.
 */
export interface CommitsRequest extends Listing.PageRequest {
  readonly kind: "commits" | "pull_requests"
  readonly isFailing: boolean | null
  readonly search: string
}

/** A commit with the pull request that it is known to belong to. */
export interface ListedCommit extends CommitSummary.CommitSummary {
  readonly pullNumber: number | null
  readonly pull: PullRef.PullRef | null
}

/** Lists the commits with job runs of the last `CommitSummary.bounds.days` days, the latest first. */
export class Commits extends Context.Service<
  Commits,
  {
    readonly list: (
      ref: Repository.RepositoryRef,
      request: CommitsRequest
    ) => Effect.Effect<Listing.Listing<ListedCommit>, Invalid | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Commits") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Commits,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const triage = yield* TriageStore

      const list = Effect.fn("Commits.list")(function* (ref: Repository.RepositoryRef, request: CommitsRequest) {
        const { isFailing, kind, perPage, search } = request
        yield* Lookup.repository(repositories)(ref)
        const bound = Listing.binding("commits", ref, [kind, String(isFailing), search])
        const from = yield* Listing.from(bound, request.cursor, positions)
        const now = yield* Clock.currentTimeMillis
        const all = yield* triage.commits(ref, now - CommitSummary.bounds.days * Instant.day)
        const commits = kind === "commits" ? all : CommitSummary.pullRequests(all)
        const hashes = commits.map(({ commit }) => commit)
        const [pulls, numbers] = [yield* repositories.pulls(ref, hashes), yield* repositories.numbersOf(ref, hashes)]
        const listed = commits.map((each): ListedCommit => {
          const pull = pulls.get(each.commit) ?? null
          return { ...each, pull, pullNumber: pull?.number ?? numbers.get(each.commit) ?? null }
        })
        const page = TestSort.pageBy(
          listed.filter((each) => isAsked(each, isFailing) && isFound(each, search)),
          byEnd,
          { direction: "desc", from, limit: perPage }
        )
        return Listing.of(bound, page, (row) => TestSort.positionBy(row, byEnd))
      })

      return Commits.of({ list })
    })
  )
}

const positions = TestSort.positionSchema("executions_count")

const byEnd: TestSort.FieldsBy<ListedCommit> = {
  key: ({ at }) => at,
  testName: ({ commit }) => commit,
  pipelineName: ({ branch }) => branch,
  jobName: ({ branch }) => branch
}

const isAsked = ({ failedJobs }: ListedCommit, isFailing: boolean | null): boolean =>
  isFailing === null || isFailing === failedJobs > 0

const isFound = ({ branch, commit, pull, pullNumber, runIds }: ListedCommit, search: string): boolean => {
  const text = search.trim().toLowerCase()
  return (
    text === "" ||
    commit.toLowerCase().startsWith(text) ||
    text.replace(/^[#!]/, "") === String(pullNumber) ||
    runIds.some((id) => id.toLowerCase() === text) ||
    [branch, pull?.title ?? ""].some((each) => each.toLowerCase().includes(text))
  )
}
