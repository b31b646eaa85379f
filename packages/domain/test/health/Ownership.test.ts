import { Ownership, TestFile } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Name = Schema.Literals(["@acme/web", "@Acme/Web", "@acme/data", "ada@example.com"])

const File = Schema.Struct({
  file: Schema.NullOr(Schema.Literals(["a.ts", "b.ts", "c.go"])),
  owners: Schema.Array(Name).check(Schema.isMaxLength(2)),
  healthStatus: Schema.Literals(["healthy", "flaky", "broken"]),
  testName: Schema.Literals(["one", "two", "three"])
})

const Tests = Schema.Array(File).check(Schema.isMaxLength(12))

const columns = {
  file: (test: typeof File.Type) => test.file,
  healthStatus: (test: typeof File.Type) => test.healthStatus,
  testName: (test: typeof File.Type) => test.testName
}

/** The owners of a file are those of the first test in it. */
const ownersIn = (tests: typeof Tests.Type) => (file: string) => tests.find((test) => test.file === file)?.owners ?? []

describe("Ownership", () => {
  it.prop("an owner counts as many tests as the filter by that owner finds", [Tests], ([tests]) => {
    const ownersOf = ownersIn(tests)
    const quarantined = new Set(["two"])
    const files = TestFile.count(tests, columns, quarantined)
    const groups = Ownership.byOwner(files, ownersOf)
    for (const { broken, flaky, healthy, owner, quarantined: held } of groups) {
      const wanted = Ownership.filesOf(
        files.map(({ file }) => file),
        [owner.toUpperCase()],
        ownersOf
      )
      const found = tests.filter(({ file }) => wanted.has(file))
      assert.strictEqual(found.length, broken + flaky + healthy)
      assert.strictEqual(found.filter(({ testName }) => quarantined.has(testName)).length, held)
    }
    const names = groups.map(({ owner }) => owner.toLowerCase())
    assert.strictEqual(new Set(names).size, names.length)
    const all = Ownership.filesOf(
      files.map(({ file }) => file),
      names,
      ownersOf
    )
    assert.strictEqual(all.size, files.length)
  })

  it("owners with most unhealthy tests come first, and tests of nobody last", () => {
    const counts = { healthy: 1, flaky: 0, broken: 0, quarantined: 0 }
    const groups = Ownership.byOwner(
      [
        { ...counts, file: null, broken: 9 },
        { ...counts, file: "orphan.ts", broken: 5 },
        { ...counts, file: "a.ts" },
        { ...counts, file: "b.ts", flaky: 2 }
      ],
      (file) => ({ "a.ts": ["@a", "@both"], "b.ts": ["@both"] })[file] ?? []
    )
    assert.deepStrictEqual(
      groups.map(({ flaky, healthy, owner }) => [owner, healthy, flaky]),
      [
        ["@both", 2, 2],
        ["@a", 1, 0],
        ["no-owner", 1, 0],
        ["no-file", 1, 0]
      ]
    )
  })

  it("a search loses the words of its owners, and keeps every other word", () => {
    assert.deepStrictEqual(Ownership.split("OWNER:ada@example.com  pays owner: !owner:x"), {
      search: "pays owner: !owner:x",
      owners: ["ada@example.com"]
    })
    assert.deepStrictEqual(Ownership.split("a  b"), { search: "a  b", owners: [] })
  })
})
