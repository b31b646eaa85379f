/**
 * The numbers of the model: what it says of some failures, by whose facts each number of the policy is asked.
 *
 * `FailurePolicy.json` has the answers. A change of the model or of the policy changes them: then judge the new ones, and
 * write them down with `support/writeModel.ts`.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { stories } from "./support/modelStories.ts"
import { shownOf } from "./support/ModelStory.ts"

const file = new URL("FailurePolicy.json", import.meta.url)

// People write the file; one of another shape fails every test.
const expected = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>

describe("FailureVerdict.judgeAll, numbers", () => {
  it.each(Object.entries(stories))("the model says of a failure what it said before: %s", (name, story) => {
    assert.deepStrictEqual(shownOf(story), expected[name])
  })

  it("every answer that is written down is asked for", () => {
    assert.deepStrictEqual(Object.keys(expected), Object.keys(stories))
  })
})
