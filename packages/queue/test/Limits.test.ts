import { assert, describe, it } from "@effect/vitest"
import {
  CheckMatch,
  EngineCommand,
  EngineEvent,
  EngineSettings,
  Fate,
  Observation,
  QueueCheck,
  QueueConfiguration,
  QueueDuration,
  QueueEvent,
  QueuePriority,
  QueueRule
} from "@lazaret/queue"
import { Result, Schema } from "effect"

type Codec = Schema.Codec<unknown, unknown>

/** The fault of a place that does not accept exactly the whole numbers from `minimum` to `maximum`; null: none. */
const numbers = (accepts: (value: number) => boolean, minimum: number, maximum: number, place: string) => {
  const accepted = [minimum - 1, minimum, maximum, maximum + 1].map(accepts)
  return `${accepted}` === "false,true,true,false" ? null : `${place}: ${accepted}`
}

/** The fault of a place that does not accept exactly the texts of `minimum` to `maximum` characters; null: none. */
const lengths = (accepts: (text: string) => boolean, minimum: number, maximum: number, place: string) =>
  numbers((length) => length >= 0 && accepts("a".repeat(length)), minimum, maximum, place)

/** Whether a schema accepts a value with one of its fields replaced. */
const within =
  (schema: Codec, value: object, field: string) =>
  (replacement: unknown): boolean =>
    Result.isSuccess(Schema.decodeUnknownResult(schema)({ ...value, [field]: replacement }))

describe("limits of queue events", () => {
  const common = { id: "e1", at: 0, branch: "main", pull_request: 7 }
  const check = { name: "build", description: "", url: null, state: "pending", avatar_url: null }
  const event = (fields: object, field: string) => within(QueueEvent.QueueEvent, { ...common, ...fields }, field)

  it("the texts of every event are as long as the interface says", () => {
    for (const kind of ["merged", "frozen"]) {
      assert.isNull(lengths(event({ kind }, "id"), 1, 255, "id"))
      assert.isNull(lengths(event({ kind }, "branch"), 1, 255, "branch"))
    }
    assert.isNull(lengths(event({}, "kind"), 1, 100, "kind"))
    assert.isNull(lengths(event({ kind: "queued" }, "queue_rule"), 1, 255, "queue_rule"))
    assert.isNull(lengths(event({ kind: "dequeued" }, "reason"), 0, 1000, "reason"))
    const started = { kind: "checks_started", check_type: "in_place" }
    assert.isNull(lengths(event(started, "round"), 1, 255, "round"))
    assert.isNull(lengths(event(started, "evaluated_conditions"), 0, 65_536, "evaluated_conditions"))
  })

  it("the name of a check has 1 to 1000 characters, its description up to 10 000", () => {
    assert.isNull(lengths(within(QueueCheck.QueueCheck, check, "name"), 1, 1000, "name"))
    assert.isNull(lengths(within(QueueCheck.QueueCheck, check, "description"), 0, 10_000, "description"))
  })

  it("the key of an outcome has 1 to 500 characters, and the name of a person up to 255", () => {
    const fate = {
      key: "k",
      outcome: "evicted",
      reason: "checks_failed",
      number: 1,
      head: "h",
      group: null,
      class: null,
      checks: [],
      failures: [],
      attempts: 1,
      url: null,
      by: null,
      isSaved: false,
      wasted: 0
    }
    assert.isNull(lengths(within(Fate.Fate, fate, "key"), 1, 500, "key"))
    assert.isNull(lengths(within(Fate.Fate, fate, "by"), 1, 255, "by"))
  })

  it("a priority is any whole number of 32 bits, and its names are a thousand apart", () => {
    assert.isNull(numbers(Schema.is(QueuePriority.QueuePriority), -(2 ** 31), 2 ** 31 - 1, "priority"))
    const written = ["low", "medium", "high"].map((name) => Schema.decodeUnknownSync(QueuePriority.Written)(name))
    assert.deepStrictEqual(written, [1000, 2000, 3000])
    assert.deepStrictEqual(
      written.map((each) => QueuePriority.alias(each)),
      ["low", "medium", "high"]
    )
    assert.strictEqual(QueuePriority.alias(2001), "2001")
  })

  it("a batch of events can be a day ahead of the clock, and no longer", () => {
    const day = 86_400_000
    assert.deepStrictEqual(
      [0, day, day + 1].map((at) => QueueEvent.isFarAhead({ at: 5000 + at }, 5000)),
      [false, false, true]
    )
  })

  it("events are in the order of their times, then of their ids", () => {
    const e = (at: number, id: string) => ({ at, id })
    assert.deepStrictEqual(
      [
        QueueEvent.order(e(1, "b"), e(2, "a")),
        QueueEvent.order(e(2, "a"), e(1, "b")),
        QueueEvent.order(e(1, "a"), e(1, "b")),
        QueueEvent.order(e(1, "a"), e(1, "a"))
      ],
      [-1, 1, -1, 0]
    )
  })

  it("the branches of a window are those with an event from its start up to its end", () => {
    const events = [5, 9, 10, 4].map((at, index) => ({ at, branch: `b${index}` }))
    assert.deepStrictEqual(QueueEvent.baseRefs(events, { start: 5, end: 10 }), ["b0", "b1"])
  })
})

describe("limits of queue rules", () => {
  const week = 7 * 24 * 3600
  const is = (key: keyof QueueRule.Settings) => Schema.is(QueueRule.settings[key])

  it("the numbers of a rule are within the bounds of its documentation", () => {
    assert.isNull(numbers(is("batchSize"), 1, 128, "batchSize"))
    assert.isNull(numbers(is("batchMaxWaitTime"), 0, week, "batchMaxWaitTime"))
    assert.isNull(numbers(is("batchMaxFailureResolutionAttempts"), 0, 128, "batchMaxFailureResolutionAttempts"))
    assert.isNull(numbers(is("checksTimeout"), 60, week, "checksTimeout"))
    const config = { priority: 0, ...QueueRule.defaults }
    assert.isNull(numbers(within(QueueRule.QueueConfig, config, "priority"), 0, 2 ** 31 - 1, "priority"))
  })

  it("the texts of a rule are within the bounds of its documentation", () => {
    assert.isNull(lengths(is("commitMessageTemplate"), 0, 10_000, "commitMessageTemplate"))
    assert.isNull(lengths(is("queueBranchPrefix"), 1, 200, "queueBranchPrefix"))
    for (const key of ["draftBotAccount", "mergeBotAccount", "updateBotAccount"] as const) {
      assert.isNull(lengths(is(key), 1, 255, key))
    }
    const rule = { name: "default", config: { priority: 0, ...QueueRule.defaults } }
    assert.isNull(lengths(within(QueueRule.QueueRule, rule, "name"), 1, 255, "name"))
    assert.isNull(
      lengths(
        (name) => Result.isSuccess(QueueConfiguration.parse(`queue_rules: [{name: "${name}"}]`)),
        1,
        255,
        "the name in a file"
      )
    )
  })

  it("durations are written in seconds, minutes, hours, days and weeks, in at most 100 characters", () => {
    const seconds = ["1s", "1m", "1h", "1d", "1w"].map((text) => Result.getOrNull(QueueDuration.parse(text)))
    assert.deepStrictEqual(seconds, [1, 60, 3600, 86_400, 604_800])
    const padded = (length: number) => Result.isSuccess(QueueDuration.parse("1m".padEnd(length - 2, " ") + "1s"))
    assert.deepStrictEqual([100, 101].map(padded), [true, false])
  })

  it("a file has at most 65 536 characters, 100 rules, and 50 keys in a map", () => {
    const accepts = (text: string) => Result.isSuccess(QueueConfiguration.parse(text))
    const long = (length: number) => accepts("#".padEnd(length, "a"))
    assert.deepStrictEqual([65_536, 65_537].map(long), [true, false])
    const rules = (count: number) =>
      accepts(`queue_rules: [${Array.from({ length: count }, (_, index) => `{name: r${index}}`).join(",")}]`)
    assert.deepStrictEqual([100, 101].map(rules), [true, false])
    const faults = (text: string) =>
      Result.match(QueueConfiguration.parse(text), {
        onSuccess: () => [],
        onFailure: (each) => each.map(({ message, path }) => `${path}: ${message}`)
      })
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 1`).join(", ")
    const many = "has 51 keys; at most 50 are accepted"
    assert.notInclude(faults(`{${keys(50)}}`), "document: has 50 keys; at most 50 are accepted")
    assert.include(faults(`{${keys(51)}}`), `document: ${many}`)
    assert.include(faults(`merge_queue: {${keys(51)}}`), `merge_queue: ${many}`)
    assert.deepStrictEqual(faults("- 1"), ["document: must be a map with the key queue_rules"])
    assert.deepStrictEqual(faults("queue_rules: {a: 1}"), ["queue_rules: must be a list of rules"])
  })
})

describe("limits of the settings of a queue", () => {
  const accepts = (text: string) => Result.isSuccess(QueueConfiguration.parse(`merge_queue:\n  ${text}`))

  it("the numbers of the settings are within the bounds of their documentation", () => {
    const number =
      (before: string, after = "") =>
      (value: number) =>
        accepts(`${before}${value}${after}`)
    assert.isNull(numbers(number("rerun: {per_round: ", "}"), 0, 10, "per_round"))
    assert.isNull(numbers(number("rerun: {per_pull_request: ", "}"), 0, 20, "per_pull_request"))
    assert.isNull(numbers(number("incident: {rounds: ", "}"), 2, 20, "rounds"))
    assert.isNull(numbers(number("incident: {within: ", "s}"), 60, 86_400, "within"))
    assert.isNull(numbers(number("incident: {longest: ", "s}"), 60, 86_400, "longest"))
    assert.isNull(numbers(number("missing_after: ", "s"), 60, 6 * 3600, "missing_after"))
    assert.isNull(numbers(number("response_timeout: ", "s"), 60, 6 * 3600, "response_timeout"))
    const shares = [-0.01, 0, 1, 1.01].map((value) => accepts(`rerun: {share_of_rounds: ${value}}`))
    assert.deepStrictEqual(shares, [false, true, true, false])
  })

  it("names and lists of the settings are within the bounds of their documentation", () => {
    assert.isNull(lengths((name) => accepts(`label: "${name}"`), 1, 50, "label"))
    assert.isNull(lengths((name) => accepts(`required_checks: ["${name}"]`), 1, 255, "required_checks"))
    const checks = (count: number) => accepts(`required_checks: [${Array(count).fill("unit").join(", ")}]`)
    assert.deepStrictEqual([100, 101].map(checks), [true, false])
    assert.deepStrictEqual(
      ["[command]", "[command, label]", "[command, mail]", "[]", "command", "[1]"].map((ways) =>
        accepts(`queue_when: ${ways}`)
      ),
      [true, true, false, true, false, false]
    )
    assert.isFalse(accepts("response_timeout: [1]"))
    assert.isFalse(accepts("response_timeout: soon"))
  })

  it("a queue without branches of its own is that of the default branch alone", () => {
    const concerned = (branches: ReadonlyArray<string> | null) =>
      ["main", "release/2"].map((branch) =>
        EngineSettings.concerns({ ...EngineSettings.defaults, branches }, branch, "main")
      )
    assert.deepStrictEqual([null, ["release/*"], ["main", "release/*"]].map(concerned), [
      [true, false],
      [false, true],
      [true, true]
    ])
  })
})

describe("limits of the log of an engine", () => {
  it("commits, branches, ids and checks are as long as stores hold them", () => {
    const member = { number: 7, head: "h" }
    const build = { id: "c1", kind: "build", batch: "b1", onto: "s", members: [member], method: "squash" }
    const land = { id: "c1", kind: "land", batch: "b1", members: [member], from: "s", to: "t", tree: "t" }
    const merge = { id: "c1", kind: "merge", batch: "b1", member, from: "s", tree: "t", method: "squash" }
    const publish = { id: "c1", kind: "publish", batch: "b1", branch: "q", sha: "s" }
    for (const command of [build, land, merge, publish]) {
      assert.isNull(lengths(within(EngineCommand.EngineCommand, command, "id"), 1, 500, "id"))
      assert.isNull(lengths(within(EngineCommand.EngineCommand, command, "batch"), 1, 255, `batch of ${command.kind}`))
    }
    const rerun = { id: "c1", kind: "rerun", sha: "s", attempt: 1, checks: [] }
    assert.isNull(lengths((name) => within(EngineCommand.EngineCommand, rerun, "checks")([name]), 1, 1000, "checks"))
    assert.isNull(lengths(within(Observation.Member, member, "head"), 1, 255, "head"))
  })

  it("what was seen is as long as stores hold it", () => {
    const pull = { number: 7, state: "open", draft: false, head: "h", base: "main", mergeable: null, approved: true }
    const seen = { ...pull, blockedBy: null, version: 1 }
    assert.isNull(lengths(within(Observation.Pull, seen, "base"), 1, 255, "base"))
    assert.isNull(lengths(within(Observation.Pull, seen, "blockedBy"), 1, 255, "blockedBy"))
    const check = { name: "unit", state: "success", attempt: 1 }
    assert.isNull(lengths(within(Observation.Check, check, "name"), 1, 1000, "name"))
    const failure = { check: "unit", test: null, class: "real", probability: null }
    assert.isNull(lengths(within(Observation.Failure, failure, "check"), 1, 1000, "check"))
    const match = { check: "unit", jobs: [], by: null }
    assert.isNull(lengths(within(CheckMatch.CheckMatch, match, "check"), 1, 1000, "check of a match"))
  })

  it("the outcome of a command names it in 1 to 500 characters", () => {
    const done = { kind: "done", command: "c1", answer: { kind: "ok" } }
    const refused = { kind: "refused", command: "c1", refusal: "gone", detail: "", base: null }
    for (const outcome of [done, refused, { kind: "unknown", command: "c1" }]) {
      assert.isNull(lengths(within(EngineEvent.Outcome, outcome, "command"), 1, 500, outcome.kind))
    }
    const evicted = { kind: "evicted", member: { number: 7, head: "h" }, cause: "other", by: "somebody" }
    assert.isNull(lengths(within(EngineEvent.EngineEvent, evicted, "by"), 1, 255, "by"))
  })
})
