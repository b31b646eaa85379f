/** The law of the engines of merge queues. */
import { Instant, Page, type Repository } from "@lazaret/domain"
import { EngineConfiguration, EngineDecision, type EngineEvent, EngineFold, EngineState } from "@lazaret/queue"
import { EngineStore, EventStore, type EngineStep, QueueStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Leased, Sample } from "../law/index.ts"

const configuration: EngineConfiguration.EngineConfiguration = {
  ...EngineConfiguration.defaults,
  mode: "gate",
  requiredChecks: ["unit"]
}

const step = (at: number, ...causes: ReadonlyArray<EngineEvent.EngineEvent>): EngineStep => ({
  at,
  causes,
  decide: (state) => EngineDecision.decide(state, configuration, at)
})

const group = (id: string, number = 1): EngineEvent.EngineEvent => ({
  kind: "group_seen",
  group: { id, tree: `tree-${id}`, onto: "m0", members: [{ number, head: `h${number}` }] }
})

const landed = (id: string, tree: string): EngineEvent.EngineEvent => ({ kind: "group_landed", id, sha: "m1", tree })

const all = { before: null, limit: 1000 }

const kinds = (log: ReadonlyArray<EngineEvent.Logged>) => log.toReversed().map(({ event }) => event.kind)

const { noon } = Sample

const leases = Leased.of(EngineStore)

/** A gate that has read a queue, and a group in it. */
const gated = (id: string, number: number): EngineStep =>
  step(
    noon,
    { kind: "config_read", digest: id, mode: "gate", shadow: false },
    { kind: "queue_seen", members: [{ number, head: `h${number}` }] },
    group(id, number)
  )

const checked = (state: "failure" | "success", attempt: number): EngineEvent.EngineEvent => ({
  kind: "checks_seen",
  sha: "g1",
  version: attempt,
  checks: [{ name: "unit", state, attempt }]
})

/** A lease that was abandoned ends at once, or when the engine acts no more. */
const abandonedAt = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, late: Instant.Instant) {
  const store = yield* EngineStore
  for (const leased of ["all", "one"] as const) {
    yield* store.wake(ref, "main", late)
    const held = yield* leases.only(ref, late)
    yield* Law.equal(yield* leases.at(ref, late + 1), [], "an engine that is leased")
    yield* store.abandon(late + 1, leased === "all" ? "all" : held)
    const next = yield* leases.only(ref, late + 1)
    yield* store.abandon(late + 2, held)
    yield* Law.equal(yield* leases.at(ref, late + 2), [], "after the end of a lease that was lost before")
    yield* Law.equal(yield* store.act(next, late + 20), true, "a write")
    yield* store.abandon(late + 3, leased === "all" ? "all" : next)
    yield* Law.equal(yield* leases.at(ref, late + 19), [], "an engine that acts")
    yield* store.release(yield* leases.only(ref, late + 20), late + Instant.day)
  }
})

/** The cases of engines. Only one of them leases: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "EngineStore",
    "a queue that an engine reads is in the log of queues; one that is mirrored is not",
    function* (ref) {
      const engines = yield* EngineStore
      const queues = yield* QueueStore
      yield* engines.append(ref, "release", step(noon, group("g9", 9)))
      yield* engines.append(ref, "main", gated("g1", 1))
      const shown = Effect.map(queues.queue(ref), ({ branches }) =>
        branches.map(({ branch, pullRequests }) => [
          branch,
          ...pullRequests.map(({ number, run }) => [number, run?.round])
        ])
      )
      yield* Law.equal(yield* shown, [["main", [1, "g1"]]], "the queue of the gate")
      yield* engines.append(ref, "main", step(noon + 1, { kind: "group_gone", id: "g1", cause: "merged" }))
      yield* Law.equal(yield* shown, [["main"]], "the queue after the merge")
    }
  ),
  Case.make(
    "EngineStore",
    "a write that is refused twice, and a merge without the gate, are events, once each",
    function* (ref) {
      const store = yield* EngineStore
      const { inflight } = yield* store.append(ref, "main", gated("g1", 1))
      const refused = inflight.map(({ command }): EngineEvent.EngineEvent => {
        const refusal = { refusal: "not_possible", detail: "403", base: null } as const
        return { kind: "refused", command: command.id, ...refusal }
      })
      yield* Law.equal(refused.length, 1, "the writes")
      const events = Effect.map(
        EventStore.use((log) => log.page(ref, { types: null, from: Page.start, limit: 10 })),
        ({ rows }) => rows.map(({ detail, type }) => [type, detail["pullRequests"]])
      )
      yield* store.append(ref, "main", step(noon + 1, ...refused))
      yield* Law.equal(yield* events, [], "after the first refusal")
      for (const at of [noon + 2, noon + 3]) yield* store.append(ref, "main", step(at, ...refused))
      yield* Law.equal(yield* events, [["queue.write_refused", [1]]], "after the third refusal")
      yield* store.append(
        ref,
        "main",
        step(noon + 4, { kind: "bypassed", member: { number: 2, head: "h2" }, sha: "m2" })
      )
      yield* Law.equal((yield* events)[0], ["queue.bypassed", [2]], "after the merge")
    }
  ),
  Case.make(
    "EngineStore",
    "an eviction and a repair are events, once each, with their tests and attempts",
    function* (ref) {
      const store = yield* EngineStore
      const failure = { check: "unit", test: "logs in", class: "flaky", probability: 0.9 } as const
      const reported: EngineEvent.EngineEvent = { kind: "reports_seen", sha: "g1", attempt: 1, failures: [failure] }
      yield* store.append(ref, "main", gated("g1", 1))
      yield* store.append(ref, "main", step(noon + 1, checked("failure", 1), reported))
      for (const at of [noon + 2, noon + 3]) yield* store.append(ref, "main", step(at, checked("success", 2)))
      const evicted: EngineEvent.EngineEvent = {
        kind: "evicted",
        member: { number: 2, head: "h2" },
        cause: "conflict",
        at: noon
      }
      for (const at of [noon + 4, noon + 5]) yield* store.append(ref, "main", step(at, evicted))
      const { rows } = yield* EventStore.use((log) =>
        log.page(ref, { types: ["queue.evicted", "queue.healed"], from: Page.start, limit: 10 })
      )
      yield* Law.equal(
        rows.map(({ detail, type }) => [type, detail["reason"], detail["attempts"], detail["tests"]]),
        [
          ["queue.evicted", "conflict", 1, []],
          ["queue.healed", "rerun_passed", 2, [{ check: "unit", test: "logs in", verdict: "flaky" }]]
        ],
        "the events, the newest first"
      )
    }
  ),
  Case.make("EngineStore", "the log holds causes, then decisions, and the state is its fold", function* (ref) {
    const store = yield* EngineStore
    yield* Law.equal(yield* store.state(ref, "main"), EngineState.initial, "before any event")
    yield* Law.equal(yield* store.branches(ref), [], "the branches before any event")
    const first = yield* store.append(ref, "main", step(noon, group("g1"), landed("g1", "tree-g1")))
    const log = yield* store.log(ref, "main", all)
    yield* Law.equal(kinds(log), ["group_seen", "group_landed", "tree_audited", "issued"])
    yield* Law.equal(
      log.map(({ at, seq }) => [seq, at]),
      [4, 3, 2, 1].map((seq) => [seq, noon])
    )
    yield* Law.equal(first, EngineFold.fold(log.toReversed()), "the state after a step")
    yield* Law.equal(yield* store.state(ref, "main"), first, "the state that is read")
    yield* store.append(ref, "main", step(noon + 1))
    yield* Law.equal(yield* store.log(ref, "main", all), log, "the log after a step without news")
    yield* Law.equal(yield* store.log(ref, "main", { before: 3, limit: 1 }), log.slice(2, 3), "a part of the log")
  }),
  Case.make("EngineStore", "concurrent steps each have their place in the log, and engines are apart", function* (ref) {
    const store = yield* EngineStore
    const numbers = Array.from({ length: 8 }, (_, index) => index + 1)
    yield* Effect.forEach(
      numbers,
      (number) => store.append(ref, number % 2 === 0 ? "main" : "next", step(noon, group(`g${number}`, number))),
      { concurrency: "unbounded" }
    )
    yield* Law.equal(yield* store.branches(ref), ["main", "next"])
    for (const [branch, rest] of [
      ["main", 0],
      ["next", 1]
    ] as const) {
      const log = (yield* store.log(ref, branch, all)).toReversed()
      yield* Law.equal(
        log.map(({ seq }) => seq),
        log.map((_, index) => index + 1),
        "the places"
      )
      const seen = log.flatMap(({ event }) => (event.kind === "group_seen" ? [event.group.id] : []))
      const own = numbers.filter((number) => number % 2 === rest).map((number) => `g${number}`)
      yield* Law.equal(seen.toSorted(), own, `the groups of ${branch}`)
      yield* Law.equal(yield* store.state(ref, branch), EngineFold.fold(log), `the state of ${branch}`)
    }
  }),
  Case.make("EngineStore", "a step whose decision dies leaves nothing", function* (ref) {
    const store = yield* EngineStore
    yield* store.append(ref, "main", step(noon, group("g1")))
    const log = yield* store.log(ref, "main", all)
    const dying = { ...step(noon, group("g2", 2)), decide: () => Option.getOrThrow(Option.none()) }
    yield* Law.equal((yield* Effect.exit(store.append(ref, "main", dying)))._tag, "Failure")
    yield* Law.equal(yield* store.log(ref, "main", all), log)
    yield* store.append(ref, "main", step(noon, group("g3", 3)))
    yield* Law.equal((yield* store.state(ref, "main")).groups.length, 2, "the groups after the next step")
  }),
  Case.make("EngineStore", "the pause of a repository is in the log of each of its engines", function* (ref) {
    const store = yield* EngineStore
    const queues = yield* QueueStore
    const pauses = Effect.map(
      Effect.forEach(["main", "next", "old"], (branch) => store.state(ref, branch)),
      (states) => states.map(({ pause }) => pause?.reason ?? null)
    )
    yield* store.append(ref, "main", step(noon, group("g1")))
    yield* queues.setPause(ref, "release", { at: noon + 1, by: "ana" })
    yield* Law.equal((yield* store.state(ref, "main")).pause, { at: noon + 1, reason: "release", by: "ana" })
    yield* store.append(ref, "next", step(noon + 2, group("g2")))
    yield* Law.equal(yield* pauses, ["release", "release", null], "an engine that is younger than the pause")
    yield* queues.removePause(ref, { at: noon + 3, by: "ben" })
    yield* Law.equal(yield* pauses, [null, null, null], "after the pause")
    yield* store.append(ref, "next", step(noon + 4, group("g3", 3), landed("g3", "other")))
    const paused = Option.getOrNull(yield* queues.pause(ref))
    yield* Law.equal(paused?.reason.startsWith("tree_mismatch"), true, "the pause of an engine that stops itself")
    yield* Law.equal(yield* pauses, [paused?.reason ?? "", paused?.reason ?? "", null], "the other engine")
    const { rows } = yield* EventStore.use((events) =>
      events.page(ref, { types: ["queue.paused"], from: Page.start, limit: 10 })
    )
    yield* Law.equal(
      rows.map(({ actor }) => actor),
      ["lazaret", "ana"]
    )
  }),
  Case.make(
    "EngineStore",
    "one process has the lease until it ends or is abandoned, nothing forbidden begins in a pause, and a wake is kept",
    function* (ref) {
      const store = yield* EngineStore
      const queues = yield* QueueStore
      yield* store.wake(ref, "main", noon + 900)
      yield* store.wake(ref, "main", noon + 5)
      yield* store.wake(ref, "main", noon + 6)
      yield* Law.equal(yield* leases.at(ref, noon + 4), [], "before its time")
      const first = yield* leases.contended(ref, noon + 5)
      yield* Law.equal(yield* store.act(first, noon + 60), true, "a write")
      yield* Law.equal(yield* store.actingUntil(ref), noon + 60)
      yield* queues.setPause(ref, "release", { at: noon + 7, by: "ana" })
      yield* Law.equal(yield* store.act(first, noon + 70), false, "a write during a pause")
      yield* Law.equal(yield* store.actingUntil(ref), noon + 60, "after a refused write")
      yield* Law.equal(yield* store.release(first, noon + 800), true, "the end of the lease")
      yield* Law.equal(yield* store.actingUntil(ref), 0, "after the lease")
      yield* Law.equal(yield* store.release(first, noon), false, "a second end")
      yield* Law.equal(yield* store.act(first, noon + 80), false, "a write after the lease")
      const [second] = yield* leases.at(ref, noon + 7)
      yield* Law.equal(second?.branch, "main", "the pause has woken the engine")
      const [third] = yield* leases.at(ref, noon + Instant.hour)
      yield* Law.equal(third?.branch, "main", "an engine whose lease has run out is due")
      if (second !== undefined) yield* Law.equal(yield* store.release(second, noon), false, "under a lost lease")
      if (third !== undefined) yield* Law.equal(yield* store.release(third, noon + Instant.day), true)
      yield* Law.equal(yield* leases.at(ref, noon + 2 * Instant.hour), [], "a released engine before its time")
      if (third !== undefined) yield* Law.equal(yield* store.renew(third, noon), false, "a renewal after the lease")
      const next = noon + 2 * Instant.day
      const fourth = yield* leases.only(ref, next)
      yield* Law.equal(yield* store.renew(fourth, next + Instant.hour), true, "a renewal")
      yield* Law.equal(yield* leases.at(ref, next + Instant.hour - 1), [], "an engine whose lease was renewed")
      const [fifth] = yield* leases.at(ref, next + Instant.hour)
      yield* Law.equal(fifth?.branch, "main", "an engine whose renewed lease has run out")
      yield* Law.equal(yield* store.renew(fourth, next + Instant.day), false, "the renewal of a lost lease")
      if (fifth !== undefined) yield* store.release(fifth, next + Instant.day)
      yield* queues.removePause(ref, { at: next + Instant.day, by: "ben" })
      yield* abandonedAt(ref, noon + 10 * Instant.day)
    }
  )
]
