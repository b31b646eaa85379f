/** The names that stand for others: what the aliases that hold make of the names and ids in questions. */
import { TestAlias, TestId } from "@lazaret/domain"
import { Effect } from "effect"
import type { View } from "../Driver.ts"
import type { StoreError } from "../StoreError.ts"
import { aliasOf, type TestAliasRow, testAliases } from "./AliasRows.ts"

/** The condition of rows of aliases that hold. */
export const isHeld = [["revokedAt", "=", null]] as const

const rowsIn = (view: View) => view.select(testAliases, { where: isHeld, order: [] })

/** The links that hold, as aliases. */
export const linksIn = (view: View): Effect.Effect<ReadonlyArray<TestAlias.TestAlias>, StoreError> =>
  Effect.map(rowsIn(view), (rows) => rows.map(aliasOf))

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
