import { assert, describe, it } from "@effect/vitest"
import { operationIds } from "./fuzz/judge.ts"
import { run } from "./fuzz/run.ts"

/**
 * Operations that cannot succeed here: a receiver must have refused an event for hours before there is something to send
 * again, a backfill, a certification and an app need a hosting platform, a removal names its repository, which all other requests need, a
 * test message needs a mail server, and a pin comes from a token of a hosting platform.
 */
const hardToReach = [
  "redeliverDeadLetter",
  "backfillRepository",
  "certifyPlatform",
  "createGitHubApp",
  "deleteGitHubApp",
  "getPlatformCertification",
  "removePin",
  "removeRepository",
  "removeTest",
  "testNotifier",
  "testWideNotifier"
]

/** `FUZZ_SEED` is another one. More by command: `npm run fuzz -w packages/http -- --count 20000`. */
const seed = Number(process.env["FUZZ_SEED"] ?? 2)

const timeout = 180_000

/** The answers of operations that should have succeeded, and never did. */
const failing = (statuses: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  operationIds
    .filter((id) => !hardToReach.includes(id))
    .map((id) => [`${id}:`, ...Array.from(statuses.keys()).filter((key) => key.startsWith(`${id} `))])
    .filter((answers) => !answers.some((answer) => / 2\d\d$/u.test(answer)))
    .map((answers) => answers.join(" "))

describe("requests derived from the OpenAPI document", () => {
  it(
    "1500 requests or more get documented answers whose bodies obey their schemas, and each operation succeeds at least once",
    { timeout },
    async () => {
      const outcome = await run(1500, seed, (statuses) => failing(statuses).length > 0)
      assert.deepStrictEqual(outcome.complaints.slice(0, 5), [], `FUZZ_SEED=${seed}`)
      assert.deepStrictEqual(failing(outcome.statuses), [], `FUZZ_SEED=${seed}`)
    }
  )
})
