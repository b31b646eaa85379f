/** The table of aliases of tests. */
import { TestAlias, TestId } from "@lazaret/domain"
import { Schema } from "effect"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"
import type { Table } from "../driver/Table.ts"

/** An alias; `fromId` is the id of the test that it names, null for a mask. */
export interface TestAliasRow extends Omit<TestAlias.TestAlias, "from" | "to"> {
  readonly fromName: string
  readonly fromId: TestId.TestId | null
  readonly toName: string
}

/** The alias in a row. */
export const aliasOf = ({ fromId: _fromId, fromName, toName, ...row }: TestAliasRow): TestAlias.TestAlias => ({
  ...row,
  from: fromName,
  to: toName
})

/** The row of an alias. */
export const aliasRow = ({ from, to, ...alias }: TestAlias.TestAlias): TestAliasRow => ({
  ...alias,
  fromName: from,
  fromId: alias.kind === "name" ? TestId.of(from) : null,
  toName: to
})

/** Aliases of tests, revoked ones included. */
export const testAliases: Table<TestAliasRow> = {
  name: "test_aliases",
  scope: "repository",
  columns: {
    id: "text",
    kind: "text",
    fromName: "text",
    fromId: "uuid",
    toName: "text",
    createdAt: "instant",
    createdBy: "text",
    revokedAt: "instant",
    revokedBy: "text"
  },
  key: ["id"],
  ...rowsOf(
    Schema.Struct({
      id: Str,
      kind: TestAlias.Kind,
      fromName: Str,
      fromId: Schema.NullOr(TestId.TestId),
      toName: Str,
      createdAt: Num,
      createdBy: Str,
      revokedAt: Schema.NullOr(Num),
      revokedBy: Schema.NullOr(Str)
    })
  )
}
