import {
  CommitNotice,
  HostingPlatform,
  PlatformSetup,
  QueueNotice,
  Queues,
  Services,
  PlatformEvents,
  type PlatformDelivery,
  Triages
} from "@lazaret/services"
import { Instant, Repository } from "@lazaret/domain"
import { type QueueEvent } from "@lazaret/queue"
import { MemoryStores, RepositoryStore, SightingStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { memory, memoryWith, noon, pull, record, ref } from "../builders.ts"

const delivery = (given: Partial<PlatformDelivery>): PlatformDelivery => ({
  repository: ref,
  events: [],
  pulls: [],
  defaultBranch: null,
  configurationFile: null,
  heads: [],
  press: null,
  ...given
})

const receive = (given: Partial<PlatformDelivery>) =>
  Effect.flatMap(PlatformEvents, (events) => events.receive(delivery(given)))

const queued: QueueEvent.QueueEvent = { id: "q", at: noon, branch: "main", pullRequest: 7, kind: "queued" }

/** A platform that shows one text for every file. */
const showing = (text: string) =>
  Services.layer.pipe(
    Layer.provideMerge(MemoryStores.layer),
    Layer.provideMerge(
      Layer.succeed(HostingPlatform, {
        isConnected: Effect.succeed(true),
        permission: () => Effect.succeed("none" as const),
        pullOf: () => Effect.succeed(Option.none()),
        file: (_, path) => Effect.succeed(path === ".lazaret/queue.yml" ? Option.some(text) : Option.none())
      })
    )
  )

const changed = { configurationFile: ".lazaret/queue.yml" }

describe("PlatformEvents", () => {
  test("a delivery is answered after it is carried out: a process that dies before has accepted nothing", function* () {
    yield* TestClock.setTime(noon)
    const text = yield* Deferred.make<string>()
    const slow = Services.layer.pipe(
      Layer.provideMerge(MemoryStores.layer),
      Layer.provideMerge(
        Layer.succeed(HostingPlatform, {
          isConnected: Effect.succeed(true),
          permission: () => Effect.succeed("none" as const),
          pullOf: () => Effect.succeed(Option.none()),
          file: () => Effect.map(Deferred.await(text), Option.some)
        })
      )
    )
    yield* Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(receive(changed))
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(fiber.pollUnsafe())
      yield* Deferred.succeed(text, "queue_rules:\n  - name: late\n")
      const { notes } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(notes, [{ _tag: "ConfigurationRead", path: ".lazaret/queue.yml", faults: [] }])
      const rules = yield* (yield* Queues).configuration(ref)
      assert.deepStrictEqual(
        rules.map(({ name }) => name),
        ["late"]
      )
    }).pipe(Effect.provide(Layer.fresh(slow)))
  })

  test("a change of the repository or its installation is noted, and queues go on when the app is back", function* () {
    yield* TestClock.setTime(noon)
    const looked: Array<string> = []
    const forgotten: Array<string> = []
    const listening = Services.layer.pipe(
      Layer.provideMerge(MemoryStores.layer),
      Layer.provide(HostingPlatform.layerOff),
      Layer.provide(
        Layer.succeed(QueueNotice, {
          notice: ({ repository }) => Effect.sync(() => void looked.push(repository)),
          isSource: () => Effect.succeed(false)
        })
      ),
      Layer.provide(
        Layer.succeed(PlatformSetup, {
          platform: Effect.succeed("github" as const),
          read: () => Effect.succeed(PlatformSetup.none),
          forget: ({ repository }) => Effect.sync(() => void forgotten.push(repository)),
          commitOf: () => Effect.succeed(""),
          isShown: () => Effect.succeed(false)
        })
      )
    )
    yield* Effect.gen(function* () {
      const store = yield* RepositoryStore
      const other = { owner: "other", repository: "gears" }
      for (const each of [ref, other]) yield* store.set(each, Repository.defaultSettings, noon)
      const { installationChanged } = yield* PlatformEvents
      assert.strictEqual(yield* installationChanged({ owner: ref.owner.toUpperCase(), name: "suspend" }), 1)
      assert.deepStrictEqual([looked, forgotten], [[], [ref.repository]])
      assert.strictEqual(yield* installationChanged({ owner: ref.owner, name: "unsuspend" }), 1)
      assert.deepStrictEqual(looked, [ref.repository])
      yield* receive({ change: { name: "renamed", to: "acme/gears" }, event: "repository" })
      yield* receive({ checked: "c" })
      assert.deepStrictEqual(looked, [ref.repository, ref.repository, ref.repository])
      const seen = yield* SightingStore.use(({ all }) => all(ref))
      assert.deepStrictEqual(
        seen.map(({ detail, kind, name }) => [kind, name, detail]),
        [
          ["delivery", "repository", null],
          ["installation", "suspend", null],
          ["installation", "unsuspend", null],
          ["repository", "renamed", "acme/gears"]
        ]
      )
      assert.deepStrictEqual(yield* SightingStore.use(({ all }) => all(other)), [])
    }).pipe(Effect.provide(Layer.fresh(listening)))
  })

  it.effect("the verdicts on a commit are complete when the run that the platform reports is over", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const ciRun = { runId: "812", pipelineName: "CI", commit: "a", attempt: 1 }
      assert.deepInclude(yield* receive({ ciRun: { ...ciRun, state: "running" } }), {
        notes: [{ _tag: "RunNoted", runId: "812", state: "running" }]
      })
      assert.isTrue(Option.isNone(yield* (yield* RepositoryStore).get(ref)), "a run creates no repository")
      yield* record({ commit: "a", hoursAgo: 0 })
      const triages = yield* Triages
      const isComplete = Effect.map(triages.list(ref, { _tag: "Commit", commit: "a" }, {}), ({ complete }) => complete)
      assert.isTrue(yield* isComplete, "nothing says that a job is missing")
      yield* receive({ ciRun: { ...ciRun, state: "running" } })
      assert.isFalse(yield* isComplete)
      yield* receive({ ciRun: { ...ciRun, state: "over" } })
      assert.isFalse(yield* isComplete, "a report may be on its way")
      yield* TestClock.adjust("10 minutes")
      assert.isTrue(yield* isComplete)
    }).pipe(Effect.provide(memory))
  )

  it.effect("events in the future are reported and not recorded, the rest of the delivery is recorded", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon - 2 * Instant.day)
      const { notes, outcomes } = yield* receive({ events: [queued], defaultBranch: "trunk" })
      assert.deepStrictEqual(outcomes, [])
      assert.deepStrictEqual(notes, [{ _tag: "EventsAhead" }, { _tag: "DefaultBranchSet", branch: "trunk" }])
      assert.deepStrictEqual(yield* (yield* Queues).queues(ref), [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("events go to the queue, and say the second time that they are known", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      assert.deepStrictEqual(yield* receive({ events: [queued] }), {
        outcomes: [{ id: "q", status: "applied" }],
        notes: []
      })
      const [again] = (yield* receive({ events: [queued] })).outcomes
      assert.deepInclude(again, { status: "ignored", reason: "duplicate" })
      const [queue] = yield* (yield* Queues).queues(ref)
      assert.deepStrictEqual(
        queue?.pullRequests.map(({ number }) => number),
        [7]
      )
    }).pipe(Effect.provide(memory))
  )

  test("a pull request requests its report, unless its repository has never uploaded: then nothing is stored", function* () {
    const asked: Array<string> = []
    const listener = Layer.succeed(CommitNotice, {
      notice: (_, commit) => Effect.sync(() => void asked.push(commit)),
      changed: () => Effect.void
    })
    yield* Effect.gen(function* () {
      assert.deepStrictEqual((yield* receive({ heads: ["abc"] })).notes, [])
      assert.isTrue(Option.isNone(yield* (yield* RepositoryStore).get(ref)))
      yield* receive({ pulls: [{ commit: "abc", pull }] })
      assert.deepStrictEqual((yield* receive({ heads: ["abc"] })).notes, [{ _tag: "ReportRequested", commit: "abc" }])
      assert.deepStrictEqual(asked, ["abc"])
    }).pipe(Effect.provide(Layer.fresh(memoryWith(listener))))
  })

  it.effect("a merged pull request is the fact of its commit", () =>
    Effect.gen(function* () {
      const { notes } = yield* receive({ pulls: [{ commit: "abc", pull }] })
      assert.deepStrictEqual(notes, [{ _tag: "PullRequestRecorded", commit: "abc", number: 7 }])
      assert.deepStrictEqual(yield* (yield* RepositoryStore).pulls(ref, ["abc"]), new Map([["abc", pull]]))
    }).pipe(Effect.provide(memory))
  )

  it.effect("the default branch is set once, and never over what was set by hand", () =>
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const branch = Effect.map(repositories.get(ref), (found) => Option.getOrThrow(found).settings.defaultBranch)
      const { notes } = yield* receive({ defaultBranch: "trunk" })
      assert.deepStrictEqual([notes, yield* branch], [[{ _tag: "DefaultBranchSet", branch: "trunk" }], "trunk"])
      yield* repositories.set(ref, { ...Repository.defaultSettings, defaultBranch: "mine" }, noon)
      assert.deepStrictEqual(yield* receive({ defaultBranch: "trunk" }), { outcomes: [], notes: [] })
      assert.strictEqual(yield* branch, "mine")
    }).pipe(Effect.provide(memory))
  )

  it.effect("other settings survive the default branch", () =>
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      yield* repositories.set(ref, { ...Repository.defaultSettings, autoQuarantine: "flaky" }, noon)
      yield* receive({ defaultBranch: "trunk" })
      const { settings } = Option.getOrThrow(yield* repositories.get(ref))
      assert.deepStrictEqual(settings, {
        ...Repository.defaultSettings,
        autoQuarantine: "flaky",
        defaultBranch: "trunk"
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("a delivery without content stores nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* receive({}), { outcomes: [], notes: [] })
      assert.deepStrictEqual(yield* (yield* RepositoryStore).list, [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("a changed configuration file is read at the platform", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* receive(changed)).notes, [
        { _tag: "ConfigurationRead", path: ".lazaret/queue.yml", faults: [] }
      ])
      const rules = yield* (yield* Queues).configuration(ref)
      assert.deepStrictEqual(
        rules.map(({ name }) => name),
        ["hotfix"]
      )
    }).pipe(Effect.provide(showing("queue_rules:\n  - name: hotfix\n")))
  )

  it.effect("an invalid configuration file is stored, and its faults are reported", () =>
    Effect.gen(function* () {
      const { notes } = yield* receive(changed)
      const [note] = notes
      assert.strictEqual(notes.length, 1)
      assert.deepStrictEqual(note?._tag === "ConfigurationRead" && note.faults.map(({ line }) => line), [1])
      assert.strictEqual((yield* Effect.flip((yield* Queues).configuration(ref)))._tag, "Invalid")
    }).pipe(Effect.provide(showing("rules: []")))
  )

  it.effect("a file that is not text, or is too long, changes nothing and is reported", () =>
    Effect.gen(function* () {
      yield* (yield* Queues).configure(ref, "queue_rules:\n  - name: kept\n")
      assert.deepInclude((yield* receive(changed)).notes[0], { _tag: "ConfigurationTooLong" })
      const rules = yield* (yield* Queues).configuration(ref)
      assert.strictEqual(rules[0]?.name, "kept")
    }).pipe(Effect.provide(showing("a\0b")))
  )

  it.effect("a file that the platform does not return leaves the configuration unchanged", () =>
    Effect.gen(function* () {
      assert.deepInclude((yield* receive(changed)).notes[0], { _tag: "ConfigurationUnreadable" })
    }).pipe(Effect.provide(memory))
  )
})
