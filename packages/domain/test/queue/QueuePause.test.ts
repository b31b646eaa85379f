import { assert, describe, it } from "@effect/vitest"
import { Instant, QueuePause } from "@lazaret/domain"
import { Schema } from "effect"

const reasonIsFit = Schema.is(QueuePause.Reason)

describe("QueuePause", () => {
  it.prop(
    "pausing again keeps the date and takes the new reason",
    [Schema.NullOr(QueuePause.QueuePause), QueuePause.Reason, Instant.Instant],
    ([current, reason, now]) => {
      const paused = QueuePause.pause(current, reason, now)
      assert.deepStrictEqual(paused, { reason, pause_date: current === null ? now : current.pause_date })
      assert.deepStrictEqual(QueuePause.pause(paused, reason, now + 1), paused)
    }
  )

  it("a reason has up to 255 characters, counted as people count them", () => {
    assert.isTrue(reasonIsFit(""))
    assert.isTrue(reasonIsFit("\u{1F600}".repeat(255)))
    assert.isFalse(reasonIsFit("x".repeat(256)))
    assert.isFalse(reasonIsFit("a\0b"))
  })

  it("the view is a list: empty while not paused, else the one pause", () => {
    assert.deepStrictEqual(QueuePause.view(null), [])
    const pause = QueuePause.pause(null, "release", 5)
    assert.deepStrictEqual(QueuePause.view(pause), [{ reason: "release", pause_date: 5 }])
  })

  it("instants take the encoding that the caller asks for", () => {
    const encode = Schema.encodeSync(QueuePause.withTime(Schema.NumberFromString))
    assert.deepStrictEqual<unknown>(encode({ reason: "", pause_date: 5 }), { reason: "", pause_date: "5" })
  })
})
