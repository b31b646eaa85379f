import { Instant, Rename } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const job = { pipelineName: "CI", jobName: "unit" }
const day = Instant.day
const now = 100 * day

const before = (testName: string, parts: Partial<Rename.Seen> = {}): Rename.Seen => ({
  ...job,
  testName,
  firstAt: 10 * day,
  lastAt: now - 2 * day,
  ...parts
})
const after = (testName: string, parts: Partial<Rename.Seen> = {}): Rename.Seen => ({
  ...job,
  testName,
  firstAt: now - day,
  lastAt: now,
  ...parts
})
const stays = before("stays", { lastAt: now })

const pairs = (...tests: ReadonlyArray<Rename.Seen>) =>
  Rename.proposals([stays, ...tests]).map(({ from, to }) => `${from} -> ${to}`)

describe("proposals for renames", () => {
  it("a suite that moved is one rename for each of its tests, which share the replaced part", () => {
    const titles = ["adds", "removes", "pays"]
    const found = Rename.proposals([
      stays,
      ...titles.map((title) => before(`cart > ${title}`)),
      ...titles.map((title, index) => after(`shop > basket > ${title}`, { firstAt: now - day + index }))
    ])
    assert.deepStrictEqual(
      found.map(({ from, sharedBy, to }) => `${from} -> ${to} ${sharedBy}`),
      titles.map((title) => `cart > ${title} -> shop > basket > ${title} 3`).sort()
    )
  })

  it("titles that several suites have follow the suite of the others", () => {
    const names = ["a > works", "a > one", "b > works", "b > two"]
    const moved = names.map((name) => `new ${name}`)
    assert.deepStrictEqual(
      pairs(...names.map((name) => before(name)), ...moved.map((name) => after(name))).sort(),
      names.map((name) => `${name} -> new ${name}`).sort()
    )
  })

  it("a title that changed a little in one suite is a rename, and unlike titles are not", () => {
    assert.deepStrictEqual(pairs(before("cart > adds one item"), after("cart > adds an item")), [
      "cart > adds one item -> cart > adds an item"
    ])
    assert.deepStrictEqual(pairs(before("cart > adds one item"), after("cart > refuses vouchers")), [])
    assert.deepStrictEqual(
      pairs(before("cart > adds one item"), after("cart > adds an item"), after("cart > adds this item")),
      [],
      "two candidates"
    )
  })

  it("a name that runs on, came back, or ended long before is not renamed", () => {
    assert.deepStrictEqual(pairs(before("cart > adds", { lastAt: now }), after("shop > adds")), [])
    const elsewhere = before("cart > adds", { jobName: "web", lastAt: now })
    assert.deepStrictEqual(pairs(before("cart > adds"), elsewhere, after("shop > adds")), [])
    assert.deepStrictEqual(pairs(before("cart > adds", { lastAt: now - 20 * day }), after("shop > adds")), [])
    const known = before("shop > adds", { jobName: "web", lastAt: now })
    assert.deepStrictEqual(pairs(before("cart > adds"), known, after("shop > adds")), [])
  })

  it("a job that begins has no renames, and jobs do not mix", () => {
    assert.deepStrictEqual(pairs(before("cart > adds"), after("shop > adds", { jobName: "new" })), [])
  })

  it("only names with a title or a suite of fresh ones are related to them", () => {
    assert.deepStrictEqual(Rename.related(["shop > adds"], ["cart > adds", "shop > pays", "other > pays"]), [
      "cart > adds",
      "shop > pays"
    ])
  })

  it("50,000 tests of one suite take less than a few passes over them", () => {
    const many = Array.from({ length: 25_000 }, (_, index) => index)
    const found = Rename.proposals([
      stays,
      ...many.map((index) => before(`old > test ${index}`)),
      ...many.map((index) => after(`new > test ${index}`))
    ])
    assert.strictEqual(found.length, many.length)
  })
})
