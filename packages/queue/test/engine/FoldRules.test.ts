import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineFold, type EngineState, Fate, Preflight, QueueCommand, Readiness } from "@lazaret/queue"
import { Result, Schema } from "effect"
import * as Batch from "../../src/engine/Batch.ts"
import * as DriveView from "../../src/engine/DriveView.ts"
import * as YamlDocument from "../../src/YamlDocument.ts"
import { batch, command, entry, group, member, state, tip } from "./support/Fold.ts"
import { count, drive, outcome } from "./support/Scenario.ts"

const step = (before: EngineState.EngineState, event: Parameters<typeof EngineFold.step>[1]["event"], at = 0) =>
  EngineFold.step(before, { seq: 1, at, event })

describe("the fold of the log", () => {
  it("rounds and reruns older than a day are dropped, whichever of the two is", () => {
    const at = 2 * Instant.day
    const fresh = at - Instant.day + 1
    const kept = (rounds: ReadonlyArray<number>, reruns: ReadonlyArray<number>) => {
      const after = step(state({ rounds, reruns }), { kind: "parts_joined", root: "none" }, at)
      return [after.rounds, after.reruns]
    }
    assert.deepStrictEqual(kept([fresh - 1, fresh], []), [[fresh], []])
    assert.deepStrictEqual(kept([fresh], [fresh - 1]), [[fresh], []])
  })

  it("a rerun is charged to the members of its round, unless it is free", () => {
    const judged = { checks: ["unit"], failures: [], class: "flaky", probability: null } as const
    const reruns = (isFree: boolean) => {
      const entries = [1, 2].map((number) => ({ ...entry(number), reruns: 0 }))
      const before = state({ batches: [batch("b")], entries })
      return step(before, { kind: "round_rerun", batch: "b", isFree, ...judged }).entries.map((each) => each.reruns)
    }
    assert.deepStrictEqual(
      [reruns(false), reruns(true)],
      [
        [1, 0],
        [0, 0]
      ]
    )
  })

  it("in the shadow those who would have landed are held, those who would have left are gone, and no others", () => {
    const judged = { checks: [], failures: [], class: "unknown", probability: null } as const
    const holds = (said: "landed" | "left" | "rerun") => {
      const before = state({ batches: [batch("b")], entries: [entry(1), entry(2)] })
      const event = { kind: "batch_foreseen", batch: "b", outcome: said, members: [member(1)], ...judged } as const
      return step(before, event).entries.map(({ hold, number }) => [number, hold?.kind ?? null])
    }
    assert.deepStrictEqual(holds("landed"), [
      [1, "foreseen"],
      [2, null]
    ])
    assert.deepStrictEqual(holds("left"), [[2, null]])
    assert.deepStrictEqual(holds("rerun"), [
      [1, null],
      [2, null]
    ])
  })
})

describe("a configuration that is read", () => {
  const read = (mode: "gate" | "drive", shadow: boolean, digest = "new") =>
    ({ kind: "config_read", digest, mode, shadow }) as const
  const known = (mode: "gate" | "drive", shadow: boolean, fields: Partial<EngineState.EngineState>) =>
    state({ configuration: { digest: "old", mode, shadow }, ...fields })

  it("a gate judges its groups again when its shadow ends, and at no other time", () => {
    const judged = group("g", { concluded: "success" })
    const concluded = (before: boolean, after: boolean) =>
      step(known("gate", before, { groups: [judged] }), read("gate", after)).groups.map((each) => each.concluded)
    assert.deepStrictEqual(concluded(true, false), [null])
    for (const [before, after] of [
      [true, true],
      [false, false],
      [false, true]
    ] as const) {
      assert.deepStrictEqual(concluded(before, after), ["success"], `${before} ${after}`)
    }
  })

  it("what was built for a driven queue counts for nothing in another mode or shadow, and for a gate it stays", () => {
    const fields = { batches: [batch("b")], entries: [entry(1, "h1")] }
    const kept = (...[mode, before, to, after]: readonly ["gate" | "drive", boolean, "gate" | "drive", boolean]) => {
      const { batches, entries } = step(known(mode, before, fields), read(to, after))
      return [batches.length, ...entries.map(({ confirmed }) => confirmed)]
    }
    assert.deepStrictEqual(kept("drive", false, "drive", false), [1, "h1"])
    assert.deepStrictEqual(kept("drive", true, "drive", false), [0, null])
    assert.deepStrictEqual(kept("drive", false, "gate", false), [0, null])
    assert.deepStrictEqual(kept("gate", true, "gate", false), [1, "h1"])
    assert.deepStrictEqual(kept("gate", false, "drive", false), [1, "h1"])
  })
})

describe("a pull request that a person takes out", () => {
  it("one of an open group leaves, also before the queue was read, and nobody else does", () => {
    const leaving = (fields: Parameters<typeof state>[0]) =>
      step(state(fields), { kind: "dequeue_asked", number: 1, by: "ana" }).leaving.map(({ number }) => number)
    assert.deepStrictEqual(leaving({ groups: [group("g")] }), [1])
    assert.deepStrictEqual(leaving({ groups: [group("g", { members: [member(2)] })] }), [])
    assert.deepStrictEqual(leaving({ groups: [group("g", { gone: "dequeued" })] }), [])
    assert.deepStrictEqual(leaving({ queue: [member(1)] }), [1])
  })
})

describe("a pull request that is queued at another head", () => {
  it("the build of its batch is not wanted any more, and that of another one is", () => {
    const build = (id: string, of: string) => ({
      command: command("build", { id, batch: of }),
      tries: 0,
      notBefore: 0,
      refusal: null
    })
    const before = state({
      inflight: [build("build/b/1", "b"), build("build/c/1", "c")],
      batches: [
        batch("b", { phase: "building", members: [member(1), member(2)] }),
        batch("c", { members: [member(3)] })
      ]
    })
    const asked = { kind: "queue_asked", number: 1, head: "new", rule: "default", priority: 1, by: "ana" } as const
    const { batches, inflight } = step(before, asked)
    assert.deepStrictEqual(
      batches.map(({ members, phase }) => [phase, members]),
      [
        ["planned", [member(2)]],
        ["planned", [member(3)]]
      ]
    )
    assert.deepStrictEqual(
      inflight.map((each) => each.command.id),
      ["build/c/1"]
    )
  })
})

describe("what is read of the platform", () => {
  it("a base branch that is not newer than the known one changes nothing", () => {
    const base = (version: number) =>
      step(state({ base: tip("a", 3) }), { kind: "base_seen", tip: tip("b", version), rewritten: false }).base?.sha
    assert.deepStrictEqual([2, 3, 4].map(base), ["a", "a", "b"])
  })

  it("a branch that does not exist is not put on the list of those that have to go, and stays where it was on it", () => {
    const seenOn = (branches: EngineState.EngineState["branches"]) =>
      step(state({ branches }), { kind: "branch_seen", branch: "q", sha: null, version: 1 }).branches
    assert.deepStrictEqual([seenOn([]), seenOn([{ name: "q", sha: "a" }])], [[], [{ name: "q", sha: "a" }]])
  })

  it("the check of an old head is not set any more, unless another pull request has that head", () => {
    const heads = (...shas: ReadonlyArray<string>) =>
      // The fold reads these fields alone.
      shas.map((sha, index) => ({ number: index + 1, sha })) as unknown as EngineState.EngineState["heads"]
    const checks = ["h1", "h2"].map((sha) => ({
      command: command("set_check", { id: sha, sha }),
      tries: 0,
      notBefore: 0,
      refusal: null
    }))
    const pull = { number: 1, state: "open", draft: false, head: "new", base: "main", version: 1 } as const
    const left = (...shas: ReadonlyArray<string>) =>
      step(state({ heads: heads(...shas), inflight: checks }), {
        kind: "pull_seen",
        pull: { ...pull, mergeable: null, approved: true, blockedBy: null }
      }).inflight.map((each) => each.command.id)
    assert.deepStrictEqual(left("h1", "h2"), ["h2"])
    assert.deepStrictEqual(left("h1", "h1"), ["h1", "h2"])
  })
})

describe("batches of which it is open who lands", () => {
  it("a red batch of several is one, and a single red pull request is not", () => {
    const red = (...numbers: ReadonlyArray<number>): Batch.Batch => ({
      ...Batch.make("r", "default", numbers.map(member)),
      phase: "red"
    })
    assert.deepStrictEqual(Batch.unresolved([red(1), batch("g")]), [])
    assert.deepStrictEqual(Batch.unresolved([red(1, 2)]), [member(1), member(2)])
  })

  it("the parts that remain are joined when a part leaves, and nothing is where none remain", () => {
    const joined = (...given: Parameters<typeof drive>) => {
      const trace = drive(...given)
      outcome(trace)
      return count(trace, "parts_joined")
    }
    assert.strictEqual(joined(1, { bad: [1] }), 0)
    assert.isAbove(joined(4, { batchSize: 4, bad: [1] }), 0)
  })

  it("a batch that was not tested has no attempt", () => {
    const [shown] = DriveView.batches(state({ batches: [batch("b")] }))
    assert.strictEqual(shown?.attempt, 0)
  })
})

describe("bounds", () => {
  it("three failed tests are named, and more are not", () => {
    const sentence = (...tests: ReadonlyArray<string>) =>
      // The sentence reads these fields alone.
      Fate.sentence({
        outcome: "evicted",
        reason: "checks_failed",
        checks: ["unit"],
        failures: tests.map((test) => ({ check: "unit", test, class: "real", probability: null })),
        class: "real",
        attempts: 1
      } as unknown as Fate.Fate)
    assert.include(sentence("a", "b", "c"), "unit (a, b and c)")
    assert.notInclude(sentence("a", "b", "c"), "…")
    assert.include(sentence("a", "b", "c", "d"), "unit (a, b and c, …)")
  })

  it("of a comment ten commands of five words of a hundred characters are read", () => {
    assert.deepStrictEqual(QueueCommand.limits, { commands: 10, words: 5, characters: 100 })
  })

  it("a document has at most as many characters as are allowed", () => {
    const isRead = (length: number) => Result.isSuccess(YamlDocument.read("a".repeat(length), 10))
    assert.deepStrictEqual([10, 11].map(isRead), [true, false])
  })

  it("the name of a rule has one to a thousand characters", () => {
    const isRule = Schema.is(Preflight.BranchRule)
    const named = (length: number) => isRule({ kind: "other", name: "a".repeat(length) })
    assert.deepStrictEqual([0, 1, 1000, 1001].map(named), [false, true, true, false])
  })
})

describe("the certification of a platform that is driven", () => {
  const certified = (
    host: string | null,
    seen: ReadonlyArray<readonly [kind: string, name: string]>,
    isWaived = false
  ) => {
    const driveWaiver = isWaived ? { by: "ada", reason: "a trial", at: 1 } : null
    const all = Readiness.steps({
      drive: { state: { driveWaiver }, host, findings: [] },
      gate: null,
      setup: Readiness.noSetup,
      sightings: seen.map(([kind, name]) => ({
        kind,
        name,
        detail: null,
        at: 5
      })) as unknown as Readiness.Seen["sightings"]
    })
    const found = all.find(({ name }) => name === "certification")
    return [found?.state, found?.isNeeded]
  }

  it("a certification was seen for the host of the platform, or a person lets the queue be driven without it", () => {
    assert.deepStrictEqual(certified("github.com", [["certification", "github.com"]]), ["ok", true])
    assert.deepStrictEqual(certified("github.com", [["certification", "ghe.example"]]), ["missing", true])
    assert.deepStrictEqual(certified("github.com", [["check", "github.com"]]), ["missing", true])
    assert.deepStrictEqual(certified(null, [["certification", "github.com"]]), ["missing", true])
    assert.deepStrictEqual(certified(null, [], true), ["ok", true])
  })
})
