import { assert, describe, it } from "@effect/vitest"
import { UnloadedFiles } from "@lazaret/domain"

const failed = new Set(["src/cart.test.ts", "tests.test_session", "tests/test_user.py", "example.com/shop", "Cart"])

const missing = [
  "src/cart.test.ts › adds",
  "src/cart.test.ts › sorts",
  "tests.test_session.test_opens",
  "tests/test_user.py::TestUser::test_name",
  "example.com/shop.TestTotals",
  "Cart adds",
  "src/cart.test.tsx › renders"
]

describe("UnloadedFiles", () => {
  it("a missing test is one of the file, module or package that its name begins with", () => {
    assert.deepStrictEqual(
      [...UnloadedFiles.candidates(failed, missing)],
      [
        ["example.com/shop", 1],
        ["src/cart.test.ts", 2],
        ["tests.test_session", 1],
        ["tests/test_user.py", 1]
      ]
    )
  })

  it("a test belongs to the innermost of several files", () => {
    const nested = new Set(["shop", "shop.CartTest"])
    assert.deepStrictEqual([...UnloadedFiles.candidates(nested, ["shop.CartTest.adds"])], [["shop.CartTest", 1]])
    const deep = new Set(["a", "a b.c"])
    assert.deepStrictEqual([...UnloadedFiles.candidates(deep, ["a b.c.d"])], [["a b.c", 1]])
  })

  it("a file of which a test ran did load", () => {
    const found = UnloadedFiles.candidates(failed, missing)
    const files = UnloadedFiles.confirmed(found, ["src/cart.test.ts › totals", "tests/test_users.py::test_all"])
    assert.deepStrictEqual([...files.keys()], ["example.com/shop", "tests.test_session", "tests/test_user.py"])
  })

  it("the first files in code-point order are compared, whatever the order of their tests", () => {
    const files = Array.from(
      { length: UnloadedFiles.bounds.files + 2 },
      (_, index) => `file ${String.fromCharCode(97 + index)}`
    )
    const tests = files.map((file) => `${file}.test`)
    const found = UnloadedFiles.candidates(new Set(files), tests.toReversed())
    assert.deepStrictEqual([...found.keys()], files.slice(0, UnloadedFiles.bounds.files))
  })
})
