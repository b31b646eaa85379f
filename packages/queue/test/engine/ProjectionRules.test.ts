import { assert, describe, it } from "@effect/vitest"
import {
  EngineConfiguration,
  type EngineEvent,
  EngineLog,
  type EngineState,
  EngineView,
  Fate,
  type Observation
} from "@lazaret/queue"
import * as Batch from "../../src/engine/Batch.ts"
import * as CommitMessage from "../../src/engine/CommitMessage.ts"
import * as DriveView from "../../src/engine/DriveView.ts"
import * as EngineFold from "../../src/engine/EngineFold.ts"
import * as EngineProjection from "../../src/engine/EngineProjection.ts"
import * as EngineStateFold from "../../src/engine/EngineState.ts"
import * as Round from "../../src/engine/Round.ts"
import { batch, command, group, member, state, tip } from "./support/Fold.ts"
import { pull, ready } from "./support/Passes.ts"

const red = { checks: ["unit"], failures: [], class: "real", probability: null } as const

const named = (test: string): Observation.Failure => ({ check: "unit", test, class: "real", probability: null })

/** A repair: a failed check passed when it ran again. */
const fate: Fate.Fate = {
  key: "k",
  outcome: "healed",
  reason: "rerun_passed",
  number: 1,
  head: "h1",
  group: "g",
  class: "flaky",
  checks: ["unit"],
  failures: [],
  attempts: 2,
  url: null,
  by: null,
  isSaved: true,
  wasted: 0
}

describe("EngineProjection.project", () => {
  const project = (fields: Partial<EngineState.EngineState>, ...events: ReadonlyArray<EngineEvent.EngineEvent>) =>
    EngineProjection.project(
      events.map((event, index) => ({ seq: 7 + index, at: 100, event })),
      "main",
      state(fields)
    )

  /** The events without the fields that all of them have. */
  const shown = (...given: Parameters<typeof project>) =>
    project(...given).flatMap(({ at: _at, branch: _branch, id: _id, ...body }) => ("kind" in body ? [body] : []))

  const acting = (mode: "drive" | "gate", shadow = false) => ({ configuration: { digest: "d", mode, shadow } })
  const read = (mode: EngineConfiguration.EngineConfiguration["mode"], shadow: boolean): EngineEvent.EngineEvent => ({
    kind: "config_read",
    digest: "new",
    mode,
    shadow
  })

  it("an event has a place in the log that sorts, and the time of the log", () => {
    const [first, second] = project(
      {},
      { kind: "merged_elsewhere", number: 3, head: "h3" },
      { kind: "merged_elsewhere", number: 4, head: "h4" }
    )
    assert.match(first?.id ?? "", /^000000000007\/0000\/[-0-9a-f]{36}$/u)
    assert.match(second?.id ?? "", /^000000000008\/0000\//u)
    assert.deepStrictEqual([first?.at, first?.branch], [100, "main"])
  })

  it("pull requests that are read together enter one after the other, in their order", () => {
    const events = project({ queue: [member(5)] }, { kind: "queue_seen", members: [member(9), member(5), member(2)] })
    assert.deepStrictEqual(
      events.map(({ at, ...event }) => ["pullRequest" in event && event.pullRequest, at]),
      [
        [9, 99],
        [2, 100]
      ]
    )
  })

  it("the queue of a gate is the one of the branch, and that of a driven queue outside of the shadow", () => {
    const isSource = (mode: "drive" | "gate", shadow: boolean) => EngineProjection.isSource(state(acting(mode, shadow)))
    assert.deepStrictEqual(
      [isSource("gate", false), isSource("gate", true), isSource("drive", false), isSource("drive", true)],
      [true, true, true, false]
    )
    assert.isFalse(EngineProjection.isSource(state()))
  })

  it("everybody enters the view when the queue begins to be driven, and leaves it when that ends", () => {
    const entries = [ready(1), ready(2, { priority: 5 })]
    assert.deepStrictEqual(shown({ ...acting("drive", true), entries }, read("drive", false)), [
      { kind: "queued", pullRequest: 1, queueRule: "default", priority: 0 },
      { kind: "queued", pullRequest: 2, queueRule: "default", priority: 5 }
    ])
    const ended = shown({ ...acting("drive"), entries }, read("drive", true))
    assert.deepStrictEqual(
      ended.map((event) => [event.kind, "pullRequest" in event && event.pullRequest]),
      [
        ["dequeued", 1],
        ["dequeued", 2]
      ]
    )
    assert.deepStrictEqual(shown({ ...acting("drive"), entries }, read("drive", false)), [])
    assert.deepStrictEqual(shown({ ...acting("drive", true), entries }, read("gate", false)), [])
  })

  it("one who is queued enters, at another head leaves first, and at the same head changes nothing", () => {
    const asked: EngineEvent.EngineEvent = {
      kind: "queue_asked",
      number: 1,
      head: "h1",
      rule: "default",
      priority: 5,
      by: "ana"
    }
    const entered = { kind: "queued", pullRequest: 1, queueRule: "default", priority: 5 }
    assert.deepStrictEqual<unknown>(shown({}, asked), [entered])
    assert.deepStrictEqual<unknown>(shown({ entries: [ready(1, { head: "old" })] }, asked), [
      { kind: "dequeued", pullRequest: 1 },
      entered
    ])
    assert.deepStrictEqual(shown({ entries: [ready(1)] }, asked), [])
  })

  it("a priority is that of one in the queue alone", () => {
    const asked: EngineEvent.EngineEvent = { kind: "priority_asked", number: 1, priority: 7, by: "ana" }
    assert.deepStrictEqual(shown({ entries: [ready(1)] }, asked), [
      { kind: "priority_changed", pullRequest: 1, priority: 7 }
    ])
    assert.deepStrictEqual(shown({ entries: [ready(2)] }, asked), [])
  })

  it("one in the queue of the platform that is merged or closed leaves it, and others do not enter the view", () => {
    const seen = (fields: Partial<Observation.Pull>, queue = [member(8), member(1)]) =>
      shown({ queue }, { kind: "pull_seen", pull: pull(1, fields) }).map(({ kind }) => kind)
    assert.deepStrictEqual(seen({ state: "merged" }), ["merged"])
    assert.deepStrictEqual(seen({ state: "closed" }), ["dequeued"])
    assert.deepStrictEqual([seen({}), seen({ state: "merged" }, [member(8)])], [[], []])
  })

  it("a round begins for each member of a batch when it has a commit, and a head that is tested itself is in place", () => {
    const building = batch("b", { phase: "built", members: [member(1), member(2)] })
    const start = (pullRequest: number, checkType: string) => ({
      kind: "checks_started",
      pullRequest,
      checkType,
      round: "h1"
    })
    const begun: EngineEvent.EngineEvent = { kind: "round_begun", batch: "b", sha: "h1" }
    const other = batch("a", { round: Round.begin("x", "t", 0) })
    assert.deepStrictEqual<unknown>(shown({ batches: [other, building] }, begun), [
      start(1, "in_place"),
      start(2, "draft_pr")
    ])
    assert.deepStrictEqual(shown({ batches: [{ ...building, round: Round.begin("h1", "t", 0) }] }, begun), [])
  })

  it("a round that ended has its outcome, and one that counts no more is stale", () => {
    const batches = [batch("a"), batch("b", { members: [member(1), member(2)], round: Round.begin("s", "t", 0) })]
    const ends = (event: EngineEvent.EngineEvent) =>
      shown({ batches }, event).map((each) => [
        each.kind,
        "state" in each ? each.state : null,
        "round" in each ? each.round : null
      ])
    const twice = (outcome: string) => [
      ["checks_ended", outcome, "s"],
      ["checks_ended", outcome, "s"]
    ]
    assert.deepStrictEqual<unknown>(ends({ kind: "round_passed", batch: "b", required: "d" }), twice("success"))
    const failed = (outcome: "red" | "timeout"): EngineEvent.EngineEvent => ({
      kind: "round_failed",
      batch: "b",
      outcome,
      ...red
    })
    assert.deepStrictEqual<unknown>(ends(failed("red")), twice("failure"))
    assert.deepStrictEqual<unknown>(ends(failed("timeout")), twice("timed_out"))
    assert.deepStrictEqual<unknown>(ends({ kind: "round_voided", batch: "b", reason: "edited" }), twice("stale"))
    assert.deepStrictEqual(ends({ kind: "batch_dissolved", batch: "a" }), [])
  })

  it("a check is shown when its state is new", () => {
    const known = {
      ...Round.begin("s", "t", 0),
      checks: [
        { name: "lint", state: "success", attempt: 1 },
        { name: "unit", state: "pending", attempt: 1 }
      ]
    } as Round.Round
    const seen: EngineEvent.EngineEvent = {
      kind: "checks_seen",
      sha: "s",
      version: 2,
      checks: [
        { name: "unit", state: "failure", attempt: 1, url: "https://ci.example/1" },
        { name: "lint", state: "success", attempt: 1 }
      ]
    }
    const updated = [
      {
        kind: "check_updated",
        pullRequest: 1,
        round: "s",
        check: { name: "unit", description: "", url: "https://ci.example/1", state: "failure", avatarUrl: null }
      }
    ]
    assert.deepStrictEqual<unknown>(shown({ batches: [batch("b", { round: known })] }, seen), updated)
    assert.deepStrictEqual<unknown>(shown({ groups: [group("x"), group("s", { round: known })] }, seen), updated)
  })

  it("what landed is merged: by the answer to the command, or by the tip of the base branch", () => {
    const land = command("land", { to: "t1", members: [member(1), member(2)] })
    const merge = { ...command("merge", { member: member(3) }), id: "merge/2" }
    const inflight = [merge, land].map((each) => ({ command: each, tries: 0, notBefore: 0, refusal: null }))
    const merged = (event: EngineEvent.EngineEvent) =>
      shown({ inflight }, event).flatMap((each) => (each.kind === "merged" ? [each.pullRequest] : []))
    assert.deepStrictEqual(
      merged({ kind: "done", command: "land/1", answer: { kind: "landed", base: tip("t1", 2) } }),
      [1, 2]
    )
    assert.deepStrictEqual(
      merged({ kind: "done", command: "merge/2", answer: { kind: "landed", base: tip("t1", 2) } }),
      [3]
    )
    assert.deepStrictEqual(merged({ kind: "base_seen", tip: tip("t1", 2), rewritten: false }), [1, 2])
    assert.deepStrictEqual(merged({ kind: "base_seen", tip: tip("t2", 2), rewritten: false }), [])
  })
})

describe("EngineLog", () => {
  const known: EngineLog.Names = new Map([["b1", [member(1), member(2)]]])
  const say = (event: EngineEvent.EngineEvent, names = known) => {
    const line = EngineLog.line({ seq: 3, at: 9, event }, names)
    return line === null ? null : line.sentence
  }

  it("groups and batches are known by the events that introduce them, and by the build of a batch", () => {
    const events = [
      { kind: "batch_formed", members: [member(1)], overtaken: [], rule: "default" },
      { kind: "issued", command: command("build", { batch: "b9", members: [member(2), member(3)] }) },
      { kind: "issued", command: command("publish", { batch: "b8", members: [member(7)] }) }
    ] as ReadonlyArray<EngineEvent.EngineEvent>
    const names = EngineLog.names(events.map((event, index) => ({ seq: 4 + index, at: 0, event })))
    assert.deepStrictEqual(
      [...names].map(([id, members]) => [id, members.map(({ number }) => number)]),
      [
        ["b4", [1]],
        ["b9", [2, 3]]
      ]
    )
  })

  it("a refusal names what the platform refused, and one of a thing that is not there yet is not said", () => {
    const refused = (id: string, refusal: "not_yet" | "forbidden" = "forbidden") =>
      say({ kind: "refused", command: id, refusal, detail: "no right" } as EngineEvent.EngineEvent)
    assert.strictEqual(refused("land/b1-2/0"), "The platform refused to land #1, #2: no right")
    assert.strictEqual(refused("merge/b1-2/0"), "The platform refused to merge #1, #2: no right")
    assert.strictEqual(refused("enqueue/7/h7"), "The platform refused to enqueue #7: no right")
    assert.strictEqual(refused("dequeue/7"), "The platform refused to dequeue #7: no right")
    assert.strictEqual(refused("rerun/b1/2"), "The platform refused the rerun of #1, #2: no right")
    assert.strictEqual(refused("build/b1/3"), "The platform refused the build of #1, #2: no right")
    const branch = "lazaret/queue/main/b1-2"
    assert.strictEqual(refused(`publish/${branch}`), "The platform refused to publish the branch of #1, #2: no right")
    assert.strictEqual(refused(`discard/${branch}`), "The platform refused to discard the branch of #1, #2: no right")
    assert.strictEqual(refused("close/7/m1"), "The platform refused to close #7: no right")
    assert.strictEqual(refused("tell/7/12"), "The platform refused the comment on #7: no right")
    assert.strictEqual(
      refused("rerun/0123456789abcdef/2"),
      "The platform refused the rerun of Group 0123456789: no right"
    )
    assert.isNull(refused("land/b1-2/0", "not_yet"))
  })

  it("a landing and a tree that passed are named by ten characters of the commit", () => {
    const land = command("land", { to: "0123456789abcdef", members: [member(1)] })
    assert.strictEqual(say({ kind: "issued", command: land }), "#1 passed and is landed as 0123456789.")
    assert.strictEqual(
      say({ kind: "round_reused", batch: "b1", sha: "0123456789abcdef" }),
      "The tree of #1, #2 had passed as 0123456789."
    )
  })

  it("an eviction by hand names the person where one is known", () => {
    const evicted = (cause: EngineEvent.Of<"evicted">["cause"], by?: string) =>
      say({ kind: "evicted", member: member(1), cause, ...(by === undefined ? {} : { by }) })
    assert.strictEqual(evicted("by_hand", "ana"), "ana took #1 out of the queue of the platform.")
    assert.strictEqual(evicted("by_hand"), "The platform evicted #1 because somebody asked for it.")
    assert.strictEqual(evicted("conflict", "ana"), "The platform evicted #1 because it conflicts.")
  })

  it("a failure names three tests at most, each once, and its class", () => {
    const failed = (tests: ReadonlyArray<string>, checks: ReadonlyArray<string> = ["unit"]) =>
      say({ kind: "round_failed", batch: "b1", outcome: "red", ...red, checks, failures: tests.map(named) })
    assert.strictEqual(failed([], []), "#1, #2: a required check failed, judged real; it is not run again.")
    assert.strictEqual(failed(["a", "a"]), "#1, #2: unit (a) failed, judged real; it is not run again.")
    assert.strictEqual(failed(["a", "b", "c"]), "#1, #2: unit (a, b, c) failed, judged real; it is not run again.")
    assert.strictEqual(
      failed(["a", "b", "c", "d"]),
      "#1, #2: unit (a, b, c, …) failed, judged real; it is not run again."
    )
    assert.strictEqual(
      say({ kind: "round_failed", batch: "b1", outcome: "missing", ...red, checks: ["unit", "e2e"] }),
      "#1, #2: unit, e2e never started."
    )
  })

  it("a group that failed the gate says whether it is put back, and why", () => {
    const concluded = (fields: Partial<EngineEvent.Of<"group_concluded">>) =>
      say({ kind: "group_concluded", group: "b1", conclusion: "failure", reason: null, ...fields })
    assert.strictEqual(concluded({ conclusion: "success" }), "#1, #2 passed the gate.")
    assert.strictEqual(concluded({}), "#1, #2 failed the gate.")
    assert.strictEqual(concluded({ returns: true }), "#1, #2 failed the gate. It is put back into the queue.")
    assert.match(concluded({ returns: false, reason: { code: "conflict" } }) ?? "", /^#1, #2 failed the gate\. \S/u)
  })

  it("a waived trial names the mode, and the rules of a branch their checks", () => {
    const waived = (mode: "drive" | "gate") =>
      say({ kind: "trial_waived", by: "ana", mode, reason: "we know" } as EngineEvent.EngineEvent)
    assert.strictEqual(waived("drive"), "ana let the queue be driven at a platform that is not certified: we know")
    assert.strictEqual(waived("gate"), "ana let the gate act before its trial was over: we know")
    const rules = (list: ReadonlyArray<unknown>) => say({ kind: "rules_seen", rules: list } as EngineEvent.EngineEvent)
    assert.strictEqual(rules([]), "The rules of the branch were read: none.")
    assert.strictEqual(
      rules([{ kind: "merge_queue" }, { kind: "required_check", name: "unit" }, { kind: "other", name: "signatures" }]),
      "The rules of the branch were read: merge queue, required check unit, signatures."
    )
  })

  it("an eviction is in the log by the events of the platform alone, and a repair by its fate", () => {
    assert.isNull(say({ kind: "fate", ...fate, outcome: "evicted" }))
    assert.strictEqual(
      say({ kind: "fate", ...fate }),
      "#1 was kept in the merge queue. unit failed, and passed in attempt 2: it stayed in the queue."
    )
  })
})

describe("Fate.sentence", () => {
  it("checks and tests are listed with commas and one and, and three tests at most", () => {
    const said = (checks: ReadonlyArray<string>, tests: ReadonlyArray<string> = []) =>
      Fate.sentence({ ...fate, checks, failures: tests.map(named) }).split(" failed, ")[0]
    assert.strictEqual(said([]), "A required check")
    assert.strictEqual(said(["unit"]), "unit")
    assert.strictEqual(said(["unit", "e2e"]), "unit and e2e")
    assert.strictEqual(said(["unit", "e2e", "lint"]), "unit, e2e and lint")
    assert.strictEqual(said(["unit"], ["a", "b", "c"]), "unit (a, b and c)")
    assert.strictEqual(said(["unit"], ["a", "b", "c", "d"]), "unit (a, b and c, …)")
  })

  it("the lines say what to do where there is something to do", () => {
    assert.strictEqual(Fate.lines({ ...fate, reason: "checks_timeout" }).at(-1), "Queue it again.")
    assert.lengthOf(Fate.lines(fate), 1)
    assert.lengthOf(Fate.lines({ ...fate, failures: Array.from({ length: 25 }, (_, index) => named(`t${index}`)) }), 21)
  })
})

describe("EngineView.of, the explanation of the mode", () => {
  const explain = (
    mode: EngineConfiguration.EngineConfiguration["mode"],
    shadow: boolean,
    fields: Partial<EngineState.EngineState> = {}
  ) => {
    const { explanation, isActing } = EngineView.of(state(fields), { ...EngineConfiguration.defaults, mode, shadow }, 0)
    return [explanation.split(/[.:]/u)[0], isActing]
  }
  const held = (mode: "gate" | "drive", shadow: boolean) => ({ configuration: { digest: "d", mode, shadow } })

  it("a queue that acts says so, and one in the shadow says whether people or the engine keep it there", () => {
    assert.deepStrictEqual(explain("off", false), ["The engine is off", false])
    assert.deepStrictEqual(explain("mirror", false)[1], false)
    for (const [mode, unread, acts, shadow, kept] of [
      [
        "gate",
        "The gate has not read the queue of the platform yet",
        "The gate decides which groups are merged",
        "The gate is in the shadow",
        "The gate is kept in the shadow"
      ],
      [
        "drive",
        "The queue has not been read yet",
        "Lazaret forms, tests and merges batches",
        "The queue is in the shadow",
        "The queue is kept in the shadow"
      ]
    ] as const) {
      assert.deepStrictEqual(explain(mode, false), [unread, false])
      assert.deepStrictEqual(explain(mode, true, held(mode, true)), [shadow, false])
      assert.deepStrictEqual(explain(mode, false, held(mode, true)), [kept, false])
      assert.deepStrictEqual(explain(mode, false, held(mode, false)), [acts, true])
    }
  })

  it("those outside of open groups wait, and those who return are in the order of their places and numbers", () => {
    const parked = (number: number, place: number) =>
      ({ ...member(number), cause: "hold", pausedAt: 0, place }) as EngineState.Parked
    const view = EngineView.of(
      state({
        queue: [member(1), member(2), member(3)],
        groups: [group("g"), group("old", { members: [member(2)], gone: { at: 0, cause: "merged" } })],
        parked: [parked(7, 2), parked(9, 1), parked(8, 1)]
      }),
      { ...EngineConfiguration.defaults, mode: "gate" },
      0
    )
    assert.deepStrictEqual(view.waiting, [2, 3])
    assert.deepStrictEqual(view.returning, [8, 9, 7])
  })

  it("a refused write of a group is part of its explanation, with how often", () => {
    const of = (kind: "set_check" | "rerun" | "tell", tries: number) => {
      const sent = command(kind, { sha: "g" })
      const inflight = [{ command: sent, tries, notBefore: 0, refusal: "no right" }]
      const view = EngineView.of(
        state({ inflight, groups: [group("g")] }),
        { ...EngineConfiguration.defaults, mode: "gate" },
        0
      )
      return view.groups[0]?.explanation.split("The platform ")[1]
    }
    assert.strictEqual(of("set_check", 1), "has refused its check once, and is asked again: no right")
    assert.strictEqual(of("rerun", 2), "has refused its rerun 2 times, and is asked again: no right")
    assert.strictEqual(of("tell", 3), "has refused tell 3 times, and is asked again: no right")
  })
})

describe("DriveView.queued", () => {
  it("those in batches are first, in the order of their batches, and the others in the order of the queue", () => {
    const entries = [ready(1), ready(2, { priority: 9 }), ready(3), ready(4), ready(5)]
    const batches = [batch("b", { members: [member(4)] }), batch("c", { members: [member(3)] })]
    const queued = DriveView.queued(state({ entries, batches }), {
      configuration: { ...EngineConfiguration.defaults, mode: "drive" },
      now: 0
    })
    assert.deepStrictEqual(
      queued.map(({ batch: of, number }) => [number, of]),
      [
        [4, "b"],
        [3, "c"],
        [2, null],
        [1, null],
        [5, null]
      ]
    )
  })
})

describe("CommitMessage.of", () => {
  const facts: CommitMessage.Facts = {
    number: 7,
    reference: "#7",
    title: "Sort carts",
    body: "Why.\n@lazaret queue\n  @LAZARET\nBecause.",
    login: "ana",
    url: "https://forge.example/7",
    authors: [
      { name: "Ana", email: "a@example.com" },
      { name: "Bo", email: "b@example.com" },
      { name: "Cy", email: "c@example.com" }
    ]
  }

  it("a merge names the pull request, and a squash has its title, its text without commands, its author and co-authors", () => {
    assert.deepStrictEqual(CommitMessage.of(facts, null, "merge"), {
      title: "Merge pull request #7",
      body: "Sort carts",
      author: null
    })
    assert.deepStrictEqual(CommitMessage.of(facts, null, "squash"), {
      title: "Sort carts (#7)",
      body: "Why.\nBecause.\n\nCo-authored-by: Bo <b@example.com>\nCo-authored-by: Cy <c@example.com>",
      author: { name: "Ana", email: "a@example.com" }
    })
    assert.deepStrictEqual(CommitMessage.of({ ...facts, body: "", authors: [] }, null, "squash"), {
      title: "Sort carts (#7)",
      body: "",
      author: null
    })
  })

  it("at GitLab a message names the merge request with its sign", () => {
    const atGitLab = { ...facts, reference: "!7" }
    assert.strictEqual(CommitMessage.of(atGitLab, null, "merge").title, "Merge merge request !7")
    assert.strictEqual(CommitMessage.of(atGitLab, null, "squash").title, "Sort carts (!7)")
  })

  it("a template is used for both methods, and its empty first line is the title of the pull request", () => {
    const of = (template: string) => CommitMessage.of(facts, template, "merge")
    assert.deepStrictEqual(of("{{ number }} {{title}}\n\nby {{ author }} {{ other }}"), {
      title: "7 Sort carts",
      body: "by ana {{ other }}",
      author: null
    })
    assert.deepStrictEqual(CommitMessage.of({ ...facts, body: "" }, "{{ body }}", "squash").title, "Sort carts")
  })
})

describe("EngineFold, decisions on batches", () => {
  const step = (fields: Partial<EngineState.EngineState>, event: EngineEvent.EngineEvent, seq = 1) =>
    EngineFold.step(state(fields), { seq, at: 50, event })

  it("an entry of the log that was folded changes nothing", () => {
    const before = state({ seq: 5, entries: [ready(1)] })
    const event: EngineEvent.EngineEvent = { kind: "dequeued", number: 1, head: "h1", reason: { code: "closed" } }
    assert.strictEqual(EngineFold.step(before, { seq: 5, at: 0, event }), before)
    assert.lengthOf(EngineFold.step(before, { seq: 6, at: 0, event }).entries, 0)
  })

  it("batches that are joined are one with the steps of all, their commands are not wanted, and those behind stay", () => {
    const batches = ["a", "b", "c"].map((id, index) =>
      batch(id, { members: [member(index + 1)], steps: [{ commit: id, tree: id }] as unknown as Batch.Batch["steps"] })
    )
    const build = (id: string) => ({
      command: { ...command("build", { batch: id }), id },
      tries: 0,
      notBefore: 0,
      refusal: null
    })
    const after = step({ batches, inflight: ["a", "b", "c"].map(build) }, { kind: "batches_joined", batch: "b" })
    assert.deepStrictEqual(
      after.batches.map(({ id, members, steps }) => [id, members.map(({ number }) => number), steps.length]),
      [
        ["b", [1, 2], 2],
        ["c", [3], 1]
      ]
    )
    assert.deepStrictEqual(
      after.inflight.map((each) => each.command.id),
      ["b", "c"]
    )
  })

  it("a batch that is dissolved or void is read again, and a foreign edit is counted", () => {
    const batches = [batch("a", { members: [member(1), member(2)] }), batch("b", { members: [member(3)] })]
    const entries = [1, 2, 3].map((number) => ready(number, { confirmed: "s" }))
    const dissolved = step({ batches, entries }, { kind: "batch_dissolved", batch: "a" })
    assert.deepStrictEqual(
      [dissolved.batches.map(({ id }) => id), dissolved.entries.map(({ confirmed }) => confirmed)],
      [["b"], [null, null, "s"]]
    )
    const edits = (reason: "edited" | "base_moved") =>
      step({ batches: [batch("a", { edits: 2 })] }, { kind: "round_voided", batch: "a", reason }).batches[0]?.edits
    assert.deepStrictEqual([edits("edited"), edits("base_moved")], [3, 2])
  })

  it("trees that passed are known once each, a failure of the tree ends that, and only the last fifty are kept", () => {
    const round = (tree: string) => Round.begin(`s-${tree}`, tree, 0)
    const green = (tree: string) => ({ sha: "old", tree, required: "d", round: round(tree) })
    const passed = step(
      { batches: [batch("a", { round: round("t") })], greens: [green("t"), green("u")] },
      { kind: "round_passed", batch: "a", required: "d" }
    )
    assert.deepStrictEqual(
      passed.greens.map(({ sha, tree }) => [sha, tree]),
      [
        ["old", "u"],
        ["s-t", "t"]
      ]
    )
    const full = Array.from({ length: 50 }, (_, index) => green(`t${index}`))
    const more = step(
      { batches: [batch("a", { round: round("t") })], greens: full },
      { kind: "round_passed", batch: "a", required: "d" }
    )
    assert.deepStrictEqual([more.greens.length, more.greens[0]?.tree], [50, "t1"])
    const failed = step(
      { batches: [batch("a", { round: round("t") })], greens: [green("t"), green("u")] },
      { kind: "round_failed", batch: "a", outcome: "red", ...red }
    )
    assert.deepStrictEqual(
      failed.greens.map(({ tree }) => tree),
      ["u"]
    )
  })

  it("a group whose tree had passed is marked, and no other one", () => {
    const reused = step({ groups: [group("g"), group("h")] }, { kind: "round_reused", batch: "h", sha: "s" })
    assert.deepStrictEqual(
      reused.groups.map(({ id, reused: of }) => [id, of ?? null]),
      [
        ["g", null],
        ["h", "s"]
      ]
    )
  })

  it("a batch of several stays without the member that conflicts, and one of it alone is gone", () => {
    const held = (numbers: ReadonlyArray<number>) => {
      const event: EngineEvent.EngineEvent = { kind: "conflict_held", batch: "a", number: 2, ahead: [1] }
      const after = step(
        { base: tip("m", 1), entries: [ready(2)], batches: [batch("a", { members: numbers.map(member) })] },
        event
      )
      assert.deepStrictEqual(after.entries[0]?.hold, { kind: "conflict", ahead: [1], baseTree: "tree-m" })
      return after.batches.map(({ members }) => members.map(({ number }) => number))
    }
    assert.deepStrictEqual([held([2, 3]), held([2])], [[[3]], []])
  })

  it("one that is taken out of the queue of the platform for a conflict is no longer taken for conflicting", () => {
    const conflicting = [1, 2].map((number) => ({
      ...member(number),
      at: 0
    })) as unknown as EngineState.EngineState["conflicting"]
    const after = step({ conflicting }, { kind: "entry_removed", member: member(1) })
    assert.deepStrictEqual(
      [after.conflicting.map(({ number }) => number), after.removals],
      [[2], [{ number: 1, reason: { code: "conflict" } }]]
    )
  })

  it("one of several members that would have landed or left is meant, whichever it is", () => {
    const foresee = (outcome: "landed" | "left") => {
      const event: EngineEvent.EngineEvent = {
        kind: "batch_foreseen",
        batch: "a",
        outcome,
        members: [member(1), member(2)],
        ...red
      }
      return step({ entries: [ready(1), ready(2), ready(3)] }, event).entries.map(({ hold, number }) => [
        number,
        hold?.kind
      ])
    }
    assert.deepStrictEqual(foresee("landed"), [
      [1, "foreseen"],
      [2, "foreseen"],
      [3, undefined]
    ])
    assert.deepStrictEqual(foresee("left"), [[3, undefined]])
  })

  it("a free rerun charges nobody, another one each member of its round", () => {
    const rerun = (isFree: boolean) => {
      const batches = [batch("a", { members: [member(1), member(2)] })]
      const event: EngineEvent.EngineEvent = { kind: "round_rerun", batch: "a", isFree, ...red }
      return step({ batches, entries: [ready(1), ready(2), ready(3)] }, event).entries.map(({ reruns }) => reruns)
    }
    assert.deepStrictEqual(
      [rerun(false), rerun(true)],
      [
        [1, 1, 0],
        [0, 0, 0]
      ]
    )
  })

  it("one that is put back keeps the place of its group, and is put back once for each hold", () => {
    const groups = [group("g", { members: [member(1), member(2)] }), group("h", { members: [member(3)] })]
    const before = state({
      groups,
      parked: [{ ...member(1), cause: "hold", pausedAt: 9, place: 0 }] as EngineState.EngineState["parked"]
    })
    const parked = (pausedAt: number) =>
      EngineStateFold.park(before, [member(1), member(2), member(3), member(4)], { cause: "hold", pausedAt })
        .parked.slice(1)
        .map(({ number, place }) => [number, place])
    assert.deepStrictEqual(parked(9), [
      [2, 0],
      [3, 1],
      [4, -1]
    ])
    assert.deepStrictEqual(parked(10), [
      [1, 0],
      [2, 0],
      [3, 1],
      [4, -1]
    ])
  })
})
