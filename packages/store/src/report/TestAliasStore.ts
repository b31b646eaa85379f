/** The port of aliases of tests, and its rules over a driver: which may hold. */
import { type Instant, type Repository, TestAlias } from "@lazaret/domain"
import { Context, Effect, Result } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"
import * as Aliases from "./Aliases.ts"
import { aliasOf, aliasRow, testAliases } from "./AliasRows.ts"

/** An alias to make; its id is used where none like it holds. */
export interface NewAlias {
  readonly id: string
  readonly link: TestAlias.Link
}

/** The author of a change of aliases, and its instant. */
export interface AliasChange {
  readonly by: string
  readonly at: Instant.Instant
}

/**
 * The port of aliases of tests.
 *
 * **Laws**
 *
 * - *As from the beginning.* While an alias holds, every answer is that of a repository whose reports had the names that stand for
 *   theirs (`TestAlias.applied`) from the beginning, whether they were recorded before the alias or after it.
 * - *Both ids.* A question that names a test by the id of a stored name is answered with the test that stands for it.
 * - *Undone.* A revoked alias is as if it had never been made. Its row is kept with who and when.
 * - *Idempotent.* To add an alias that holds, or to revoke one that does not, changes nothing.
 * - These hold as long as nothing is dropped (`RetentionStore`): see `Driver.regroup`.
 */
export class TestAliasStore extends Context.Service<
  TestAliasStore,
  {
    /**
     * Makes aliases, all or none, and yields those that hold now, in the order given; the first refusal when one cannot hold
     * (`TestAlias.added`).
     */
    readonly add: (
      ref: Repository.RepositoryRef,
      aliases: ReadonlyArray<NewAlias>,
      change: AliasChange
    ) => Effect.Effect<Result.Result<ReadonlyArray<TestAlias.TestAlias>, TestAlias.Refusal>, StoreError>
    /** Revokes those of the aliases that hold, and yields them. */
    readonly revoke: (
      ref: Repository.RepositoryRef,
      ids: ReadonlyArray<string>,
      change: AliasChange
    ) => Effect.Effect<ReadonlyArray<TestAlias.TestAlias>, StoreError>
    /** The aliases, revoked ones included, by creation time, then id. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<TestAlias.TestAlias>, StoreError>
    /** The name that stands for a stored name, by the aliases that hold now. */
    readonly names: (ref: Repository.RepositoryRef) => Effect.Effect<TestAlias.Resolve, StoreError>
  }
>()("@lazaret/store/TestAliasStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): TestAliasStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): TestAliasStore["Service"] =>
  TestAliasStore.of({
    add: (ref, aliases, change) =>
      driver.regroup("TestAliasStore.add", ref, null, (transaction) => add(transaction, aliases, change)),
    revoke: (ref, ids, change) =>
      driver.regroup("TestAliasStore.revoke", ref, null, (transaction) => revoke(transaction, ids, change)),
    list: (ref) =>
      driver.read("TestAliasStore.list", ref, (view) =>
        Effect.map(view.select(testAliases, { where: [], order: ["createdAt", "id"] }), (rows) => rows.map(aliasOf))
      ),
    names: (ref) =>
      driver.read("TestAliasStore.names", ref, (view) => Effect.map(Aliases.namesIn(view), ({ resolve }) => resolve))
  })

const add = Effect.fnUntraced(function* (
  transaction: Transaction,
  aliases: ReadonlyArray<NewAlias>,
  { at, by }: AliasChange
) {
  const held = yield* Aliases.linksIn(transaction)
  const links = aliases.map(({ link }) => link)
  const found = TestAlias.added(held, links)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const ids = new Map(aliases.map(({ id, link }) => [TestAlias.key(link), id]))
  const made = found.success.map((link): TestAlias.TestAlias => ({
    ...link,
    id: ids.get(TestAlias.key(link)) ?? "",
    createdAt: at,
    createdBy: by,
    revokedAt: null,
    revokedBy: null
  }))
  yield* transaction.put(testAliases, made.map(aliasRow))
  const all = new Map([...held, ...made].map((alias) => [TestAlias.key(alias), alias]))
  return Result.succeed(links.flatMap((link) => all.get(TestAlias.key(link)) ?? []))
})

const revoke = Effect.fnUntraced(function* (
  transaction: Transaction,
  ids: ReadonlyArray<string>,
  { at, by }: AliasChange
) {
  const rows = yield* transaction.select(testAliases, {
    where: [...Aliases.isHeld, ["id", "in", ids]],
    order: ["createdAt", "id"]
  })
  const revoked = rows.map((row) => ({ ...row, revokedAt: at, revokedBy: by }))
  yield* transaction.put(testAliases, revoked)
  return revoked.map(aliasOf)
})
