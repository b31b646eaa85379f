/** The law of merge queues: a log of events that is folded, a pause, and the text of a configuration. */
import { Instant, Repository } from "@lazaret/domain"
import { MergeQueue, type QueueEvent, QueueOutcome } from "@lazaret/queue"
import { QueueStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Case, Law, QueueDraw, Sample } from "../law/index.ts"

const logs = Arbitrary.array(Arbitrary.schema(QueueDraw.QueueDraw), { maxLength: 40 })

const queued = (id: string, parts: Partial<QueueEvent.Of<"queued">> = {}): QueueEvent.QueueEvent => ({
  id,
  at: Sample.noon,
  branch: "main",
  pullRequest: 1,
  kind: "queued",
  ...parts
})

const about = (id: string, later: number) => ({ id, at: Sample.noon + later, branch: "main", pullRequest: 1 })

const append = (ref: Repository.RepositoryRef, events: ReadonlyArray<QueueEvent.QueueEvent>) =>
  QueueStore.use((store) => store.append(ref, events, Sample.noon))

const queue = (ref: Repository.RepositoryRef) => QueueStore.use((store) => store.queue(ref))

const created = (of: Repository.RepositoryRef) =>
  Effect.map(
    RepositoryStore.use((store) => store.get(of)),
    Option.map(({ createdAt }) => createdAt)
  )

const by = (minute: number) => ({ at: Sample.noon + minute, by: "key 1" })

/** The cases of merge queues. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("QueueStore", "the snapshot of a queue is its fold, its pause and its configuration", function* (ref) {
    const store = yield* QueueStore
    const nothing = { queue: MergeQueue.empty, pause: null, configuration: null }
    yield* Law.equal(yield* store.snapshot(ref), nothing)
    yield* append(ref, [queued("e1")])
    const pause = yield* store.setPause(ref, "release", by(1))
    yield* store.setConfiguration(ref, "queue_rules: []", Sample.noon)
    const folded = MergeQueue.fold([queued("e1")]).queue
    yield* Law.equal(yield* store.snapshot(ref), { queue: folded, pause, configuration: "queue_rules: []" })
  }),

  Case.law(
    "QueueStore",
    "the queue is the fold of the log, whatever the order of arrival and the cut into batches",
    () =>
      Law.forAll(
        logs,
        (draws) =>
          Effect.gen(function* () {
            const ref = yield* Case.repository
            const events = draws.map((draw, index) => QueueDraw.eventOf(draw, `e${index}`))
            const places = new Map(draws.map(({ place }, index) => [`e${index}`, place]))
            const arriving = events.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
            const cut = Math.floor(arriving.length / 3)
            yield* append(ref, arriving.slice(0, cut))
            yield* append(ref, arriving.slice(cut))
            const folded = MergeQueue.fold(events)
            yield* Law.equal(yield* queue(ref), folded.queue)
            const again = yield* append(ref, events)
            yield* Law.equal(
              again,
              events.map((event) => QueueOutcome.ignored(event, "duplicate"))
            )
            yield* Law.equal(yield* queue(ref), folded.queue)
          }),
        { runs: 40 }
      )
  ),

  Case.law("QueueStore", "each event is answered with what the fold of the whole log says of it", () =>
    Law.forAll(
      logs,
      (draws) =>
        Effect.gen(function* () {
          const ref = yield* Case.repository
          const events = draws.map((draw, index) => QueueDraw.eventOf(draw, `e${index}`))
          const outcomes = new Map(MergeQueue.fold(events).outcomes.map((outcome) => [outcome.id, outcome]))
          const expected = events.map(({ id }) => outcomes.get(id))
          yield* Law.equal<unknown>(yield* append(ref, events), expected)
        }),
      { runs: 20, seed: 2 }
    )
  ),

  Case.make(
    "QueueStore",
    "every field of an event is kept: rules, priorities, checks, conditions, rounds and suites",
    function* (ref) {
      const check = {
        name: "unit \u{1f600}",
        description: "240 tests\npassed",
        url: "https://ci.example/1?a=b&c='d'",
        detailsUrl: null,
        state: "pending",
        avatarUrl: "https://ci.example/face.png"
      } as const
      const brief = { name: "lint", description: "", url: null, state: "success", avatarUrl: null } as const
      const events: ReadonlyArray<QueueEvent.QueueEvent> = [
        queued("e0", { queueRule: "hotfix", priority: -2_147_483_648 }),
        {
          ...about("e1", 1),
          kind: "checks_started",
          checkType: "draft_pr",
          checkPullRequest: Number.MAX_SAFE_INTEGER,
          round: "b",
          evaluatedConditions: "- [ ] unit"
        },
        { ...about("e2", 2), kind: "check_updated", check, round: "b" },
        { ...about("e3", 3), kind: "check_updated", check: brief, evaluatedConditions: "" },
        { ...about("e4", 4), kind: "check_updated", check: { ...check, state: "failure" }, round: "a" },
        { ...about("e5", 5), kind: "checks_ended", state: "success", round: "b", suite: "s1" },
        { ...about("e6", 6), kind: "checks_ended", state: "stale", round: "a" }
      ]
      const folded = MergeQueue.fold(events)
      yield* Law.equal(yield* append(ref, events), folded.outcomes)
      yield* Law.equal(yield* queue(ref), folded.queue)
    }
  ),

  Case.make(
    "QueueStore",
    "an event whose id is known is a duplicate and changes nothing, also within one batch",
    function* (ref) {
      const first = queued("e1")
      const outcomes = yield* append(ref, [first, first, queued("e1", { pullRequest: 2 })])
      yield* Law.equal(
        outcomes.map((outcome) => (outcome.status === "applied" ? "applied" : outcome.reason)),
        ["applied", "duplicate", "duplicate"]
      )
      yield* Law.equal(yield* queue(ref), MergeQueue.fold([first]).queue)
    }
  ),

  Case.make("QueueStore", "the same events are kept once when they arrive concurrently", function* (ref) {
    const events = [queued("e1"), queued("e2", { pullRequest: 2 })]
    const outcomes = yield* Effect.all([append(ref, events), append(ref, events), append(ref, events)], {
      concurrency: 3
    })
    yield* Law.equal(outcomes.flat().filter(({ status }) => status === "applied").length, 2, "the number applied")
    yield* Law.equal(yield* queue(ref), MergeQueue.fold(events).queue)
  }),

  Case.make(
    "QueueStore",
    "an event that was ignored is not lost: what arrives later may give it its meaning",
    function* (ref) {
      const merged: QueueEvent.QueueEvent = {
        id: "e2",
        at: Sample.noon + 1,
        branch: "main",
        pullRequest: 1,
        kind: "merged"
      }
      yield* Law.equal(yield* append(ref, [merged]), MergeQueue.fold([merged]).outcomes)
      yield* append(ref, [queued("e1")])
      yield* Law.equal(yield* queue(ref), MergeQueue.fold([queued("e1"), merged]).queue)
    }
  ),

  Case.make("QueueStore", "a batch of which one text cannot be stored leaves nothing", function* (ref) {
    const faulty: QueueEvent.QueueEvent = {
      id: "e2",
      at: 0,
      branch: "main",
      pullRequest: 1,
      kind: "dequeued",
      reason: "a\0"
    }
    const error = yield* Effect.flip(append(ref, [queued("e1"), faulty]))
    yield* Law.equal(error.reason, "invalid")
    yield* Law.equal(yield* queue(ref), MergeQueue.fold([]).queue)
    yield* Law.equal(yield* RepositoryStore.use((store) => store.get(ref)), Option.none())
  }),

  Case.make(
    "QueueStore",
    "base branches are those with an event in the half-open window, in code-point order",
    function* (ref) {
      const [start, end] = [Sample.noon, Sample.noon + Instant.hour]
      yield* append(ref, [
        queued("e1", { branch: "b", at: start }),
        queued("e2", { branch: "\u{1f600}", at: end - 1 }),
        queued("e3", { branch: "\ufffd", at: start + 1 }),
        queued("e4", { branch: "B", at: start + 1 }),
        queued("e5", { branch: "b", at: start + 2 }),
        { id: "e6", at: start + 1, branch: "odd", pullRequest: 1, unknownKind: "frozen" },
        queued("e7", { branch: "before", at: start - 1 }),
        queued("e8", { branch: "after", at: end })
      ])
      const found = yield* QueueStore.use((store) => store.baseRefs(ref, { start, end }))
      yield* Law.equal(found, ["B", "b", "odd", "\ufffd", "\u{1f600}"])
    }
  ),

  Case.make(
    "QueueStore",
    "a pause keeps its date and takes the new reason; its end reports whether there was one",
    function* (ref) {
      const store = yield* QueueStore
      yield* Law.equal(yield* store.removePause(ref, by(5)), false)
      yield* Law.equal(yield* store.pause(ref), Option.none())
      const first = { reason: "release \u{1f600}", pauseDate: Sample.noon }
      yield* Law.equal(yield* store.setPause(ref, first.reason, by(0)), first)
      const second = { reason: "", pauseDate: Sample.noon }
      yield* Law.equal(yield* store.setPause(ref, "", by(1)), second)
      yield* Law.equal(yield* store.pause(ref), Option.some(second))
      const removals = yield* Effect.all([store.removePause(ref, by(5)), store.removePause(ref, by(5))], {
        concurrency: 2
      })
      yield* Law.equal(removals.filter(Boolean).length, 1, "the number of removals")
      yield* Law.equal(yield* store.pause(ref), Option.none())
      yield* Law.equal(yield* store.setPause(ref, "again", by(2)), {
        reason: "again",
        pauseDate: Sample.noon + 2
      })
    }
  ),

  Case.make(
    "QueueStore",
    "the configuration is the text as it was given, the empty one too, until it is taken away",
    function* (ref) {
      const store = yield* QueueStore
      yield* Law.equal(yield* store.configuration(ref), Option.none())
      for (const text of ["queue_rules:\r\n\t- name: \u{1f600}\n", "", "not: [yaml"]) {
        yield* store.setConfiguration(ref, text, Sample.noon)
        yield* Law.equal(yield* store.configuration(ref), Option.some(text))
      }
      yield* store.setConfiguration(ref, null, Sample.noon)
      yield* Law.equal(yield* store.configuration(ref), Option.none())
    }
  ),

  Case.make("QueueStore", "the last valid configuration is in force while a newer one is not valid", function* (ref) {
    const store = yield* QueueStore
    const valid = "merge_queue: {mode: mirror}"
    for (const [text, inForce] of [
      ["queue_rules: 3", null],
      [valid, valid],
      ["not: [yaml", valid],
      ["merge_queue: {mode: gate}", valid],
      ["", ""],
      [null, null],
      ["queue_rules: 3", null]
    ] as const) {
      yield* store.setConfiguration(ref, text, Sample.noon)
      yield* Law.equal(Option.getOrNull(yield* store.lastValidConfiguration(ref)), inForce, `after ${text}`)
    }
  }),

  Case.make(
    "QueueStore",
    "events, pause and configuration make their repository; removing no pause does not",
    function* (ref) {
      const store = yield* QueueStore
      yield* store.removePause(ref, by(5))
      yield* Law.equal(yield* created(ref), Option.none())
      yield* store.setPause(ref, "r", by(1))
      yield* store.append(ref, [queued("e1")], Sample.noon + 2)
      yield* Law.equal(yield* created(ref), Option.some(Sample.noon + 1))
      const [second, third] = [yield* Case.repository, yield* Case.repository]
      yield* store.append(second, [], Sample.noon + 2)
      yield* store.setConfiguration(third, null, Sample.noon + 3)
      yield* Law.equal(
        [yield* created(second), yield* created(third)],
        [Option.some(Sample.noon + 2), Option.some(Sample.noon + 3)]
      )
    }
  ),

  Case.make("QueueStore", "two repositories have two queues, two pauses and two configurations", function* (ref) {
    const store = yield* QueueStore
    const other = yield* Case.repository
    yield* append(ref, [queued("e1")])
    yield* store.setPause(ref, "release", by(0))
    yield* store.setConfiguration(ref, "queue_rules: []", Sample.noon)
    yield* Law.equal(yield* queue(other), MergeQueue.fold([]).queue)
    yield* Law.equal(yield* store.pause(other), Option.none())
    yield* Law.equal(yield* store.configuration(other), Option.none())
    yield* Law.equal(
      (yield* append(other, [queued("e1")])).map(({ status }) => status),
      ["applied"]
    )
  })
]
