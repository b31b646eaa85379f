import { assert, describe, it } from "@effect/vitest"
import { Text } from "@lazaret/domain"
import { QueueEvent } from "@lazaret/queue"
import { Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { queueEvents } from "../src/testing/queues.ts"

const decode = Schema.decodeUnknownResult(QueueEvent.QueueEvent, { errors: "all" })
const encode = Schema.encodeSync(QueueEvent.QueueEvent)
const common = { id: "e1", at: 1_700_000_000_000, branch: "main", pull_request: 7 }

const accepts = (fields: Record<string, unknown>): boolean => Result.isSuccess(decode({ ...common, ...fields }))

const check = { name: "build", description: "", url: null, state: "pending", avatar_url: null }

describe("QueueEvent", () => {
  it.prop("an event survives encoding, JSON and decoding", [queueEvents], ([events]) => {
    for (const event of events) {
      assert.deepStrictEqual(Result.getOrThrow(decode(JSON.parse(JSON.stringify(encode(event))))), event)
    }
  })

  it("the encoded keys are the words of the interface", () => {
    const event: QueueEvent.QueueEvent = {
      id: "e1",
      at: 0,
      branch: "main",
      pullRequest: 7,
      kind: "checks_started",
      checkType: "draft_pr",
      checkPullRequest: 8,
      evaluatedConditions: "- [X] approved"
    }
    assert.deepStrictEqual<unknown>(encode(event), {
      id: "e1",
      at: 0,
      branch: "main",
      pull_request: 7,
      kind: "checks_started",
      check_type: "draft_pr",
      check_pull_request: 8,
      evaluated_conditions: "- [X] approved"
    })
  })

  it("a kind that is not known is kept by its name", () => {
    const event = Result.getOrThrow(decode({ ...common, kind: "frozen" }))
    assert.isFalse(QueueEvent.isKnown(event))
    assert.deepStrictEqual<unknown>(encode(event), { ...common, kind: "frozen" })
  })

  it("a known kind with wrong fields is refused and not taken for an unknown one", () => {
    assert.isFalse(accepts({ kind: "queued", priority: "highest" }))
    assert.isFalse(accepts({ kind: "checks_started", check_type: "remote" }))
    assert.isFalse(accepts({ kind: "priority_changed" }))
  })

  it("pull request numbers are exact up to the largest that a double holds, and refused above", () => {
    for (const number of [0, 1, Number.MAX_SAFE_INTEGER]) {
      assert.isTrue(accepts({ kind: "merged", pull_request: number }), String(number))
    }
    for (const number of [-1, 0.5, Number.MAX_SAFE_INTEGER + 1, 9_223_372_036_854_776_000, Number.NaN, "7", null]) {
      assert.isFalse(accepts({ kind: "merged", pull_request: number }), String(number))
    }
  })

  it("checks end in a state that is an end", () => {
    assert.isTrue(accepts({ kind: "checks_ended", state: "timed_out" }))
    assert.isFalse(accepts({ kind: "checks_ended", state: "pending" }))
  })

  it("the addresses of a check are web addresses", () => {
    const withUrl = (url: string | null) => accepts({ kind: "check_updated", check: { ...check, url } })
    assert.isTrue(withUrl("https://ci.example/1"))
    assert.isTrue(withUrl(null))
    assert.isFalse(withUrl("javascript:alert(1)"))
  })

  it("instants take the encoding that the caller asks for", () => {
    const schema = QueueEvent.withTime(Schema.NumberFromString)
    const event = Schema.decodeUnknownSync(schema)({ ...common, at: "12", kind: "merged" })
    assert.strictEqual(event.at, 12)
  })

  it.prop("the order is total and names one place for every event", [queueEvents], ([events]) => {
    const sorted = events.toSorted(QueueEvent.order)
    for (const [index, event] of sorted.entries()) {
      const next = sorted[index + 1]
      if (next === undefined) continue
      assert.strictEqual(QueueEvent.order(event, next), -1)
      assert.strictEqual(QueueEvent.order(next, event), 1)
    }
  })

  it.prop(
    "base branches are those of the events in the half-open window, sorted, each once",
    [queueEvents, Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })))],
    ([events, second]) => {
      const window = { start: 10_000, end: 10_000 + second * 1000 }
      const inside = events.filter((event) => event.at >= window.start && event.at < window.end)
      const names = QueueEvent.baseRefs(events, window)
      assert.deepStrictEqual(new Set(names), new Set(inside.map((event) => event.branch)))
      assert.isTrue(names.every((name, index) => index === 0 || Text.compare(names[index - 1] ?? "", name) < 0))
    }
  )
})
