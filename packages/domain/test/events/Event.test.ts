import { Event } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

describe("Event", () => {
  it("the details of a pause have the names of the wire", () => {
    const detail = { reason: "release", pause_date: "1970-01-01T00:00:05.000Z" }
    const pause = { reason: "release", pauseDate: 5000 }
    assert.deepStrictEqual(Event.paused(pause, 6000, "key 1").detail, detail)
    assert.deepStrictEqual(Event.unpaused(pause, 6000, "key 1").detail, detail)
  })
})
