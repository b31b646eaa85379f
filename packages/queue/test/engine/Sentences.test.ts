import { assert, describe, it } from "@effect/vitest"
import {
  DequeueReason,
  EngineConfiguration,
  EngineState,
  MergeQueue,
  type Observation,
  QueueCheck,
  WaitReason
} from "@lazaret/queue"
import { make } from "../../src/engine/Batch.ts"
import type { Entry } from "../../src/engine/Entry.ts"
import { begin } from "../../src/engine/Round.ts"

describe("the sentence of a reason to leave", () => {
  const failure = (test: string): Observation.Failure => ({ check: "unit", test, class: "real", probability: null })
  const failed = (parts: Omit<DequeueReason.DequeueReason, "code">) =>
    DequeueReason.sentence({ code: "checks_failed", ...parts })

  it("failed tests are named, up to three, each once, and so are several attempts", () => {
    const because = "It is not known whether this change is the cause."
    assert.strictEqual(failed({}), `A required check failed. ${because}`)
    assert.strictEqual(failed({ checks: ["unit", "e2e"], attempts: 1 }), `unit and e2e failed. ${because}`)
    const of = (tests: ReadonlyArray<string>) =>
      failed({ checks: ["unit"], failures: [{ ...failure("a"), test: null }, ...tests.map(failure)], attempts: 2 })
    assert.strictEqual(of(["a", "a"]), `unit (a) failed in 2 attempts. ${because}`)
    assert.strictEqual(of(["a", "b", "c"]), `unit (a, b and c) failed in 2 attempts. ${because}`)
    assert.strictEqual(of(["a", "b", "c", "d"]), `unit (a, b and c, …) failed in 2 attempts. ${because}`)
  })

  it("a failure that was inferred names the pull requests that failed together", () => {
    const reason = { checks: ["unit"], members: [4, 5, 6], class: "real" } as const
    assert.strictEqual(
      failed({ ...reason, inferred: true }),
      "unit failed on #4, #5 and #6 together; the others have landed. The failure is judged to be caused by this change."
    )
    assert.strictEqual(
      failed({ ...reason, inferred: false }),
      "unit failed. The failure is judged to be caused by this change."
    )
  })

  it("reasons about checks are failures, and those about people are not", () => {
    const failures = DequeueReason.Code.literals.filter((code) => DequeueReason.isFailure({ code }))
    assert.deepStrictEqual(failures, [
      "checks_failed",
      "checks_timeout",
      "missing_check",
      "batch_failed",
      "not_resolved"
    ])
  })
})

describe("what a pull request waits for", () => {
  const entry: Entry = {
    number: 1,
    head: "h",
    rule: "default",
    priority: 2000,
    queuedAt: 0,
    by: "ada",
    pull: {
      number: 1,
      state: "open",
      draft: false,
      head: "h",
      base: "main",
      mergeable: true,
      approved: true,
      blockedBy: null,
      version: 1
    },
    readyAt: 0,
    confirmed: null,
    overtaken: 0,
    reruns: 0,
    hold: null,
    leaving: null
  }
  const batch = (id: string, number: number, parts: Partial<ReturnType<typeof make>> = {}) => ({
    ...make(id, "default", [{ number, head: "h" }]),
    ...parts
  })
  const reason = (parts: Partial<EngineState.EngineState>) =>
    WaitReason.of({ ...EngineState.initial, entries: [entry], ...parts }, 1, {
      configuration: EngineConfiguration.defaults,
      now: 10
    })
  const incident = { at: 0, signature: "unit", probedAt: 0 }
  const failed = {
    outcome: "red",
    class: "real",
    probability: null,
    checks: ["unit"],
    failures: [],
    sha: "s",
    tree: "t",
    members: [1, 2],
    attempts: 1
  } as const

  it("a pull request that is not in the queue waits for nothing", () => {
    assert.isNull(reason({ entries: [] }))
    assert.isNull(reason({ entries: [{ ...entry, number: 2 }] }))
  })

  it("a landing goes on in a pause, and everything else waits for its end", () => {
    const pause = { at: 0, by: "ana", reason: "release" }
    assert.deepStrictEqual(reason({ pause, batches: [batch("a", 1, { phase: "landing" })] }), { kind: "landing" })
    assert.deepStrictEqual(reason({ pause, batches: [batch("a", 1)] }), {
      kind: "paused",
      by: "ana",
      reason: "release"
    })
  })

  it("a conflict, a refusal and a pull request that is not ready are named", () => {
    const held = (hold: Entry["hold"]) => reason({ entries: [{ ...entry, hold }] })
    assert.deepStrictEqual(held({ kind: "conflict", ahead: [7], baseTree: "t" }), { kind: "conflict", ahead: [7] })
    assert.deepStrictEqual(held({ kind: "refused", detail: "rule" }), {
      kind: "refused",
      detail: "rule"
    })
    assert.deepStrictEqual(reason({ entries: [{ ...entry, pull: null }] }), { kind: "obstacle", obstacle: "not_seen" })
  })

  it("a planned batch waits for the part before it, the end of an incident, or a place", () => {
    const suspect = (left: string | null) => ({ failed, on: "o", left, base: "t" })
    const planned = (parts: Partial<ReturnType<typeof make>>, state: Partial<EngineState.EngineState> = {}) =>
      reason({ batches: [batch("a", 1, parts)], ...state })?.kind
    assert.strictEqual(planned({ suspect: suspect("b") }, { incident }), "left_part")
    assert.strictEqual(planned({ suspect: suspect(null) }, { incident }), "incident")
    assert.strictEqual(planned({}, { incident }), "incident")
    assert.strictEqual(planned({}), "place")
    assert.strictEqual(planned({ phase: "building" }), "building")
  })

  it("a batch that the platform refuses to build says so, with how often and in its words", () => {
    const build = { kind: "build", id: "build/a/1", batch: "a", onto: "m", members: [], method: "merge" } as const
    const waiting = (of: string, refusal: string | null, tries = 1) => {
      const inflight = [{ command: { ...build, batch: of }, tries, notBefore: 0, refusal }]
      const found = reason({ inflight, batches: [batch("a", 1, { phase: "building" })] })
      return found === null ? "" : WaitReason.sentence(found)
    }
    assert.strictEqual(
      waiting("a", "no right", 3),
      "The platform has refused to build its batch 3 times, and is asked again: no right"
    )
    assert.match(waiting("a", "no right"), /^The platform has refused to build its batch once, /u)
    for (const other of [waiting("a", null), waiting("b", "no right")]) {
      assert.strictEqual(other, "Its batch is being built.")
    }
  })

  it("a batch that is tested says which checks are open, and at which attempt", () => {
    const check = (name: string, state: QueueCheck.State) => ({ name, state, attempt: 1 })
    const round = {
      ...begin("s", "t", 0),
      attempt: 2,
      checks: [check("unit", "success"), check("e2e", "pending"), check("lint", "failure")]
    }
    const testing = reason({ batches: [batch("a", 1, { phase: "testing", round })] })
    assert.deepStrictEqual(testing, { kind: "checks", checks: ["e2e"], attempt: 2 })
    const unread = reason({ batches: [batch("a", 1, { phase: "testing", round: null })] })
    assert.deepStrictEqual(unread, { kind: "checks", checks: [], attempt: 1 })
  })

  it("a batch that is decided waits for those ahead of it", () => {
    const after = (phase: "red" | "green", state: Partial<EngineState.EngineState> = {}) =>
      reason({ batches: [batch("a", 7), batch("b", 8), batch("c", 1, { phase }), batch("d", 9)], ...state })
    assert.deepStrictEqual(after("red"), { kind: "ahead", numbers: [7, 8], isRed: true })
    assert.deepStrictEqual(after("red", { incident }), { kind: "incident", signature: "unit" })
    assert.deepStrictEqual(after("green"), { kind: "ahead", numbers: [7, 8], isRed: false })
    assert.deepStrictEqual(reason({ batches: [batch("c", 1, { phase: "green" })] }), { kind: "landing" })
  })

  it("the sentences say attempts, open checks, and whether the checks passed", () => {
    const sentences = [
      WaitReason.sentence({ kind: "checks", checks: [], attempt: 1 }),
      WaitReason.sentence({ kind: "checks", checks: ["unit", "e2e"], attempt: 2 }),
      WaitReason.sentence({ kind: "ahead", numbers: [7, 8], isRed: true }),
      WaitReason.sentence({ kind: "ahead", numbers: [7], isRed: false })
    ]
    assert.deepStrictEqual(sentences, [
      "Its checks run: no result yet.",
      "Its checks run (attempt 2): unit, e2e.",
      "Its checks failed; whether it is the cause is decided after #7, #8.",
      "Its checks passed; #7 land first."
    ])
  })
})

describe("the state of several checks", () => {
  const lightest = [
    "skipped",
    "neutral",
    "success",
    "pending",
    "stale",
    "cancelled",
    "action_required",
    "timed_out",
    "error",
    "failure"
  ] as const

  it("of two states the heavier one counts, and no check is pending", () => {
    for (const [index, light] of lightest.entries()) {
      for (const heavy of lightest.slice(index)) {
        assert.strictEqual(QueueCheck.combine([light, heavy]), heavy)
        assert.strictEqual(QueueCheck.combine([heavy, light]), heavy)
      }
    }
    assert.strictEqual(QueueCheck.combine([]), "pending")
  })
})

describe("the order of the queue", () => {
  it("a higher priority comes first, then the earlier, then the lower number", () => {
    const pull = (number: number, priority: number, queuedAt: number) => ({ number, priority, queuedAt })
    const pulls = [pull(9, 3000, 9), pull(7, 2000, 1), pull(8, 2000, 1), pull(2, 2000, 5), pull(1, 1000, 0)]
    for (const [index, earlier] of pulls.entries()) {
      assert.strictEqual(MergeQueue.order(earlier, { ...earlier }), 0)
      for (const later of pulls.slice(index + 1)) {
        assert.deepStrictEqual([MergeQueue.order(earlier, later), MergeQueue.order(later, earlier)], [-1, 1])
      }
    }
  })
})
