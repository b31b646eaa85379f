import { type Event, HealthStatus, Instant, Trend } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const moved = (from: string, to: string, day: number, observed = day) => ({
  at: observed * Instant.day,
  type: "test.health_changed" as const,
  detail: { from, to, ranAt: Instant.toIso(day * Instant.day) }
})

const days = { first: 0, last: 4, knownSince: 0 }

const Step = Schema.Struct({ test: Schema.Literals([0, 1, 2]), to: HealthStatus.HealthStatus })

describe("Trend", () => {
  it("a change belongs to the day of its run, whenever it was observed", () => {
    const now = { flaky: 1, broken: 0, quarantined: 0 }
    const trend = Trend.of(now, [moved("healthy", "flaky", 2, 4)], days)
    assert.deepStrictEqual(
      trend.map(({ flaky }) => flaky),
      [0, 0, 1, 1, 1]
    )
  })

  it("many changes of one upload, and quarantines, count on the day of their event", () => {
    const now = { flaky: 0, broken: 700, quarantined: 0 }
    const changes = [{ from: "healthy", to: "broken", tests: 700 }]
    const events: ReadonlyArray<Pick<Event.Event, "at" | "detail" | "type">> = [
      { at: 3 * Instant.day, type: "tests.health_changed", detail: { total: 700, changes } },
      { at: 2 * Instant.day, type: "quarantine.removed", detail: {} },
      { at: Instant.day, type: "quarantine.created", detail: {} }
    ]
    const trend = Trend.of(now, events, days)
    assert.deepStrictEqual(
      trend.map(({ broken, quarantined }) => [broken, quarantined]),
      [
        [0, 0],
        [0, 1],
        [0, 0],
        [700, 0],
        [700, 0]
      ]
    )
  })

  it("days to which the log does not reach back have no counts", () => {
    const trend = Trend.of({ flaky: 2, broken: 1, quarantined: 0 }, [], { ...days, knownSince: 3 })
    assert.deepStrictEqual(
      trend.map(({ flaky }) => flaky),
      [null, null, null, 2, 2]
    )
  })

  it.prop(
    "counting backwards from now and forwards from the start give the same numbers",
    [Arbitrary.array(Arbitrary.array(Arbitrary.schema(Step), { maxLength: 4 }), { minLength: 5, maxLength: 5 })],
    ([steps]) => {
      const status: Array<HealthStatus.HealthStatus> = ["healthy", "healthy", "healthy"]
      const events: Array<ReturnType<typeof moved>> = []
      const having = (wanted: HealthStatus.HealthStatus) => status.filter((each) => each === wanted).length
      const forward = steps.map((ofDay, day) => {
        for (const { test, to } of ofDay) {
          const from = status[test] ?? "healthy"
          if (from === to) continue
          events.push(moved(from, to, day))
          status[test] = to
        }
        return { day, flaky: having("flaky"), broken: having("broken"), quarantined: 0 }
      })
      const now = { flaky: having("flaky"), broken: having("broken"), quarantined: 0 }
      assert.deepStrictEqual(Trend.of(now, events.toReversed(), days), forward)
    }
  )
})
