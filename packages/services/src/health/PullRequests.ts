/** The pull requests that commits belong to. */
import type { PullRef, Repository } from "@lazaret/domain"
import { RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { HostingPlatform } from "../ports/HostingPlatform.ts"
import * as Lifetime from "../answer/Lifetime.ts"

/** Traces commits to merged pull requests. */
export class PullRequests extends Context.Service<
  PullRequests,
  {
    /** The pull requests of these commits; a commit that cannot be traced is absent. */
    readonly ofCommits: (
      ref: Repository.RepositoryRef,
      commits: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, PullRef.PullRef>, StoreError>
  }
>()("@lazaret/services/PullRequests") {
  /** Reads the stored facts, asks the hosting platform for the missing ones, and stores its answers. */
  static readonly layer = Layer.effect(
    PullRequests,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const platform = yield* HostingPlatform

      const ask = (ref: Repository.RepositoryRef) => (commit: string) =>
        Effect.map(
          platform.pullOf(ref, commit),
          Option.map((pull) => ({ commit, pull }))
        )

      const ofCommits = Effect.fn("PullRequests.ofCommits")(function* (
        ref: Repository.RepositoryRef,
        commits: ReadonlyArray<string>
      ) {
        const distinct = [...new Set(commits)]
        if (distinct.length === 0) return new Map<string, PullRef.PullRef>()
        const known = yield* repositories.pulls(ref, distinct)
        const unknown = distinct.filter((commit) => !known.has(commit)).slice(0, maximumQuestions)
        // The platform may answer the next question in another way, at any time.
        if (unknown.length > 0 && (yield* platform.isConnected)) yield* Lifetime.of(0, 0)
        const answers = yield* Effect.forEach(unknown, ask(ref), { concurrency: maximumQuestions })
        const facts = answers.flatMap(Option.toArray)
        if (facts.length > 0) yield* repositories.recordPulls(ref, facts, yield* Clock.currentTimeMillis)
        return new Map([...known, ...facts.map(({ commit, pull }) => [commit, pull] as const)])
      })

      return PullRequests.of({ ofCommits })
    })
  )
}

/** One answer asks the platform about at most this many commits; the others are found by later answers. */
const maximumQuestions = 8
