import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as StressTemplate from "../../src/failure/StressTemplate.ts"

const names = { tests: ["tests.test_cart.TestCart.test_adds", "src/cart.test.ts > cart > adds 1.5 (two)"], files: [] }

const filled = (template: ReadonlyArray<string>, of: StressTemplate.Subjects = names) =>
  Result.getOrThrow(StressTemplate.fill(template, of))

const refused = (template: ReadonlyArray<string>, of: StressTemplate.Subjects = names) =>
  Result.match(StressTemplate.fill(template, of), { onFailure: (message) => message, onSuccess: () => "" })

describe("StressTemplate", () => {
  it("each test is an argument, and patterns have the last parts of the names", () => {
    assert.deepStrictEqual(filled(["run", "{tests}"]), ["run", ...names.tests])
    assert.deepStrictEqual(filled(["vitest", "-t={pattern}"]), [
      "vitest",
      String.raw`-t=(test_adds|adds 1\.5 \(two\))$`
    ])
    const tests = ["a.test_x[1.5]", "a.test_x[2]", "a.test_y"]
    assert.deepStrictEqual(filled(["pytest", "-k", "{expression}"], { tests, files: [] }), [
      "pytest",
      "-k",
      "test_x or test_y"
    ])
  })

  it("files are arguments of their own", () => {
    assert.deepStrictEqual(filled(["pytest", "{files}"], { tests: [], files: ["a b.py", "c.py"] }), [
      "pytest",
      "a b.py",
      "c.py"
    ])
  })

  it("a template that cannot be filled is refused with a sentence", () => {
    assert.match(refused(["pytest"]), /^The command has no placeholder .* write \{tests\} or \{pattern\}/u)
    assert.match(refused(["pytest", "{files}"]), /has no placeholder/u)
    assert.match(refused(["pytest", "{files}", "{tests}"]), /^\{files\} cannot be filled: --changed-files is needed/u)
    assert.match(refused(["pytest", "a{tests}"]), /must be the placeholder alone/u)
    assert.match(refused(["pytest", "{tests}"], { tests: [], files: ["a.py"] }), /write \{files\}/u)
  })
})
