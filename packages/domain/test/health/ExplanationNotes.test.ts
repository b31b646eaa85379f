import { Explanation, Health, HealthPolicy } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const outage = (excused: boolean) => ({ excused }) as Parameters<typeof Explanation.notesOf>[0]["outages"][number]

const found = (run: number, branch: string) => ({ branch, runId: `${run}`, commit: "0123456789abcdef" })

describe("Explanation.notesOf", () => {
  it("a single failure is named, and more are not", () => {
    const notes = (failures: number) => Explanation.notesOf({ elsewhere: [], failures, outages: [], runs: [] })
    assert.deepStrictEqual([0, 1, 2].map(notes), [[], ["Failed once, not run again yet."], []])
  })

  it("outages say how many failures they had, and how many of them count", () => {
    const notes = (outages: ReadonlyArray<boolean>) =>
      Explanation.notesOf({ elsewhere: [], outages: outages.map(outage), runs: ["One.", "Two.", "Three.", "Four."] })
    assert.deepStrictEqual(notes([]), [])
    assert.deepStrictEqual(notes([true]), ["1 failure was part of an outage, not counted. One. Two. Three."])
    assert.deepStrictEqual(notes([true, false]), [
      "2 failures were part of an outage, 1 of them not counted. One. Two. Three."
    ])
  })

  it("of many contradictions on other branches the latest are named and the rest is counted", () => {
    const notes = (count: number) =>
      Explanation.notesOf({
        elsewhere: Array.from({ length: count }, (_, index) => found(index + 1, index === 0 ? "" : "fix")),
        outages: [],
        runs: []
      })
    assert.deepStrictEqual(notes(1), ["Failed and passed in run 1 of a pull request, on commit 0123456789ab."])
    const named = notes(2).length
    assert.strictEqual(named, 2)
    const many = notes(40)
    assert.match(many.at(-2) ?? "", /in run 40 of branch fix/)
    assert.strictEqual(many.at(-1), `And in ${41 - many.length} earlier runs of other branches.`)
  })
})

describe("Explanation.certainty", () => {
  const day = 86_400_000
  const pass = (id: number) => ({
    id: `e${id}`,
    at: 50 * day + id,
    commit: "a",
    conclusion: "passed" as const,
    flaky: false,
    reruns: 0,
    excused: false
  })
  const elsewhere = (id: number, branch: string) =>
    ({ id: `e${id}`, at: 50 * day + id, commit: branch, conclusion: "contradicted", branch }) as const
  const certainty = (items: ReadonlyArray<Health.Item>) =>
    Explanation.certainty(Health.initial, items, 51 * day, HealthPolicy.defaults)

  it("a contradiction on another branch starts the clean reruns again only when it is evidence", () => {
    const passes = [pass(1), pass(2), pass(3)]
    assert.strictEqual(certainty([...passes]).clean, 2)
    assert.strictEqual(certainty([...passes, elsewhere(4, "x")]).clean, 2)
    assert.strictEqual(certainty([...passes, elsewhere(4, "x"), elsewhere(5, "y")]).clean, 0)
    assert.strictEqual(certainty([...passes, elsewhere(4, "x"), elsewhere(5, "y"), pass(6)]).clean, 1)
  })
})
