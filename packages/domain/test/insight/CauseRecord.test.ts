import { type CauseFacts, CausePolicy, CauseRecord, CauseRound, Instant, Steps } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const start = Date.UTC(2026, 0, 5)

const run = (day: number, failed: ReadonlyArray<string>): CauseFacts.FailedRun => ({
  key: `run ${day} ${failed.join()}`,
  at: start + day * Instant.day,
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  commit: `c${day}`,
  ordinal: 2 * day,
  isOnDefault: true,
  isExcused: false,
  failed: failed.map((testName) => ({ testName, signature: "refused", frame: null }))
})

const exceptions = new Map([["refused", { exceptionType: null, message: "connection refused" }]])
const policy = { ...CausePolicy.defaults, leastRuns: 3 }

const roundOf = (
  runs: ReadonlyArray<CauseFacts.FailedRun>,
  before: ReadonlyArray<CauseRecord.CauseRecord>,
  day: number
) => {
  const now = start + day * Instant.day
  return CauseRound.of(
    Steps.finish(CauseRound.found({ facts: { runs, exceptions }, before, now }, policy)),
    before,
    now
  )
}

const weekOne = [1, 3, 5].map((day) => run(day, ["net > a", "net > b"]))
const weekTwo = [...weekOne, ...[8, 10].map((day) => run(day, ["net > a", "net > b", "net > c"]))]

const first = roundOf(weekOne, [], 7).records

describe("CauseRecord", () => {
  it("too few job runs with failures give no cause, and say how many are missing", () => {
    assert.deepStrictEqual(roundOf(weekOne.slice(0, 1), [], 7), { redRuns: 1, missingRuns: 2, records: [] })
  })

  it("a cause keeps its record, its birth and its decisions while tests come", () => {
    const at = start + 7 * Instant.day
    const owned = first.map((record) => CauseRecord.decided(record, { owner: "@acme/net" }, { at, by: "ada" }))
    const [second, ...others] = roundOf(weekTwo, owned, 14).records
    assert.deepStrictEqual(others, [])
    assert.strictEqual(second?.causeId, first[0]?.causeId)
    assert.deepStrictEqual([second?.owner, second?.changedBy, second?.bornAt], ["@acme/net", "ada", at])
    assert.strictEqual(second?.known.testCount, 3)
  })

  it("a closed cause stays closed until it fails again", () => {
    const closedAt = start + 6 * Instant.day
    const closed = first.map((record) => CauseRecord.decided(record, { closedAt }, { at: closedAt, by: "ada" }))
    assert.strictEqual(roundOf(weekOne, closed, 7).records[0]?.closedAt, closedAt)
    assert.strictEqual(roundOf(weekTwo, closed, 14).records[0]?.closedAt, null)
  })

  it("silence ends by itself", () => {
    const silencedUntil = start + 10 * Instant.day
    const silenced = first.map((record) => CauseRecord.decided(record, { silencedUntil }, { at: start, by: "ada" }))
    const [record] = silenced
    assert.isDefined(record)
    assert.strictEqual(CauseRecord.stateOf(record, silencedUntil - 1), "silenced")
    assert.strictEqual(CauseRecord.stateOf(record, silencedUntil), "open")
    assert.strictEqual(roundOf(weekOne, silenced, 14).records[0]?.silencedUntil, null)
  })

  it("a cause whose failures are not read any more is gone, and is removed 90 days later unless somebody decided something", () => {
    const others = [20, 22, 24].map((day) => run(day, ["ui > x"]))
    const gone = roundOf(others, first, 30).records.find(({ causeId }) => causeId === first[0]?.causeId)
    assert.isDefined(gone)
    assert.strictEqual(gone.goneAt, start + 30 * Instant.day)
    const later = (records: ReadonlyArray<CauseRecord.CauseRecord>) =>
      roundOf(others, records, 130).records.filter(({ causeId }) => causeId === first[0]?.causeId).length
    assert.strictEqual(later([gone]), 0)
    assert.strictEqual(later([{ ...gone, ticket: "NET-1" }]), 1)
    assert.strictEqual(later([{ ...gone, silencedUntil: start + 31 * Instant.day }]), 0)
    assert.strictEqual(later([{ ...gone, silencedUntil: start + 1000 * Instant.day }]), 1)
  })

  it("a merge keeps one record, which takes over the ticket of the other", () => {
    const [a, b] = [[1, 3, 5, 7].map((day) => run(day, ["net > a"])), [2, 4].map((day) => run(day, ["ui > b"]))]
    const apart = roundOf([...a, ...b], [], 8).records
    assert.strictEqual(apart.length, 2)
    const ticketed = apart.map((record) =>
      record.known.tests[0]?.testName === "ui > b" ? { ...record, ticket: "UI-7" } : record
    )
    const together = [10, 12, 14, 16, 18, 20].map((day) => run(day, ["net > a", "ui > b"]))
    const merged = roundOf([...a, ...b, ...together], ticketed, 30).records
    assert.deepStrictEqual(
      merged.map(({ from, ticket }) => [from.length, ticket]),
      [[1, "UI-7"]]
    )
  })
})
