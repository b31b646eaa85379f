import { Instant } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const midnight = Date.UTC(2026, 2, 1)

describe("Instant.startOfLastDays", () => {
  it("a count of days changes at midnight UTC, not before and not after", () => {
    const february1 = Date.UTC(2026, 1, 1)
    const table: ReadonlyArray<readonly [now: number, days: number, start: number]> = [
      [midnight - 1, 28, february1],
      [midnight, 28, february1 + Instant.day],
      [midnight + Instant.day - 1, 28, february1 + Instant.day],
      [midnight, 1, midnight],
      [midnight - 1, 1, midnight - Instant.day],
      [midnight + 1, 2, midnight - Instant.day],
      [midnight, 0, midnight + Instant.day]
    ]
    for (const [now, days, start] of table) assert.strictEqual(Instant.startOfLastDays(now, days), start)
  })

  it("leap days and the change to summer time are days like others", () => {
    assert.strictEqual(Instant.startOfLastDays(Date.UTC(2028, 2, 1, 12), 2), Date.UTC(2028, 1, 29))
    assert.strictEqual(Instant.startOfLastDays(Date.UTC(2026, 2, 30, 1), 30), Date.UTC(2026, 2, 1))
  })

  it.prop(
    "the start is a midnight, and the days from it to now include today",
    [Instant.Instant, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 }))],
    ([now, days]) => {
      const start = Instant.startOfLastDays(now, days)
      assert.strictEqual(start, new Date(start).setUTCHours(0, 0, 0, 0))
      assert.isTrue(start + days * Instant.day > now && now >= start + (days - 1) * Instant.day)
    }
  )
})

describe("Instant", () => {
  it("the day of an instant is a new one from midnight on", () => {
    assert.strictEqual(Instant.utcDay(midnight), Instant.utcDay(midnight - 1) + 1)
    assert.strictEqual(Instant.utcDay(midnight + Instant.day - 1), Instant.utcDay(midnight))
  })

  it("Instant is a whole number of milliseconds from the epoch to the end of the year 9999", () => {
    const isInstant = Schema.is(Instant.Instant)
    assert.deepStrictEqual([0, Instant.latest].map(isInstant), [true, true])
    assert.deepStrictEqual([-1, 0.5, Instant.latest + 1, Number.NaN].map(isInstant), [false, false, false, false])
    assert.strictEqual(Instant.toIso(Instant.latest), "9999-12-31T23:59:59.999Z")
  })

  it.prop("the ISO text of an instant reads back as the same instant", [Instant.Instant], ([at]) => {
    assert.strictEqual(Date.parse(Instant.toIso(at)), at)
  })
})
