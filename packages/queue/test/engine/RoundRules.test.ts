import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, EngineState, FailureClass, type Observation, type QueueCheck } from "@lazaret/queue"
import * as Incident from "../../src/engine/Incident.ts"
import * as RerunBudget from "../../src/engine/RerunBudget.ts"
import * as Round from "../../src/engine/Round.ts"
import * as RoundVerdict from "../../src/engine/RoundVerdict.ts"

const check = (name: string, state: QueueCheck.State, attempt = 1): Observation.Check => ({ name, state, attempt })

const failure = (of: FailureClass.FailureClass, probability: number | null = null): Observation.Failure => ({
  check: "unit",
  test: "sorts",
  class: of,
  probability
})

const begun = (isWatched = false): Round.Round => Round.begin("s", "t", 1000, isWatched)

const seen = (
  round: Round.Round,
  version: number,
  checks: ReadonlyArray<Observation.Check>,
  at: { readonly clock: number; readonly isPaused: boolean } = { clock: 2000, isPaused: false }
): Round.Round => Round.see(round, { version, checks }, at)

const statesOf = ({ checks }: Round.Round) => checks.map(({ state }) => state)

describe("the round of a commit", () => {
  it("a snapshot that is not newer changes nothing, and the first may have the version 0", () => {
    const first = seen(begun(), 0, [check("unit", "success")])
    assert.deepStrictEqual(statesOf(first), ["success"])
    assert.strictEqual(seen(first, 0, [check("unit", "failure")]), first)
    assert.strictEqual(seen(seen(first, 5, []), 4, [check("unit", "failure")]).checks.length, 0)
  })

  it("a rerun waits for a new attempt of each check that failed, and of no other", () => {
    const red = seen(begun(), 1, [check("lint", "success"), check("unit", "failure"), check("e2e", "failure")])
    const again = Round.rerun(red, { checks: ["unit", "e2e"], failures: [], class: "flaky" }, 3000)
    assert.deepStrictEqual(statesOf(again), ["success", "pending", "pending"])
    const old = seen(again, 2, [check("lint", "success"), check("unit", "failure"), check("e2e", "success", 2)])
    assert.deepStrictEqual(statesOf(old), ["success", "pending", "success"])
    assert.isNull(old.redAt)
  })

  it("a rerun is not forgotten when the check is absent for a while, or is asked for once more meanwhile", () => {
    const red = seen(begun(), 1, [check("unit", "failure", 2)])
    const asked = { checks: ["unit"], failures: [], class: "flaky" } as const
    const again = seen(Round.rerun(red, asked, 3000), 2, [])
    assert.deepStrictEqual([again.checks.length, Round.lastAttempt(again, ["unit"])], [0, 2])
    const twice = Round.rerun(again, asked, 4000)
    for (const round of [again, twice]) {
      assert.deepStrictEqual(statesOf(seen(round, 3, [check("unit", "failure", 2)])), ["pending"])
      assert.deepStrictEqual(statesOf(seen(round, 3, [check("unit", "failure", 3)])), ["failure"])
    }
  })

  it("a check that was asked to run again is waited for until it has, also when another one is asked for meanwhile", () => {
    const asked = (name: string) => ({ checks: [name], failures: [], class: "flaky" }) as const
    const red = seen(begun(), 1, [check("unit", "failure"), check("e2e", "failure")])
    const twice = Round.rerun(Round.rerun(red, asked("unit"), 3000), asked("e2e"), 4000)
    const old = seen(twice, 2, [check("unit", "failure"), check("e2e", "failure")])
    assert.deepStrictEqual(statesOf(old), ["pending", "pending"])
  })

  it("a refused rerun makes the checks that wait for it red again, with what was reported", () => {
    const red = Round.report(
      seen(begun(), 1, [check("lint", "pending"), check("unit", "failure"), check("e2e", "failure")]),
      1,
      [failure("flaky")]
    )
    const again = Round.rerun(red, { checks: ["unit"], failures: [failure("flaky")], class: "flaky" }, 3000)
    const refused = Round.refuseRerun(again, 4000)
    assert.deepStrictEqual(statesOf(refused), ["pending", "failure", "failure"])
    assert.deepStrictEqual([refused.redAt, refused.canRerun, refused.reports], [4000, false, [failure("flaky")]])
  })

  it("a check that is skipped or neutral is not red, and one that ended otherwise is", () => {
    const redAt = (state: QueueCheck.State) => seen(begun(), 1, [check("unit", state)]).redAt
    assert.deepStrictEqual((["pending", "success", "neutral", "skipped"] as const).map(redAt), [null, null, null, null])
    assert.deepStrictEqual(
      (["failure", "cancelled", "timed_out", "error"] as const).map(redAt),
      [2000, 2000, 2000, 2000]
    )
  })

  it("a round is red since its first failure, and red in a pause only when that began in one", () => {
    const paused = { clock: 2000, isPaused: true }
    const later = { clock: 5000, isPaused: true }
    const red = [check("unit", "failure")]
    const first = seen(begun(), 1, red, paused)
    assert.deepStrictEqual([first.redAt, first.isRedInPause], [2000, true])
    const still = seen(first, 2, red, { clock: 5000, isPaused: false })
    assert.deepStrictEqual([still.redAt, still.isRedInPause], [2000, true])
    const before = seen(seen(begun(), 1, red), 2, red, later)
    assert.deepStrictEqual([before.redAt, before.isRedInPause], [2000, false])
    const green = seen(first, 2, [check("unit", "success")], later)
    assert.deepStrictEqual([green.redAt, green.isRedInPause], [null, false])
  })

  it("a watched round is quiet from the first reading without a run, and a working run ends that", () => {
    const read = (round: Round.Round, version: number, running: boolean | undefined, clock: number) =>
      Round.see(round, running === undefined ? { version, checks: [] } : { version, checks: [], running }, {
        clock,
        isPaused: false
      })
    const fresh = begun(true)
    assert.deepStrictEqual([Round.quietFor(fresh, 9000), Round.quietAt(fresh, 100)], [0, null])
    const quiet = read(read(fresh, 1, false, 2000), 2, false, 2600)
    assert.deepStrictEqual([Round.quietFor(quiet, 9000), Round.quietAt(quiet, 100)], [600, 2100])
    const unread = read(quiet, 3, undefined, 5000)
    assert.strictEqual(Round.quietFor(unread, 9000), 600)
    const working = read(unread, 4, true, 6000)
    assert.deepStrictEqual([Round.quietFor(working, 9000), Round.quietAt(working, 100)], [0, null])
  })

  it("a round whose runs are not read is quiet since its attempt began", () => {
    const round = begun()
    assert.deepStrictEqual([Round.quietFor(round, 4000), Round.quietAt(round, 100)], [3000, 1100])
  })
})

describe("the verdict on a round", () => {
  const configuration = { ...EngineConfiguration.defaults, requiredChecks: ["unit", "e2e"] }
  const at = (clock: number, timeout: number | null = null) => ({ configuration, timeout, clock })
  const both = (unit: QueueCheck.State, e2e: QueueCheck.State) =>
    seen(begun(), 1, [check("unit", unit), check("e2e", e2e)])
  const missingAfter = 15 * Instant.minute

  it("a check that does not appear is missing after a quarter of an hour, or after the timeout if that is shorter", () => {
    const absent = seen(begun(), 1, [check("unit", "success")])
    const until = 1000 + missingAfter
    assert.deepStrictEqual(RoundVerdict.of(absent, at(2000)), { kind: "pending", until, isFailing: false })
    assert.strictEqual(RoundVerdict.of(absent, at(until - 1)).kind, "pending")
    assert.deepStrictEqual(RoundVerdict.of(absent, at(until)), { kind: "missing", checks: ["e2e"] })
    const sooner = RoundVerdict.of(absent, at(2000, Instant.minute))
    assert.deepStrictEqual(sooner, { kind: "pending", until: 1000 + Instant.minute, isFailing: false })
    assert.strictEqual(RoundVerdict.of(absent, at(1000 + Instant.minute, Instant.minute)).kind, "missing")
    assert.strictEqual(RoundVerdict.of(absent, at(until, Instant.hour)).kind, "missing")
  })

  it("a check that does not end is a timeout at its limit, and is awaited without end where none is", () => {
    const open = both("success", "pending")
    const until = 1000 + Instant.hour
    const pending = { kind: "pending", isFailing: false } as const
    assert.deepStrictEqual(RoundVerdict.of(open, at(2000, Instant.hour)), { ...pending, until })
    assert.deepStrictEqual(RoundVerdict.of(open, at(until - 1, Instant.hour)), { ...pending, until })
    assert.deepStrictEqual(RoundVerdict.of(open, at(until, Instant.hour)), { kind: "timeout", checks: ["e2e"] })
    assert.deepStrictEqual(RoundVerdict.of(open, at(1e12)), { ...pending, until: null })
  })

  it("the next evaluation is at the earlier of both limits, and never in the past", () => {
    const absent = seen(begun(), 1, [check("unit", "pending")])
    const until = (timeout: number) => {
      const verdict = RoundVerdict.of(absent, at(2000, timeout))
      return verdict.kind === "pending" ? verdict.until : verdict.kind
    }
    assert.deepStrictEqual([until(Instant.hour), until(Instant.minute)], [1000 + missingAfter, 1000 + Instant.minute])
    const waiting = Round.see(begun(true), { version: 1, checks: [], running: true }, { clock: 2000, isPaused: false })
    assert.deepStrictEqual(RoundVerdict.of(waiting, at(1e9)), { kind: "pending", until: null, isFailing: false })
  })

  it("a failure waits a minute for its report, and then for the other checks", () => {
    const red = both("failure", "pending")
    const waiting = RoundVerdict.of(red, at(2000, Instant.hour))
    assert.deepStrictEqual(waiting, { kind: "pending", until: 2000 + Instant.minute, isFailing: true })
    const unlimited = RoundVerdict.of(red, at(2000))
    assert.deepStrictEqual(unlimited, { kind: "pending", until: 2000 + Instant.minute, isFailing: true })
    const reported = RoundVerdict.of(red, at(2000 + Instant.minute, Instant.hour))
    assert.deepStrictEqual(reported, { kind: "pending", until: 1000 + Instant.hour, isFailing: true })
    const short = RoundVerdict.of(red, at(2000, 30_000))
    assert.deepStrictEqual(short, { kind: "pending", until: 31_000, isFailing: true })
    const late = RoundVerdict.of(red, at(1000 + Instant.hour, Instant.hour))
    assert.strictEqual(late.kind, "red")
    assert.strictEqual(RoundVerdict.of(both("failure", "success"), at(2000 + Instant.minute)).kind, "red")
  })

  it("a check that was cancelled, ran out of its time or is stale needs no report, and is infrastructure", () => {
    for (const state of ["cancelled", "timed_out", "stale"] as const) {
      const verdict = RoundVerdict.of(both(state, "success"), at(2000))
      assert.deepInclude(verdict, { kind: "red", class: "infrastructure" }, state)
    }
    assert.deepInclude(RoundVerdict.of(both("error", "success"), at(2000)), { kind: "red", class: "unknown" })
  })
})

describe("the judgement on several failures", () => {
  const classes = ["infrastructure", "flaky", "unknown", "real"] as const

  it("the worst class of two failures counts, with the lower probability", () => {
    for (const [index, lower] of classes.entries()) {
      for (const higher of classes.slice(index)) {
        const two = [failure(lower, 0.7), failure(higher, 0.4)]
        for (const failures of [two, two.toReversed()]) {
          const { class: of, probability } = FailureClass.combine(failures, FailureClass.defaults)
          assert.deepStrictEqual([of, probability], [higher, 0.4])
        }
      }
    }
    assert.isNull(FailureClass.combine([failure("flaky", 0.7), failure("flaky")], FailureClass.defaults).probability)
    assert.deepStrictEqual(FailureClass.combine([], FailureClass.defaults), { class: "unknown", probability: null })
  })

  it("five flaky tests at once are flaky, six are not known to be", () => {
    const of = (count: number) =>
      FailureClass.combine(
        Array.from({ length: count }, () => failure("flaky")),
        FailureClass.defaults
      ).class
    assert.deepStrictEqual([5, 6].map(of), ["flaky", "unknown"])
  })
})

describe("the budget of reruns", () => {
  const member = (number: number): Observation.Member => ({ number, head: `h${number}` })
  const entry = (number: number, reruns: number) =>
    // The budget reads these fields alone.
    ({ number, reruns }) as EngineState.EngineState["entries"][number]
  const decided = (
    red: Parameters<typeof RerunBudget.decide>[1]["red"],
    parts: {
      readonly members?: ReadonlyArray<number>
      readonly round?: Partial<Round.Round>
      readonly state?: Partial<EngineState.EngineState>
    } = {}
  ) =>
    RerunBudget.decide(
      { ...EngineState.initial, ...parts.state },
      {
        members: (parts.members ?? [1]).map(member),
        now: Instant.day,
        red,
        round: { ...begun(), ...parts.round }
      },
      EngineConfiguration.defaults
    )
  const red = (of: FailureClass.FailureClass, probability: number | null = null) => ({
    class: of,
    probability,
    checks: ["unit"],
    failures: [failure(of, probability)]
  })

  it("a flaky failure is worth a rerun from .15 for one pull request and from .5 for several", () => {
    const of = (probability: number, members: ReadonlyArray<number>) => decided(red("flaky", probability), { members })
    assert.deepStrictEqual([of(0.14, [1]), of(0.15, [1])], ["none", "charged"])
    assert.deepStrictEqual([of(0.49, [1, 2]), of(0.5, [1, 2])], ["none", "charged"])
    assert.strictEqual(decided(red("flaky"), { members: [1, 2] }), "charged")
  })

  it("an unknown failure of one pull request runs again once, from the same probability on", () => {
    assert.deepStrictEqual(
      [null, 0.14, 0.15].map((probability) => decided(red("unknown", probability))),
      ["charged", "none", "charged"]
    )
    assert.strictEqual(decided(red("unknown"), { members: [1, 2] }), "none")
    const before = (of: FailureClass.FailureClass) => [{ attempt: 1, checks: ["unit"], failures: [], class: of }]
    assert.strictEqual(decided(red("unknown"), { round: { attempt: 2, reds: before("unknown") } }), "none")
    assert.strictEqual(decided(red("unknown"), { round: { attempt: 2, reds: before("flaky") } }), "charged")
  })

  it("a failure that came in during a pause runs again free of charge, a real one too", () => {
    assert.strictEqual(decided(red("real"), { round: { isRedInPause: true } }), "free")
    assert.strictEqual(decided(red("real")), "none")
  })

  it("a pull request has four reruns, in its entry or in its groups", () => {
    const entries = (reruns: number) => decided(red("flaky"), { state: { entries: [entry(1, reruns), entry(2, 9)] } })
    assert.deepStrictEqual([3, 4].map(entries), ["charged", "none"])
    const both = (...reruns: readonly [number, number]) =>
      decided(red("flaky", 0.9), {
        members: [1, 2],
        state: { entries: reruns.map((count, index) => entry(index + 1, count)) }
      })
    assert.deepStrictEqual([both(3, 3), both(4, 0), both(0, 4)], ["charged", "none", "none"])
    const reds = (count: number) =>
      Array.from({ length: count }, (): Round.Red => ({ attempt: 1, checks: [], failures: [], class: "flaky" }))
    const fields = (number: number, count: number): Partial<EngineState.NativeGroup> => ({
      members: [member(9), member(number)],
      round: { ...begun(), reds: reds(count) }
    })
    // The budget reads these fields alone.
    const group = (number: number, count: number) => fields(number, count) as EngineState.NativeGroup
    const groups = (mine: number, others: number) =>
      decided(red("flaky"), { state: { groups: [group(1, mine), group(2, others)] } })
    assert.deepStrictEqual([groups(3, 9), groups(4, 0), groups(0, 9)], ["charged", "none", "charged"])
  })

  it("a day has ten reruns more than its share of the rounds", () => {
    const today = (count: number) => Array<number>(count).fill(1)
    const of = (reruns: number, rounds: number) =>
      decided(red("flaky"), { state: { reruns: today(reruns), rounds: today(rounds) } })
    assert.deepStrictEqual([of(9, 0), of(10, 0), of(10, 5), of(11, 5)], ["charged", "none", "charged", "none"])
    const yesterday = decided(red("flaky"), { state: { reruns: Array<number>(50).fill(0) } })
    assert.strictEqual(yesterday, "charged")
  })

  it("a part that fails as the larger batch with it did is not run again", () => {
    const round = (members: ReadonlyArray<number>, signature: string) => ({
      at: 0,
      batch: "b1",
      members,
      under: [],
      signatures: [signature, "other"]
    })
    const after = (members: ReadonlyArray<number>, signature = "unit: sorts") =>
      decided(red("unknown"), { state: { failedRounds: [round(members, signature)] } })
    assert.strictEqual(after([1, 2]), "none")
    assert.deepStrictEqual([after([1]), after([2, 3]), after([1, 2], "unit: adds")], ["charged", "charged", "charged"])
    assert.isFalse(
      Incident.hasFailedAlike(
        { ...EngineState.initial, failedRounds: [round([1, 3, 4], "unit: sorts")] },
        [1, 2].map(member),
        red("unknown")
      )
    )
  })
})

describe("incidents", () => {
  const round = (batch: string, at: number, members: ReadonlyArray<number>, under: ReadonlyArray<number> = []) => ({
    at,
    batch,
    members,
    under,
    signatures: ["unit: sorts"]
  })
  const detected = (rounds: ReadonlyArray<ReturnType<typeof round>>, now = 0) =>
    Incident.detect({ ...EngineState.initial, failedRounds: rounds }, EngineConfiguration.defaults, now)?.batches ??
    null

  it("three unrelated rounds that fail alike within half an hour are an incident", () => {
    const three = [round("a", 0, [1]), round("b", 0, [2]), round("c", 0, [3])]
    assert.deepStrictEqual(detected(three), ["a", "b", "c"])
    assert.isNull(detected(three.slice(1)))
    const half = 30 * Instant.minute
    assert.deepStrictEqual([detected(three, half)?.length, detected(three, half + 1)], [3, null])
  })

  it("rounds of which one held a pull request of the other are related", () => {
    const two = [round("a", 0, [1]), round("b", 0, [2])]
    assert.isNull(detected([...two, round("c", 0, [3, 2])]))
    assert.isNull(detected([...two, round("c", 0, [3], [7, 2])]))
    assert.isNull(detected([...two, round("c", 0, [3], [2])]))
    assert.isNull(detected([round("a", 0, [1], [8, 3]), round("b", 0, [2]), round("c", 0, [3, 4])]))
    assert.isNull(detected([round("a", 0, [1, 5], [8]), round("b", 0, [2]), round("c", 0, [3], [5])]))
  })

  it("an incident that ended is remembered as a hold, and one that did not begin is not probed", () => {
    const began = Incident.step(EngineState.initial, { kind: "incident_began", signature: "x", batches: [] }, 5)
    const probed = Incident.step(began, { kind: "incident_probed", batch: "a" }, 7)
    assert.deepStrictEqual([began.incident?.probedAt, probed.incident?.probedAt, probed.incident?.at], [5, 7, 5])
    assert.isNull(Incident.step(EngineState.initial, { kind: "incident_probed", batch: "a" }, 7).incident)
    const ended = Incident.step(probed, { kind: "incident_ended", cause: "passed" }, 9)
    assert.deepStrictEqual([ended.incident, ended.lastHold, ended.failedRounds], [null, { at: 5, until: 9 }, []])
    const twice = Incident.step(ended, { kind: "incident_ended", cause: "passed" }, 11)
    assert.deepStrictEqual(twice.lastHold, { at: 5, until: 9 })
  })

  it("an instant lies in a hold with two minutes of doubt on both sides", () => {
    const skew = 2 * Instant.minute
    const state = { ...EngineState.initial, lastHold: { at: 1e9, until: 2e9 } }
    const inside = [1e9 - skew - 1, 1e9 - skew, 2e9 + skew, 2e9 + skew + 1].map((at) => EngineState.holdAt(state, at))
    assert.deepStrictEqual(inside, [null, 1e9, 1e9, null])
    const paused = { ...EngineState.initial, pause: { at: 3e9, reason: "", by: "ada" }, pausedFor: 500 }
    assert.deepStrictEqual([EngineState.clock(paused, 4e9), EngineState.clock(paused, 2e9)], [3e9 - 500, 2e9 - 500])
  })
})
