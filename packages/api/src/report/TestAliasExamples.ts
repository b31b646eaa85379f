/** The examples of the operations on aliases of tests, checked against the definition by a test. */
import { TestId } from "@lazaret/domain"
import type { Schema } from "effect"
import type * as TestAlias from "./TestAlias.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const alias: Encoded<typeof TestAlias.TestAlias> = {
  id: "0d3f7c52-6f0e-4f0b-9a0c-3f1d5d2f9b11",
  kind: "name",
  from: "cart > adds",
  to: "shop > cart > adds",
  stands_for: "shop > cart > adds",
  test_id: TestId.of("shop > cart > adds"),
  created_at: "2026-01-31T12:00:00.000Z",
  created_by: "ada",
  revoked_at: null,
  revoked_by: null
}

const list: Encoded<typeof TestAlias.TestAliasList> = { size: 1, test_aliases: [alias] }

const create: Encoded<typeof TestAlias.CreateTestAliases> = {
  test_aliases: [{ from: "cart > adds", to: "shop > cart > adds" }]
}

const renames: Encoded<typeof TestAlias.TestRenameList> = {
  size: 1,
  test_renames: [
    {
      from: "cart > adds",
      to: "shop > cart > adds",
      first_seen_at: "2026-01-31T09:00:00.000Z",
      shared_by: 12
    }
  ]
}

/** The examples of the operations on aliases of tests. */
export const testAliasExamples = {
  listTestAliases: { response: list },
  createTestAliases: { request: { "application/json": create }, response: list },
  listTestRenames: { response: renames }
}
