/** Aliases of tests over a driver: which may hold, and what stands for the names and ids in questions. */
import { TestAlias, TestId } from "@lazaret/domain"
import { Effect, Result } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import { aliasOf, aliasRow, type TestAliasRow, testAliases } from "./AliasRows.ts"
import type { StoreError } from "../StoreError.ts"
import { type AliasChange, type NewAlias, TestAliasStore } from "./TestAliasStore.ts"

/** The port of aliases. */
export const make = (driver: Driver["Service"]): TestAliasStore["Service"] =>
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
      driver.read("TestAliasStore.names", ref, (view) => Effect.map(namesIn(view), ({ resolve }) => resolve))
  })

const add = Effect.fnUntraced(function* (
  transaction: Transaction,
  aliases: ReadonlyArray<NewAlias>,
  { at, by }: AliasChange
) {
  const held = yield* heldIn(transaction)
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
    where: [...isHeld, ["id", "in", ids]],
    order: ["createdAt", "id"]
  })
  const revoked = rows.map((row) => ({ ...row, revokedAt: at, revokedBy: by }))
  yield* transaction.put(testAliases, revoked)
  return revoked.map(aliasOf)
})

const isHeld = [["revokedAt", "=", null]] as const

const rowsIn = (view: View) => view.select(testAliases, { where: isHeld, order: [] })

const heldIn = (view: View) => Effect.map(rowsIn(view), (rows) => rows.map(aliasOf))

/** The links that hold. */
export const linksIn: (view: View) => Effect.Effect<ReadonlyArray<TestAlias.Link>, StoreError> = heldIn

/**
 * The names that stand for others.
 *
 * **Details**
 *
 * - `idOf`: the id of the test that stands for the one with an id. It knows the names of aliases alone, not those of masks.
 * - `idsOf`: the ids of all names of aliases that a test with an id stands for, its own first.
 */
export interface Names {
  readonly links: ReadonlyArray<TestAlias.Link>
  readonly resolve: TestAlias.Resolve
  readonly idOf: (testId: TestId.TestId) => TestId.TestId
  readonly idsOf: (testId: TestId.TestId) => ReadonlyArray<TestId.TestId>
}

/** The names that stand for others, by the aliases that hold. */
export const namesIn = (view: View): Effect.Effect<Names, StoreError> => Effect.map(rowsIn(view), namesOf)

const namesOf = (rows: ReadonlyArray<TestAliasRow>): Names => {
  const links = rows.map(aliasOf)
  const resolve = TestAlias.resolver(links)
  const ids = new Map([...new Set(links.map(({ from }) => resolve(from)))].map((name) => [name, TestId.of(name)]))
  const targets = new Map(
    rows.flatMap(({ fromId, fromName }) => (fromId === null ? [] : [[fromId, ids.get(resolve(fromName)) ?? fromId]]))
  )
  const idOf = (testId: TestId.TestId) => targets.get(testId) ?? testId
  const idsOf = (testId: TestId.TestId) => {
    const own = idOf(testId)
    return [own, ...[...targets].flatMap(([from, to]) => (to === own ? [from] : []))]
  }
  return { links, resolve, idOf, idsOf }
}
