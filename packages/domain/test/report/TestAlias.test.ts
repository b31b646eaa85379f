import { Report, TestAlias } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const names = ["a", "b", "c", "d", "takes 0x1000", "takes 0x2000", "takes <*>"] as const
const name = Schema.Literals(names)
const link = Schema.Struct({ kind: Schema.Literals(["name", "mask"]), from: name, to: name })

/** The links that hold after each of these was asked for, in order. */
const heldAfter = (links: ReadonlyArray<TestAlias.Link>): ReadonlyArray<TestAlias.Link> =>
  links.reduce<ReadonlyArray<TestAlias.Link>>(
    (held, one) => [...held, ...Result.getOrElse(TestAlias.added(held, [one]), () => [])],
    []
  )

const named = (from: string, to: string): TestAlias.Link => ({ kind: "name", from, to })
const masked = (from: string, to = from): TestAlias.Link => ({ kind: "mask", from, to })

const refusal = (held: ReadonlyArray<TestAlias.Link>, wanted: TestAlias.Link) =>
  Result.match(TestAlias.added(held, [wanted]), { onFailure: ({ _tag }) => _tag, onSuccess: () => null })

describe("aliases of tests", () => {
  it.prop("the name that stands for a name stands for itself", [Schema.Array(link)], ([drawn]) => {
    const resolve = TestAlias.resolver(heldAfter(drawn))
    for (const each of names) assert.strictEqual(resolve(resolve(each)), resolve(each))
  })

  it.prop("the order of aliases does not matter", [Schema.Array(link)], ([drawn]) => {
    const held = heldAfter(drawn)
    const [one, other] = [TestAlias.resolver(held), TestAlias.resolver(held.toReversed())]
    assert.deepStrictEqual(names.map(one), names.map(other))
  })

  it.prop("both names of an alias that holds lead to one", [Schema.Array(link)], ([drawn]) => {
    const held = heldAfter(drawn)
    const resolve = TestAlias.resolver(held)
    for (const { from, kind, to } of held) if (kind === "name") assert.strictEqual(resolve(from), resolve(to))
  })

  it.prop("an alias that holds is not added again", [Schema.Array(link)], ([drawn]) => {
    const held = heldAfter(drawn)
    assert.deepStrictEqual(TestAlias.added(held, held), Result.succeed([]))
  })

  it("a chain leads to its last name, in any order of its aliases", () => {
    const resolve = TestAlias.resolver([named("b", "c"), named("a", "b")])
    assert.deepStrictEqual(["a", "b", "c", "d"].map(resolve), ["c", "c", "c", "d"])
  })

  it("a mask is one test, and an alias of a whole name comes before it", () => {
    const resolve = TestAlias.resolver([masked("takes <*>"), named("takes 0x2000", "takes two")])
    assert.deepStrictEqual(["takes 0x1000", "takes 0x2000", "takes 1"].map(resolve), [
      "takes <*>",
      "takes two",
      "takes 1"
    ])
  })

  it("a circle, a second target, a name onto itself and a mask without a place are refused", () => {
    assert.strictEqual(refusal([named("a", "b"), named("b", "c")], named("c", "a")), "Circle")
    assert.strictEqual(refusal([masked("takes <*>", "a")], named("a", "takes 0x1000")), "Circle")
    assert.strictEqual(refusal([named("a", "b")], named("a", "c")), "Taken")
    assert.strictEqual(refusal([], named("a", "a")), "Itself")
    assert.strictEqual(refusal([], masked("takes")), "NoMask")
    assert.strictEqual(
      refusal(
        Array.from({ length: TestAlias.most }, (_, index) => named(`${index}`, "z")),
        named("a", "z")
      ),
      "TooMany"
    )
  })

  const reportOf = (...testNames: ReadonlyArray<string>) =>
    Report.make({
      key: "key",
      digest: "digest",
      receivedAt: 1,
      finishedAt: 0,
      run: Report.contextOf({ pipelineName: "CI", jobName: "unit", commit: "c" }),
      cases: testNames.map((testName) => Report.caseOf({ testName, conclusion: "passed" }))
    })

  it("a report that has only the old name is as if it had the new one", () => {
    const { report } = TestAlias.applied(reportOf("a", "d", "a"), TestAlias.resolver([named("a", "b")]))
    assert.deepStrictEqual(report, reportOf("b", "d", "b"))
  })

  it.prop(
    "executions of one test have ids of their own, and those under its own name keep theirs",
    [Schema.Array(name), Schema.Array(link)],
    ([testNames, drawn]) => {
      const before = reportOf(...testNames)
      const { report, stored } = TestAlias.applied(before, TestAlias.resolver(heldAfter(drawn)))
      const ids = report.executions.map(({ id, testName }) => `${testName} ${id}`)
      assert.strictEqual(new Set(ids).size, ids.length)
      report.executions.forEach((execution, index) => {
        const own = before.executions[index]
        if (!stored.has(index)) assert.strictEqual(execution, own)
        else assert.strictEqual(stored.get(index), own)
      })
    }
  )
})
