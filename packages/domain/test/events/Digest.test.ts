import { Digest, Event, TestId, JobRunEvents } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const cause = { id: "u1", at: 1, branch: "main" }

const moves = (count: number, commit: string, to: "broken" | "flaky" = "broken", id = "u1") =>
  Event.healthChanged(
    Array.from({ length: count }, (_, index) => ({
      identity: { testName: `test ${index}`, pipelineName: "CI", jobName: "unit" },
      from: "healthy" as const,
      to,
      rule: "failure" as const,
      commit,
      ranAt: 1,
      pull: null
    })),
    { ...cause, id }
  )

const outage = (commit: string, jobName: string) =>
  JobRunEvents.outages(
    [
      {
        key: `${commit} ${jobName}`,
        at: 1,
        context: { pipelineName: "CI", jobName, runId: "5", runAttempt: 1, commit },
        judgement: { outage: true, excused: true, many: true, hit: 300, passedBefore: 320 }
      }
    ],
    cause
  )

const textsOf = (events: ReadonlyArray<Event.Event>) => Digest.of(events, new Map()).lines.map(({ text }) => text)

describe("Digest.of", () => {
  it("a broken merge of 300 tests is one line, with its commit and the names of two tests", () => {
    const [line, ...others] = Digest.of(
      moves(300, "0123456789abcdef"),
      new Map([[TestId.of("test 1"), ["@acme/web"]]])
    ).lines
    assert.deepStrictEqual(others, [])
    assert.strictEqual(
      line?.text,
      '300 verdicts changed from healthy to broken on commit 0123456789ab: "test 0", "test 1" and 298 more.'
    )
    assert.deepStrictEqual([line?.owners, line?.testId], [["@acme/web"], null])
  })

  it("verdicts of tests with one cause are one line, whatever their commits are, and single ones keep theirs", () => {
    const timeout = { causeId: "c", name: "Timeout, 12 tests of net", tests: 12 }
    const causes = new Map([0, 1, 2].map((index) => [`test ${index}`, timeout] as const))
    const events = [...moves(2, "c1"), ...moves(3, "c2", "flaky", "u2"), ...moves(4, "c3", "broken", "u3").slice(3)]
    const { lines } = Digest.of(events, new Map(), causes)
    assert.deepStrictEqual(
      lines.map(({ text }) => text),
      [
        "2 of 12 tests with one cause became broken: Timeout, 12 tests of net.",
        "3 of 12 tests with one cause became flaky: Timeout, 12 tests of net.",
        '"test 3" was healthy and is broken now (CI, unit).'
      ]
    )
    assert.deepStrictEqual([lines[0]?.causeId, lines[0]?.testId], ["c", TestId.of("test 0")])
    const [single] = Digest.of(moves(1, "c1"), new Map(), causes).lines
    assert.deepStrictEqual(
      [single?.text, single?.causeId],
      ['"test 0" was healthy and is broken now (CI, unit).', null]
    )
  })

  it("an outage of several jobs is one line, and holds the verdicts that broke on its commit", () => {
    const events = [
      ...outage("c1", "unit"),
      ...moves(300, "c1"),
      ...outage("c1", "browser"),
      ...moves(1, "c2", "flaky", "u2")
    ]
    assert.deepStrictEqual(textsOf(events), [
      "Outage on commit c1: CI / unit, run 5: 300 of 320 tests failed that passed before. So did another job run. 300 verdicts became broken.",
      '"test 0" was healthy and is flaky now (CI, unit).'
    ])
  })

  it("two changed tests are two lines that lead to them, and other commits and verdicts stay apart", () => {
    const { lines } = Digest.of(moves(2, "c1"), new Map())
    assert.deepStrictEqual(
      lines.map(({ testId }) => testId),
      [TestId.of("test 0"), TestId.of("test 1")]
    )
    assert.lengthOf(
      textsOf([...moves(3, "c1"), ...moves(3, "c2", "broken", "u2"), ...moves(3, "c2", "flaky", "u3")]),
      3
    )
  })

  it.prop(
    "a digest has at most 40 lines, says how many more there are, and is the same for the same events",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })))],
    ([counts]) => {
      const events = counts.flatMap((count, index) => moves(count, `c${index}`, "broken", `u${index}`))
      const digest = Digest.of(events, new Map())
      const lines = counts.reduce((sum, count) => sum + (count >= 3 ? 1 : count), 0)
      assert.strictEqual(digest.lines.length, Math.min(lines, Digest.mostLines))
      assert.strictEqual(digest.lines.length + digest.further, lines)
      assert.deepStrictEqual(Digest.of(events, new Map()), digest)
    }
  )

  it.prop(
    "digests share the lines of a message: all of them are used, and a digest with fewer lines than another is cut after it",
    [
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
    ],
    ([counts, most]) => {
      const given = Digest.shares(counts, most)
      const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((all, each) => all + each, 0)
      assert.strictEqual(sum(given), Math.min(most, sum(counts)))
      assert.isTrue(given.every((each, index) => each <= (counts[index] ?? 0)))
      const cut = given.filter((each, index) => each < (counts[index] ?? 0))
      assert.isAtMost(Math.max(0, ...given) - Math.min(...cut, Infinity), 1)
    }
  )
})
