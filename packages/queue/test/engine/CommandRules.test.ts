import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import type { EngineCommand, EngineEvent, EngineState, Observation } from "@lazaret/queue"
import type * as Batch from "../../src/engine/Batch.ts"
import * as CommandFold from "../../src/engine/CommandFold.ts"
import * as Round from "../../src/engine/Round.ts"
import { batch, type Command, command, entry, group, member, sent, state, tip } from "./support/Fold.ts"

const refused = (
  id: string,
  refusal: EngineEvent.Of<"refused">["refusal"] = "not_yet",
  base: Observation.Tip | null = null
): EngineEvent.Of<"refused"> => ({ kind: "refused", command: id, refusal, detail: "no", base })

describe("a refused command", () => {
  const triedAgain = (kind: Command["kind"], tries: number, refusal?: EngineEvent.Of<"refused">["refusal"]) =>
    CommandFold.step(sent(command(kind, { number: 1 }), {}, tries), refused(`${kind}/1`, refusal), 1000).inflight

  it("a refused command is tried again without end where it stays wanted, and else a number of times", () => {
    const last = (kind: Command["kind"]) =>
      Array.from({ length: 12 }, (_, tries) => tries).find((tries) => triedAgain(kind, tries).length === 0) ?? "never"
    assert.deepStrictEqual(
      (["set_check", "enqueue", "dequeue", "close", "discard", "rerun", "tell", "cancel"] as const).map(last),
      ["never", "never", "never", "never", "never", 3, 3, 7]
    )
    for (const kind of ["set_check", "discard"] as const) assert.deepStrictEqual(triedAgain(kind, 0, "gone"), [])
  })

  it("a refused command waits twice as long each time, from a second to five minutes", () => {
    const wait = (tries: number) => {
      const [again] = triedAgain("set_check", tries)
      assert.deepStrictEqual([again?.tries, again?.refusal], [tries + 1, "no"])
      return (again?.notBefore ?? 0) - 1000
    }
    assert.deepStrictEqual([0, 1, 2, 8, 9, 2000].map(wait), [
      Instant.second,
      2 * Instant.second,
      4 * Instant.second,
      256 * Instant.second,
      5 * Instant.minute,
      5 * Instant.minute
    ])
  })

  it("a command whose outcome is not known is sent again at once, and one that is not under way changes nothing", () => {
    const before = state({
      inflight: [
        { command: command("close"), tries: 2, notBefore: 5, refusal: "old" },
        { command: command("tell", { number: 1 }), tries: 0, notBefore: 0, refusal: null }
      ]
    })
    const after = CommandFold.step(before, { kind: "unknown", command: "close/1" }, 1000)
    assert.deepStrictEqual(
      after.inflight.map(({ notBefore, refusal, tries }) => [tries, notBefore, refusal]),
      [
        [3, 1000, null],
        [0, 0, null]
      ]
    )
    assert.strictEqual(CommandFold.step(before, { kind: "unknown", command: "other" }, 1000), before)
  })

  it("a refusal shows the base branch where that is newer", () => {
    const base = (known: Observation.Tip | null, seen: Observation.Tip | null) =>
      CommandFold.step(sent(command("close"), { base: known }), refused("close/1", "gone", seen), 0).base?.sha
    assert.deepStrictEqual(
      [
        base(tip("a", 1), tip("b", 2)),
        base(tip("a", 1), tip("b", 1)),
        base(tip("a", 1), null),
        base(null, tip("b", 0))
      ],
      ["b", "a", "a", "b"]
    )
  })

  it("a build on something that is gone makes a batch be built again, half a minute later", () => {
    for (const kind of ["build", "publish"] as const) {
      const before = sent(command(kind, { batch: "b" }), { batches: [batch("b", { phase: "building" }), batch("c")] })
      const { batches, inflight } = CommandFold.step(before, refused(`${kind}/1`, "gone"), 1000)
      assert.deepStrictEqual(batches, [batch("b", { notBefore: 31_000 }), batch("c")])
      assert.deepStrictEqual(inflight, [])
    }
  })

  it("a build that the platform refuses is repeated without end, as long as its batch exists", () => {
    for (const kind of ["build", "publish"] as const) {
      const building = batch("b", { phase: "building" })
      const again = (batches: ReadonlyArray<Batch.Batch>) =>
        CommandFold.step(
          sent(command(kind, { batch: "b" }), { batches }, 99),
          refused(`${kind}/1`, "not_possible"),
          1000
        )
      const after = again([building])
      assert.deepStrictEqual(after.batches, [building])
      assert.deepStrictEqual(
        after.inflight.map(({ notBefore, refusal, tries }) => [tries, notBefore, refusal]),
        [[100, 1000 + 5 * Instant.minute, "no"]]
      )
      assert.deepStrictEqual(again([batch("c")]).inflight, [])
    }
  })

  it("a build of members whom nobody may merge holds these, and the batch goes on without them", () => {
    const before = sent(command("build", { batch: "b" }), {
      batches: [batch("b", { phase: "building", members: [member(1), member(2)] })],
      entries: [entry(1, "s"), entry(2, "s")]
    })
    const after = CommandFold.step(before, { ...refused("build/1", "rule"), members: [2] }, 1000)
    assert.deepStrictEqual(
      after.batches.flatMap(({ members }) => members),
      [member(1)]
    )
    assert.deepStrictEqual(
      after.entries.map(({ hold }) => hold),
      [null, { kind: "refused", detail: "no" }]
    )
    assert.deepStrictEqual(
      after.messages.map(({ number, text }) => [number, text]),
      [[2, "The repository refused to merge it: no"]]
    )
  })

  it("a refused landing is made again half a minute later, after another read of the members", () => {
    for (const fields of [{ members: [member(1)] }, { member: member(1) }]) {
      const kind = "members" in fields ? "land" : "merge"
      const before = sent(command(kind, { batch: "b", ...fields }), {
        batches: [batch("b", { phase: "landing" })],
        entries: [entry(1, "s"), entry(2, "s")]
      })
      const { batches, entries } = CommandFold.step(before, refused(`${kind}/1`, "gone"), 1000)
      assert.deepStrictEqual(batches, [batch("b", { phase: "green", notBefore: 31_000 })])
      assert.deepStrictEqual(
        entries.map(({ confirmed }) => confirmed),
        [null, "s"]
      )
    }
  })

  it("members that a rule of the repository keeps from landing are held, and get a message", () => {
    for (const refusal of ["rule", "not_possible"] as const) {
      const before = sent(command("land", { batch: "b", members: [member(1)] }), {
        seq: 7,
        batches: [batch("b", { phase: "landing" }), batch("c", { members: [member(2)] })],
        entries: [entry(1), entry(2)],
        messages: [{ number: 9, seq: 1, text: "old" }]
      })
      const after = CommandFold.step(before, refused("land/1", refusal), 1000)
      assert.deepStrictEqual(
        after.batches.map(({ id }) => id),
        ["c"]
      )
      assert.deepStrictEqual(
        after.entries.map(({ hold }) => hold),
        [{ kind: "refused", detail: "no" }, null]
      )
      assert.deepStrictEqual(after.messages, [
        { number: 9, seq: 1, text: "old" },
        { number: 1, seq: 7, text: "The repository refused to merge it: no" }
      ])
    }
  })

  it("a refused rerun makes its checks red, in the rounds of its commit alone", () => {
    const red = (sha: string) => Round.begin(sha, "t", 0)
    const before = sent(
      command("rerun", { sha: "s" }),
      {
        batches: [batch("b", { round: red("s") }), batch("c", { round: red("o") }), batch("d")],
        groups: [group("s"), group("o")]
      },
      3
    )
    const { batches, groups } = CommandFold.step(before, refused("rerun/1"), 1000)
    assert.deepStrictEqual(
      batches.map(({ round }) => round?.canRerun),
      [false, true, undefined]
    )
    assert.deepStrictEqual(
      groups.map(({ round }) => [round.canRerun, round.redAt]),
      [
        [false, 1000],
        [true, null]
      ]
    )
  })

  it("a branch that was to be removed is not known any more, whatever the answer", () => {
    const branches = [
      { name: "a", sha: null },
      { name: "b", sha: null }
    ]
    for (const after of [
      CommandFold.step(sent(command("discard", { branch: "a" }), { branches }), refused("discard/1", "gone"), 0),
      CommandFold.done(sent(command("discard", { branch: "a" }), { branches }), command("discard", { branch: "a" }), {
        kind: "ok"
      })
    ]) {
      assert.deepStrictEqual(after.branches, branches.slice(1))
    }
  })
})

describe("a command that is issued", () => {
  it("an issued command counts the builds and the landings of its batch, and no other", () => {
    const first = batch("b", { generation: 1, tries: 1 })
    const second = batch("c")
    const batches = [first, second]
    const base = tip("m", 1)
    const of = (each: Command, fields = {}) => CommandFold.issued(state({ batches, base, ...fields }), each).batches
    const foundation = { under: [], base, onto: "m", tree: "tree-m" }
    const built = { ...first, phase: "building" as const, generation: 2, foundation }
    assert.deepStrictEqual(of(command("build", { batch: "b" })), [built, second])
    assert.deepStrictEqual(of(command("build", { batch: "b" }), { base: null }), batches)
    for (const kind of ["land", "merge"] as const) {
      assert.deepStrictEqual(of(command(kind, { batch: "b" })), [
        { ...first, phase: "landing" as const, tries: 2 },
        second
      ])
    }
  })

  it("an issued command is under way, not yet tried", () => {
    const close = command("close", { number: 1 })
    const after = CommandFold.issued(
      state({
        closing: [
          { number: 1, sha: "a" },
          { number: 2, sha: "b" }
        ]
      }),
      close
    )
    assert.deepStrictEqual(after.inflight, [{ command: close, tries: 0, notBefore: 0, refusal: null }])
    assert.deepStrictEqual(after.closing, [{ number: 2, sha: "b" }])
  })

  it("a branch is published, and its commit is known when that is done", () => {
    const publish = command("publish", { batch: "b", branch: "q/b", sha: "s" })
    const batches = [batch("b", { steps: [{ commit: "s", tree: "t" } as Batch.Batch["steps"][number]] }), batch("c")]
    const after = CommandFold.issued(state({ batches, branches: [{ name: "x", sha: "y" }] }), publish)
    assert.deepStrictEqual(
      after.batches.map(({ phase }) => phase),
      ["publishing", "planned"]
    )
    assert.deepStrictEqual(after.branches.at(-1), { name: "q/b", sha: null })
    const done = CommandFold.done({ ...after, rounds: [1] }, publish, { kind: "ok" }, 1000)
    assert.deepStrictEqual(done.branches, [
      { name: "x", sha: "y" },
      { name: "q/b", sha: "s" }
    ])
    assert.deepStrictEqual(done.rounds, [1, 1000])
    assert.deepStrictEqual([done.batches[0]?.phase, done.batches[0]?.round], ["testing", Round.begin("s", "t", 1000)])
    assert.strictEqual(CommandFold.begin(state({ batches: [batch("b")] }), "b", "s", 0).batches[0]?.round?.tree, "s")
  })

  it("a check is shown without those of commits that are gone, and replaces one that is under way", () => {
    const check = (sha: string, id = "new") => command("set_check", { id, sha, state: "success", title: "ok" })
    const before = state({
      groups: [group("g")],
      heads: [{ number: 1, sha: "h", round: Round.begin("h", "t", 0) }] as unknown as EngineState.EngineState["heads"],
      shown: { g: "in_progress a", h: "in_progress b", old: "success c" },
      inflight: [check("g", "1"), check("h", "2"), command("close", { sha: "g" })].map((each) => ({
        command: each,
        tries: 0,
        notBefore: 0,
        refusal: null
      }))
    })
    const after = CommandFold.issued(before, check("g"))
    assert.deepStrictEqual(after.shown, { g: "success ok", h: "in_progress b" })
    assert.deepStrictEqual(
      after.inflight.map((each) => each.command.id),
      ["2", "close/1", "new"]
    )
  })

  it("a group is cancelled, except where only some of its jobs are", () => {
    const gone = (fields: Readonly<Record<string, unknown>>) =>
      CommandFold.issued(
        state({ groups: [group("g"), group("o")] }),
        command("cancel", { sha: "g", ...fields })
      ).groups.map((each) => each.gone)
    assert.deepStrictEqual(
      [gone({}), gone({ checks: ["unit"] })],
      [
        ["cancelled", null],
        [null, null]
      ]
    )
  })

  it("a dequeue takes a pull request out of the groups that failed with it", () => {
    const groups = [
      group("a", { concluded: "failure" }),
      group("b", { concluded: "success" }),
      group("c", { concluded: "failure", members: [member(2)] }),
      group("d", { concluded: "failure", members: [member(2), member(1)] })
    ]
    const leaving = [1, 2].map((number) => ({ number, at: 0, by: "ada" }))
    const after = CommandFold.issued(state({ groups, leaving }), command("dequeue", { number: 1 }))
    assert.deepStrictEqual(
      after.groups.filter((each, index) => each !== groups[index]).map(({ id }) => id),
      ["a", "d"]
    )
    assert.deepStrictEqual(after.leaving, leaving.slice(1))
  })

  it("one comment is written, in place of those to the same pull request that are not written yet", () => {
    const comment = (id: string, number: number) => command("tell", { id, number })
    const inflight = [comment("1", 1), comment("2", 2), command("close", { number: 1 })].map((each) => ({
      command: each,
      tries: 0,
      notBefore: 0,
      refusal: null
    }))
    const messages = [1, 2].map((number) => ({ number, seq: 1, text: "" }))
    const after = CommandFold.issued(state({ inflight, messages }), comment("3", 1))
    assert.deepStrictEqual(
      after.inflight.map((each) => each.command.id),
      ["2", "close/1", "3"]
    )
    assert.deepStrictEqual(after.messages, messages.slice(1))
  })

  it("an enqueue puts a parked pull request into the queue again, and is remembered", () => {
    const parked = (number: number, pausedAt: number): EngineState.Parked => ({
      ...member(number),
      cause: "hold",
      pausedAt,
      place: 0
    })
    const before = state({ parked: [parked(1, 5), parked(2, 5)], lastReenqueue: [parked(1, 3), parked(3, 3)] })
    const after = CommandFold.issued(before, command("enqueue", { member: member(1) }))
    assert.deepStrictEqual(after.parked, [parked(2, 5)])
    assert.deepStrictEqual(after.lastReenqueue, [parked(3, 3), parked(1, 5)])
  })
})

describe("a command that was executed", () => {
  const done = (each: Command, answer: EngineCommand.Answer, fields: Partial<EngineState.EngineState> = {}) =>
    CommandFold.done(sent(each, fields), each, answer, 1000)

  it("a command with an answer of another kind is only not under way any more", () => {
    const fields = { batches: [batch("b")], entries: [entry(1)], base: tip("m", 1) }
    for (const kind of ["build", "read", "land", "merge"] as const) {
      const each = command(kind, { batch: "b", members: [member(1)], member: member(1), numbers: [1] })
      assert.deepStrictEqual(done(each, { kind: "ok" }, fields), state(fields))
    }
  })

  it("a build has built its batch", () => {
    const answer = {
      kind: "built",
      conflicts: [2],
      contained: [3],
      steps: [{ commit: "s", tree: "t" }]
    } as unknown as EngineCommand.Answer
    const { batches } = done(command("build", { batch: "b" }), answer, { batches: [batch("b"), batch("c")] })
    const steps = [{ commit: "s", tree: "t" }] as unknown as Batch.Batch["steps"]
    assert.deepStrictEqual(batches, [batch("b", { phase: "built", conflicts: [2], contained: [3], steps }), batch("c")])
  })

  it("a read confirms pull requests, and the base branch where that is newer", () => {
    const read = command("read", { numbers: [1], round: "s" })
    const of = (base: Observation.Tip | null, version: number) =>
      done(read, { kind: "read", base: tip("new", version), pulls: [] } as EngineCommand.Answer, {
        base,
        entries: [entry(1), entry(2)]
      })
    assert.deepStrictEqual(
      of(null, 1).entries.map(({ confirmed }) => confirmed),
      ["s", null]
    )
    assert.deepStrictEqual(
      [of(null, 1), of(tip("m", 1), 2), of(tip("m", 1), 1), of(tip("m", 2), 1)].map(({ base }) => base?.sha),
      ["new", "new", "m", "m"]
    )
  })

  it("a landing lands its members: they leave the queue with a message, and are closed where that was asked", () => {
    const fields: Partial<EngineState.EngineState> = {
      seq: 7,
      base: tip("m", 1),
      batches: [batch("b", { members: [member(1), member(2)] })],
      entries: [entry(1), entry(2), entry(3)],
      heads: [1, 3].map((number) => ({ number, sha: `h${number}` })) as unknown as EngineState.EngineState["heads"],
      closing: [{ number: 9, sha: "x" }]
    }
    const land = (closes: boolean | undefined, base: Observation.Tip) =>
      done(
        command("land", { batch: "b", members: [member(1), member(2)], to: "t", tree: "tt", closes }),
        { kind: "landed", base } as EngineCommand.Answer,
        fields
      )
    const after = land(true, tip("t", 2))
    assert.deepStrictEqual([after.batches, after.base], [[], tip("t", 2)])
    assert.deepStrictEqual(
      [after.entries, after.heads].map((list) => list.map(({ number }) => number)),
      [[3], [3]]
    )
    assert.deepStrictEqual(
      after.messages,
      [1, 2].map((number) => ({ number, seq: 7, text: "Merged as t." }))
    )
    assert.deepStrictEqual(
      after.closing.map(({ number, sha }) => [number, sha]),
      [
        [9, "x"],
        [1, "t"],
        [2, "t"]
      ]
    )
    for (const closes of [false, undefined]) assert.deepStrictEqual(land(closes, tip("t", 2)).closing, fields.closing)
    assert.deepStrictEqual([land(false, tip("t", 0)).base?.sha, land(false, tip("t", 1)).base?.sha], ["m", "t"])
  })

  it("a merge merges its member; another tree than the tested one raises the alarm", () => {
    const merge = command("merge", { batch: "b", member: member(1), tree: "tested" })
    const alarm = (tree: string) =>
      done(merge, { kind: "merged", sha: "x", tree, base: tip("x", 2) } as EngineCommand.Answer, {
        batches: [batch("b", { members: [member(1), member(2)] })]
      })
    assert.isNull(alarm("tested").alarm)
    assert.strictEqual(alarm("other").alarm, "#1 was tested as tree tested and merged as tree other")
    assert.deepStrictEqual(alarm("tested").batches[0]?.members, [member(2)])
  })
})
