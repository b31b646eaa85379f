import { assert, describe, it, layer } from "@effect/vitest"
import { Parameter, PostgresClient } from "@lazaret/store-postgres"
import { Effect } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("the client", (it) => {
  it.effect("yields instants as milliseconds and bigint as a number", () =>
    Effect.gen(function* () {
      const { sql } = yield* PostgresClient
      const [row] =
        yield* sql`SELECT ${Parameter.instant(253_402_300_799_999)} AS at, ${Parameter.int8(2 ** 53 - 1)} AS n`
      assert.deepStrictEqual(row, { at: 253_402_300_799_999, n: 2 ** 53 - 1 })
    })
  )
})
