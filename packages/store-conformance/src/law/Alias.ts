/** Aliases of tests, for cases. */
import type { Repository, TestAlias } from "@lazaret/domain"
import { TestAliasStore, UpkeepStore } from "@lazaret/store"
import { Effect, Result } from "effect"
import * as Law from "./Law.ts"
import * as Sample from "./Sample.ts"

/** A link of two names. */
export const link = (kind: TestAlias.Kind, from: string, to: string): TestAlias.Link => ({ kind, from, to })

/** The author and the instant of every change. */
export const by = { by: "ada", at: Sample.noon }

/** Makes aliases, or yields the reason of the refusal. */
export const add = (ref: Repository.RepositoryRef, links: ReadonlyArray<TestAlias.Link>) =>
  TestAliasStore.use((store) =>
    store.add(
      ref,
      links.map((each, index) => ({ id: `${index} ${crypto.randomUUID()}`, link: each })),
      by
    )
  )

/** Makes aliases one after the other, none of which is refused. */
export const make = (ref: Repository.RepositoryRef, links: ReadonlyArray<TestAlias.Link>) =>
  Effect.forEach(links, (each) =>
    Effect.flatMap(add(ref, [each]), (made) => Law.equal(Result.isSuccess(made), true, "whether it is made"))
  )

/** Revokes the aliases that hold, and yields them. */
export const revoke = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* TestAliasStore
  const held = (yield* store.list(ref)).filter(({ revokedAt }) => revokedAt === null)
  return yield* store.revoke(
    ref,
    held.map(({ id }) => id),
    by
  )
})

/** Fails when something that is stored does not agree with the executions. */
export const isSound = (ref: Repository.RepositoryRef) =>
  Effect.flatMap(
    UpkeepStore.use((store) => store.verify(ref)),
    (found) => Law.equal(found, [], "what does not agree with the executions")
  )
