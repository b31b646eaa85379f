import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as ReturnPath from "../../src/access/ReturnPath.ts"

const here = "https://tests.example.com"

/** Pieces that browsers read in surprising ways. */
const piece = fc.constantFrom(
  "/",
  "\\",
  "//",
  "..",
  ".",
  "@",
  ":",
  "?",
  "#",
  "%2f",
  "%5c",
  "\t",
  "\n",
  "\0",
  "evil.example",
  "https:",
  "a",
  " "
)

describe("the page to return to after a sign-in", () => {
  it("a path never leads to another origin, whatever it is made of", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = ReturnPath.safe(pieces.join(""))
        assert.strictEqual(new URL(path, here).origin, here)
        assert.strictEqual(new URL(`${here}${path}`).origin, here)
        assert.isFalse(path.startsWith("//"))
        assert.strictEqual(ReturnPath.safe(path), path)
      }),
      { numRuns: 2000 }
    )
  })

  it("a page of this server is kept with its query, and everything else is the start page", () => {
    assert.strictEqual(ReturnPath.safe("/acme/widgets?x=1&y=%2F"), "/acme/widgets?x=1&y=%2F")
    for (const path of [
      null,
      "",
      "acme",
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/\t/evil.example"
    ]) {
      assert.strictEqual(ReturnPath.safe(path), "/")
    }
  })
})
