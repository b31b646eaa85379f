/** The use cases of aliases of tests: renamed tests, and names that change with each run. */
import { ChangingName, Instant, Rename, type Repository, TestAlias, TestId, TestList } from "@lazaret/domain"
import { RepositoryStore, type StoreError, TestAliasStore, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { note } from "../answer/AuditNote.ts"
import * as Lookup from "../answer/Lookup.ts"
import { AliasNotFound, AliasRefused, type RepositoryNotFound } from "../answer/ServiceError.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import { NewId } from "../ports/NewId.ts"

/** An alias, and the name at the end of its chain: `standsFor` differs from `to` where `to` has an alias, too. */
export interface ListedAlias extends TestAlias.TestAlias {
  readonly standsFor: string
}

/** Keeps aliases of tests. */
export class TestAliases extends Context.Service<
  TestAliases,
  {
    /** The aliases that hold, by creation time; of one test, or (null) of all. `isRevoked` lists those that were revoked. */
    readonly list: (
      ref: Repository.RepositoryRef,
      query: { readonly testId: TestId.TestId | null; readonly isRevoked: boolean }
    ) => Effect.Effect<ReadonlyArray<ListedAlias>, RepositoryNotFound | StoreError>
    /** Makes aliases, all or none; those that hold already stay as they are. */
    readonly create: (
      ref: Repository.RepositoryRef,
      links: ReadonlyArray<TestAlias.Link>,
      by: string
    ) => Effect.Effect<ReadonlyArray<ListedAlias>, AliasRefused | RepositoryNotFound | StoreError>
    /** Revokes an alias: everything is as if it had never been made. */
    readonly revoke: (
      ref: Repository.RepositoryRef,
      id: string,
      by: string
    ) => Effect.Effect<void, AliasNotFound | RepositoryNotFound | StoreError>
    /** Renames that the tests of the last 30 days suggest, the surest first, at most {@link mostRenames}. */
    readonly renames: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<Rename.Proposal>, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/TestAliases") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    TestAliases,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const aliases = yield* TestAliasStore
      const tests = yield* TestStore
      const newId = yield* NewId
      const { changed } = yield* CommitNotice

      const list = Effect.fn("TestAliases.list")(function* (
        ref: Repository.RepositoryRef,
        { isRevoked, testId }: { readonly testId: TestId.TestId | null; readonly isRevoked: boolean }
      ) {
        yield* repository(ref)
        const all = yield* aliases.list(ref)
        const listed = listedAmong(all).filter((alias) => (alias.revokedAt !== null) === isRevoked)
        if (testId === null) return listed
        const isOfTest = (name: string) => TestId.of(name) === testId
        return listed.filter(({ from, standsFor }) => isOfTest(standsFor) || isOfTest(from))
      })

      const create = Effect.fn("TestAliases.create")(function* (
        ref: Repository.RepositoryRef,
        links: ReadonlyArray<TestAlias.Link>,
        by: string
      ) {
        yield* repository(ref)
        const at = yield* Clock.currentTimeMillis
        const wanted = yield* Effect.forEach(links, (link) => Effect.map(newId, (id) => ({ id, link })))
        yield* changed(ref)
        const made = yield* aliases.add(ref, wanted, { by, at })
        if (Result.isFailure(made)) {
          const { owner, repository: name } = ref
          return yield* new AliasRefused({ owner, repository: name, reason: reasonOf(made.failure) })
        }
        yield* note({ after: { aliases: links.slice(0, mostNoted).map(({ from, to }) => `${from} → ${to}`) } })
        const ids = new Set(made.success.map(({ id }) => id))
        return listedAmong(yield* aliases.list(ref)).filter(({ id }) => ids.has(id))
      })

      const revoke = Effect.fn("TestAliases.revoke")(function* (ref: Repository.RepositoryRef, id: string, by: string) {
        yield* repository(ref)
        yield* changed(ref)
        const [revoked] = yield* aliases.revoke(ref, [id], { by, at: yield* Clock.currentTimeMillis })
        if (revoked === undefined) {
          return yield* new AliasNotFound({ owner: ref.owner, repository: ref.repository, aliasId: id })
        }
        yield* note({ before: { kind: revoked.kind, from: revoked.from, to: revoked.to } })
      })

      const renames = Effect.fn("TestAliases.renames")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const rows = (limit: number) =>
          Effect.map(tests.list(ref, latest(limit), now), (found) => found.rows.filter(hasFirst))
        const fresh = (yield* rows(mostFresh)).filter(({ firstSeenAt }) => firstSeenAt > now - freshDays * Instant.day)
        if (fresh.length === 0) return []
        const all = yield* rows(mostTests)
        const related = new Set(
          Rename.related(
            fresh.map(({ testName }) => testName),
            all.map(({ testName }) => testName)
          )
        )
        const health = yield* tests.health(ref, [...related].map(TestId.of), now)
        const seen = all.flatMap(({ firstSeenAt, jobName, pipelineName, testName }) => {
          const last = health.get(TestId.of(testName))?.reduce((most, { lastAt }) => Math.max(most, lastAt ?? 0), 0)
          // A job is known from before when one of its tests is: any of them shows since when the job has run.
          const lastAt = last ?? (related.has(testName) ? null : now)
          return lastAt === null ? [] : [{ testName, pipelineName, jobName, firstAt: firstSeenAt, lastAt }]
        })
        return Rename.proposals(seen)
          .filter(({ at, from }) => at > now - freshDays * Instant.day && ChangingName.mask(from) === null)
          .slice(0, mostRenames)
      })

      return TestAliases.of({ list, create, revoke, renames })
    })
  )
}

/** The most proposals of one answer. */
export const mostRenames = 1000

/** Tests that ran for the first time in these days may be renamed ones. */
const freshDays = 14

/** How many of the latest tests are read, and how many tests at all. */
const mostFresh = 5000
const mostTests = 50_000

const mostNoted = 20

const latest = (limit: number): TestList.Query => ({
  ...TestList.everything,
  sort: "first_seen_at",
  direction: "desc",
  limit
})

const hasFirst = <A extends { readonly firstSeenAt: Instant.Instant | null }>(
  row: A
): row is A & { readonly firstSeenAt: Instant.Instant } => row.firstSeenAt !== null

const listedAmong = (all: ReadonlyArray<TestAlias.TestAlias>): ReadonlyArray<ListedAlias> => {
  const resolve = TestAlias.resolver(all.filter(({ revokedAt }) => revokedAt === null))
  return all.map((alias) => ({ ...alias, standsFor: resolve(alias.to) }))
}

const reasonOf = (refusal: TestAlias.Refusal): string => {
  const { from, to } = refusal.link
  switch (refusal._tag) {
    case "Itself":
      return `${from} is the name itself. Give another name that stands for it.`
    case "NoMask":
      return `${from} is not a mask: a mask has ${ChangingName.placeholder} for the parts that change.`
    case "Taken":
      return `${from} is an alias of ${refusal.held.to} already. Revoke that alias first.`
    case "Circle":
      return `${to} leads back to ${from}: ${refusal.path.join(" → ")}. Revoke one of these aliases first.`
    case "TooMany":
      return `A repository has at most ${TestAlias.most} aliases. Revoke some first; one alias of a mask stands for many names.`
  }
}
