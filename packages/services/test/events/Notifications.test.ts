import {
  DeliveryFailure,
  HostingPlatform,
  type Message,
  MessageSender,
  Notifications,
  Services
} from "@lazaret/services"
import { type CauseRecord, type Channel, Event, Instant, Notifier, Repository } from "@lazaret/domain"
import { causeRecord } from "@lazaret/domain/testing"
import { CauseStore, EventStore, MemoryStores, NotifierStore, RepositoryStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { noon, ref } from "../builders.ts"

/** A channel that records messages and answers as `takes` says. */
const channel = (takes: (attempt: number) => boolean = () => true) => {
  const got: Array<Message.Message> = []
  const send = (_: Channel.Channel, message: Message.Message) =>
    Effect.suspend(() => {
      got.push(message)
      return takes(got.length) ? Effect.void : Effect.fail(new DeliveryFailure({ message: "status 500" }))
    })
  return { got, layer: Layer.succeed(MessageSender, { send }) }
}

const scenario = <A, E>(
  layer: Layer.Layer<never>,
  body: Effect.Effect<A, E, CauseStore | EventStore | Notifications | NotifierStore | RepositoryStore>
) =>
  TestClock.setTime(noon).pipe(
    Effect.andThen(body),
    Effect.provide(
      Services.layer.pipe(
        Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, HostingPlatform.layerOff)),
        Layer.provide(layer),
        Layer.fresh
      )
    )
  )

const happen = (...reasons: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const events = reasons.map((reason, index) => ({
      ...Event.paused({ reason, pauseDate: noon }, noon + index, "key 1"),
      summary: `The merge queue is paused: ${reason}`
    }))
    yield* store.append(ref, events, noon)
  })

/** Verdicts on tests that became broken. */
const breaks = (id: string, testNames: ReadonlyArray<string>, ranAt = noon) =>
  EventStore.use((store) =>
    store.append(
      ref,
      Event.healthChanged(
        testNames.map((testName) => ({
          identity: { testName, pipelineName: "CI", jobName: "unit" },
          from: "healthy" as const,
          to: "broken" as const,
          rule: "failure" as const,
          commit: id,
          ranAt,
          pull: null
        })),
        { id, at: noon, branch: "main" }
      ),
      noon
    )
  )

/** Stores a cause of the tests a and b. */
const shareCause = (decisions: Partial<CauseRecord.CauseDecisions> = {}) =>
  CauseStore.use((store) =>
    Effect.gen(function* () {
      yield* store.request(ref, noon)
      const [leased] = yield* store.lease({ now: noon, until: noon + 1, lease: "1", limit: 1 })
      if (leased === undefined) return yield* Effect.die("no lease")
      const records = [causeRecord(["a", "b"], noon, decisions)]
      const times = { computedAt: noon, againAt: noon }
      yield* store.replace(leased, times, () => ({ redRuns: 5, missingRuns: 0, records }))
    })
  )

const create = (parts: Partial<Notifier.Notifier> = {}) =>
  Notifications.use((notifications) =>
    notifications.create(ref, {
      channel: { _tag: "Slack", url: "https://example.com/hook" },
      types: [],
      owners: [],
      schedule: { _tag: "AtOnce" },
      by: "key 1",
      ...parts
    })
  )

const round = Notifications.use((notifications) => notifications.round)

const textsOf = (got: ReadonlyArray<Message.Message>) => got.map(({ lines }) => lines.map(({ text }) => text))

describe("Notifications", () => {
  it.effect("events that come together are one message half a minute later, and none is reported twice", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* happen("before")
        yield* create()
        yield* happen("a", "b")
        yield* round
        assert.deepStrictEqual(got, [])
        yield* TestClock.adjust("31 seconds")
        yield* round
        yield* round
        assert.deepStrictEqual(textsOf(got), [["The merge queue is paused: a", "The merge queue is paused: b"]])
        assert.strictEqual(got[0]?.title, "acme/widgets: 2 changes")
      })
    )
  })

  it.effect(
    "a weekly digest comes at its hour of its day, with everything of the week before, and not in between",
    () => {
      const { got, layer } = channel()
      return scenario(
        layer,
        Effect.gen(function* () {
          yield* create({ schedule: { _tag: "Weekly", weekday: 1, hour: 9, timeZone: "UTC" } })
          const monday = Notifier.next({ _tag: "Weekly", weekday: 1, hour: 9, timeZone: "UTC" }, noon)
          yield* happen("a")
          yield* TestClock.setTime(monday - 1)
          yield* happen("b")
          yield* round
          assert.deepStrictEqual(got, [])
          yield* TestClock.setTime(monday)
          yield* round
          assert.deepStrictEqual(textsOf(got), [["The merge queue is paused: a", "The merge queue is paused: b"]])
          yield* TestClock.setTime(monday + 1)
          yield* happen("c")
          yield* TestClock.setTime(monday + 7 * Instant.day - 1)
          yield* round
          assert.strictEqual(got.length, 1)
          yield* TestClock.setTime(monday + 7 * Instant.day)
          yield* round
          assert.deepStrictEqual(textsOf(got).slice(1), [["The merge queue is paused: c"]])
        })
      )
    }
  )

  for (const [title, settings, lines] of [
    ["tests with one cause are one line", {}, ["2 tests with one cause became broken: boom, 2 tests."]],
    [
      "tests with one cause are lines of their own where notifiers do not follow causes",
      { notificationsBy: "test" },
      ['"a" was healthy and is broken now (CI, unit).', '"b" was healthy and is broken now (CI, unit).']
    ]
  ] as const) {
    it.effect(title, () => {
      const { got, layer } = channel()
      return scenario(
        layer,
        Effect.gen(function* () {
          yield* create()
          yield* shareCause()
          yield* RepositoryStore.use((store) => store.set(ref, { ...Repository.defaultSettings, ...settings }, noon))
          yield* breaks("c1", ["a"])
          yield* breaks("c2", ["b"])
          yield* TestClock.adjust("31 seconds")
          yield* round
          assert.deepStrictEqual(textsOf(got), [[...lines]])
        })
      )
    })
  }

  it.effect("a silenced cause notifies nobody of its tests, a closed one only of executions after the closing", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* create()
        yield* shareCause({ silencedUntil: noon + Instant.hour })
        yield* breaks("c1", ["a", "other"])
        yield* TestClock.adjust("31 seconds")
        yield* round
        assert.deepStrictEqual(textsOf(got), [['"other" was healthy and is broken now (CI, unit).']])
        yield* CauseStore.use((store) =>
          store.decide(ref, {
            causeId: causeRecord([], 0).causeId,
            change: { silencedUntil: null, closedAt: noon + 5 },
            at: noon,
            by: "ada"
          })
        )
        yield* breaks("c2", ["a"], noon + 5)
        yield* breaks("c3", ["b"], noon + 6)
        yield* TestClock.adjust("31 seconds")
        yield* round
        assert.deepStrictEqual(textsOf(got).slice(1), [
          ['The cause "boom, 2 tests" was unsilenced and closed.', '"b" was healthy and is broken now (CI, unit).']
        ])
      })
    )
  })

  it.effect("a notifier of the owner of a cause reports its tests", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* create({ owners: ["@acme/net"] })
        yield* shareCause({ owner: "@ACME/net" })
        yield* breaks("c1", ["a", "other"])
        yield* TestClock.adjust("31 seconds")
        yield* round
        assert.deepStrictEqual(textsOf(got), [['"a" was healthy and is broken now (CI, unit).']])
      })
    )
  })

  it.effect("a receiver that is down gets the same message again, before everything that happened since", () => {
    const { got, layer } = channel((attempt) => attempt > 3)
    return scenario(
      layer,
      Effect.gen(function* () {
        const { notifier } = yield* create()
        yield* happen("a")
        yield* TestClock.adjust("1 minute")
        yield* round
        yield* happen("b", "c")
        const [state] = yield* Notifications.use(({ list }) => list(ref))
        assert.deepInclude(state, { attempts: 1, failure: "status 500", sentAt: null })
        for (let minute = 0; minute < 10; minute++) {
          yield* TestClock.adjust("1 minute")
          yield* round
        }
        assert.deepStrictEqual(
          got.map(({ lines }) => lines.length),
          [1, 1, 1, 1, 2]
        )
        assert.strictEqual(new Set(got.slice(0, 4).map(({ id }) => id)).size, 1)
        assert.notStrictEqual(got[4]?.id, got[0]?.id)
        const [last] = yield* Notifications.use(({ list }) => list(ref))
        assert.deepInclude(last, { attempts: 0, failure: null, waiting: 0 })
        assert.strictEqual(last?.notifier.id, notifier.id)
      })
    )
  })

  it.effect(
    "a process that dies after it sent sends the same message again, with the same id and no later event",
    () => {
      const { got, layer } = channel()
      return scenario(
        layer,
        Effect.gen(function* () {
          const store = yield* NotifierStore
          yield* create()
          yield* happen("a")
          yield* TestClock.adjust("1 minute")
          // The process began the message, and died before it stored that the message was accepted.
          const [leased] = yield* store.lease({
            now: noon + Instant.minute,
            until: noon + 5 * Instant.minute,
            lease: "1",
            limit: 1
          })
          if (leased === undefined) return assert.fail("nothing was due")
          yield* store.stage(leased, leased.position + 1)
          yield* happen("b", "c")
          yield* round
          assert.deepStrictEqual(got, [])
          yield* TestClock.adjust("5 minutes")
          yield* round
          yield* round
          assert.deepStrictEqual(textsOf(got), [
            ["The merge queue is paused: a"],
            ["The merge queue is paused: b", "The merge queue is paused: c"]
          ])
        })
      )
    }
  )

  it.effect(
    "a digest waits for its hour on the clocks of its reader, and says nothing when nothing has happened",
    () => {
      const { got, layer } = channel()
      return scenario(
        layer,
        Effect.gen(function* () {
          yield* create({ schedule: { _tag: "Daily", hour: 9, timeZone: "Europe/Paris" } })
          yield* happen("a", "b", "c")
          yield* TestClock.setTime(Date.UTC(2026, 4, 21, 6, 59))
          yield* round
          assert.deepStrictEqual(got, [])
          yield* TestClock.setTime(Date.UTC(2026, 4, 21, 7))
          yield* round
          assert.lengthOf(got, 1)
          assert.lengthOf(got[0]?.lines ?? [], 3)
          yield* TestClock.adjust("1 day")
          assert.strictEqual(yield* round, 0)
        })
      )
    }
  )

  it.effect("no secret leaves in a message, and a test message says why a channel refuses it", () => {
    const { got, layer } = channel((attempt) => attempt < 2)
    return scenario(
      layer,
      Effect.gen(function* () {
        const { notifier } = yield* create()
        yield* happen("with ghp_0123456789abcdefghijABCDEFGHIJ012345")
        yield* TestClock.adjust("1 minute")
        yield* round
        assert.notInclude(JSON.stringify(got), "ghp_0123")
        const failed = yield* Effect.flip(Notifications.use(({ test }) => test(ref, notifier.id)))
        assert.deepInclude(failed, { _tag: "NotificationFailed", reason: "status 500" })
        yield* Notifications.use(({ remove }) => remove(ref, notifier.id))
        const unknown = yield* Effect.flip(Notifications.use(({ test }) => test(ref, notifier.id)))
        assert.strictEqual(unknown._tag, "NotifierNotFound")
      })
    )
  })

  it.effect("types that a notifier does not name are passed without a message", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* create({ types: ["quarantine.created"] })
        yield* happen("a")
        yield* TestClock.adjust("1 hour")
        yield* round
        assert.deepStrictEqual([got.length, yield* round], [0, 0])
      })
    )
  })
})
