import { assert, describe, it } from "@effect/vitest"
import * as Attack from "./attack/Attack.ts"

/** `npm run attack` runs all parts in full; the crash test has a test of its own. */
const parts = Attack.names.filter((name) => name !== "restarts" && name !== "disk full")

describe("a server under attack", () => {
  for (const name of parts) {
    it(`a server under attack holds in the short form of the part "${name}"`, async () => {
      for await (const { figures, findings } of Attack.run("short", [name])) {
        assert.deepStrictEqual(findings, [], `npm run attack -- --short --only "${name}"; ${JSON.stringify(figures)}`)
      }
    })
  }
})
