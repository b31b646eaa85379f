import { assert, describe, it } from "@effect/vitest"
import { Instant, QueuePause } from "@lazaret/domain"
import { Schema } from "effect"

const Drawn = Schema.Struct({ reason: QueuePause.Reason, pauseDate: Instant.Instant })

const isReason = Schema.is(QueuePause.Reason)

describe("QueuePause", () => {
  it.prop(
    "pausing again keeps the date and takes the new reason",
    [Schema.NullOr(Drawn), QueuePause.Reason, Instant.Instant],
    ([current, reason, now]) => {
      const paused = QueuePause.pause(current, reason, now)
      assert.deepStrictEqual(paused, { reason, pauseDate: current === null ? now : current.pauseDate })
      assert.deepStrictEqual(QueuePause.pause(paused, reason, now + 1), paused)
    }
  )

  it("a reason has up to 255 characters, counted as people count them", () => {
    assert.isTrue(isReason(""))
    assert.isTrue(isReason("\u{1F600}".repeat(255)))
    assert.isFalse(isReason("x".repeat(256)))
    assert.isFalse(isReason("a\0b"))
  })

  it("the view is a list: empty while not paused, else the one pause", () => {
    assert.deepStrictEqual(QueuePause.view(null), [])
    const pause = QueuePause.pause(null, "release", 5)
    assert.deepStrictEqual(QueuePause.view(pause), [{ reason: "release", pauseDate: 5 }])
  })
})
