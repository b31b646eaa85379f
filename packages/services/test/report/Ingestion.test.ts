import { Ingestion } from "@lazaret/services"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { given, memory, ref, testsWith } from "../builders.ts"

const test = testsWith(memory)

describe("Ingestion", () => {
  test("the same report again is recorded once, and its key with other content is a conflict", function* () {
    const ingestion = yield* Ingestion
    const upload = { ...given({ commit: "a", hoursAgo: 1 }), idempotencyKey: "key" }
    const first = yield* ingestion.record(ref, upload)
    assert.deepInclude(first, { received: 1, recorded: 1, duplicates: 0, skipped: 0, identities: 1 })
    const again = yield* ingestion.record(ref, upload)
    assert.deepStrictEqual(again, { ...first, recorded: 0, duplicates: 1 })
    const changed = { ...upload, digest: "other" }
    assert.strictEqual((yield* Effect.flip(ingestion.record(ref, changed)))._tag, "IdempotencyConflict")
    const keyless = yield* ingestion.record(ref, { ...upload, idempotencyKey: null })
    assert.deepStrictEqual(keyless, again)
  })
})
