import { assert, describe, it } from "@effect/vitest"
import { operationIds } from "./fuzz/judge.ts"
import { run } from "./fuzz/run.ts"

/** A receiver must have refused an event for hours before there is something to send again. */
const hardToReach = "redeliverDeadLetter"

/** More by command: `npm run fuzz -w packages/http -- --count 20000`. */
const count = 3000

describe("requests derived from the description", () => {
  it(
    "get documented answers whose bodies obey their schemas, and never a failure of the server",
    { timeout: 60_000 },
    async () => {
      const outcome = await run(count, 1)
      assert.deepStrictEqual(outcome.complaints.slice(0, 5), [])
      for (const id of operationIds.filter((each) => each !== hardToReach)) {
        const statuses = Array.from(outcome.statuses.keys()).filter((key) => key.startsWith(`${id} `))
        assert.isTrue(
          statuses.some((key) => / 2\d\d$/u.test(key)),
          `${id} never succeeded: ${statuses.join()}`
        )
      }
    }
  )
})
