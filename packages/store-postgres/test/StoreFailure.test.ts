import { assert, describe, it } from "@effect/vitest"
import { SqlError } from "effect/sql"
import * as StoreFailure from "../src/database/StoreFailure.ts"

const failure = (code: string, message: string) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause: Object.assign(new Error(message), { code }) }) })

describe("the reason of a failed statement", () => {
  it("the loss of a node of a cluster is unavailable, and another internal error is a fault", () => {
    for (const message of [
      "could not commit transaction for shard 102021 on at least one active node",
      "failure on connection marked as essential: worker-1:5432",
      "connection not open",
      "postmaster was shut down, exiting"
    ]) {
      assert.strictEqual(StoreFailure.reasonOf(failure("XX000", message)), "unavailable")
    }
    assert.strictEqual(StoreFailure.reasonOf(failure("XX000", "could not create distributed plan")), "failed")
  })
})
