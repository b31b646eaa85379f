/** The use cases of public badges, which need no credential (beyond the interface). */
import { HealthStatus, Repository, TestFilter, type TestId } from "@lazaret/domain"
import { RepositoryStore, type StoreError, TestStore } from "@lazaret/store"
import { Cache, Clock, Context, Effect, Exit, Layer, Option } from "effect"
import { BadgeNotFound } from "../answer/ServiceError.ts"

/** How many identities have each status; only those count that ran in the last 30 days. */
export type BadgeCounts = { readonly [S in HealthStatus.HealthStatus]: number }

/**
 * The content of public badges.
 *
 * **Details**
 *
 * An unknown repository, a repository without badges and an unknown test are the same `BadgeNotFound`, so that a badge
 * does not reveal what exists. Counts are at most a minute old, so that unauthenticated requests put little load on the
 * store.
 */
export class Badges extends Context.Service<
  Badges,
  {
    /** The identities of a repository by status. */
    readonly repository: (ref: Repository.RepositoryRef) => Effect.Effect<BadgeCounts, BadgeNotFound | StoreError>
    /** The worst status that any identity of a test has. */
    readonly test: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<HealthStatus.HealthStatus, BadgeNotFound | StoreError>
  }
>()("@lazaret/services/Badges") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Badges,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const tests = yield* TestStore

      const shown = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const found = yield* repositories.get(ref)
        if (Option.isNone(found) || !found.value.settings.badge) return yield* new BadgeNotFound()
      })

      const count = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const now = yield* Clock.currentTimeMillis
        return (yield* tests.count(ref, { filter: TestFilter.all, status: null, now })).byStatus
      })

      const counts = yield* Cache.makeWith((key: string) => count(refOf(key)), {
        capacity: 1000,
        // A failure is not cached.
        timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 minute" : 0)
      })

      const repository = Effect.fn("Badges.repository")(function* (ref: Repository.RepositoryRef) {
        yield* shown(ref)
        return yield* Cache.get(counts, Repository.key(ref))
      })

      const test = Effect.fn("Badges.test")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId) {
        yield* shown(ref)
        const identities = (yield* tests.health(ref, [testId], yield* Clock.currentTimeMillis)).get(testId) ?? []
        if (identities.length === 0) return yield* new BadgeNotFound()
        // Tests that did not run for a month are ignored, unless no test ran.
        const active = identities.filter((each) => each.active)
        return (active.length === 0 ? identities : active)
          .map((each) => each.state.status)
          .reduce(HealthStatus.worst, "healthy")
      })

      return Badges.of({ repository, test })
    })
  )
}

/** Neither part of a key holds a slash. */
const refOf = (key: string): Repository.RepositoryRef => {
  const [owner = "", repository = ""] = key.split("/")
  return { owner, repository }
}
