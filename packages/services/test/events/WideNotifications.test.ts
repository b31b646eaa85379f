import {
  DeliveryFailure,
  HostingPlatform,
  type Message,
  MessageSender,
  type NewWideNotifier,
  Services,
  WideNotifications
} from "@lazaret/services"
import { type Channel, type Credential, Event, type Repository, type Role } from "@lazaret/domain"
import { EventStore, MemoryStores, RepositoryStore, WideNotifierStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { noon } from "../builders.ts"

/** A channel that records messages and answers as `takes` says at that time. */
const channel = (takes: () => boolean = () => true) => {
  const got: Array<Message.Message> = []
  const send = (_: Channel.Channel, message: Message.Message) =>
    Effect.suspend(() => {
      got.push(message)
      return takes() ? Effect.void : Effect.fail(new DeliveryFailure({ message: "status 500" }))
    })
  return { got, layer: Layer.succeed(MessageSender, { send }) }
}

const scenario = <A, E>(
  layer: Layer.Layer<never>,
  body: Effect.Effect<A, E, WideNotifications | EventStore | RepositoryStore | WideNotifierStore>
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

const web: Repository.RepositoryRef = { owner: "Acme", repository: "web" }
const api: Repository.RepositoryRef = { owner: "acme", repository: "api" }
const other: Repository.RepositoryRef = { owner: "other", repository: "web" }

/** Events of one repository; the id of an event follows from its reason. */
const happen = (ref: Repository.RepositoryRef, ...reasons: ReadonlyArray<string>) =>
  EventStore.use((store) =>
    store.append(
      ref,
      reasons.map((reason, index) => ({
        ...Event.paused({ reason, pauseDate: noon }, noon + index, "key 1"),
        summary: `paused: ${reason}`
      })),
      noon
    )
  )

const person = (...grants: ReadonlyArray<Role.Grant>): Credential.Principal => ({
  kind: "platform",
  subject: "ada",
  key: null,
  user: { id: "1", login: "ada", provider: null, grants }
})

const everywhere = person({ role: "admin", owner: null, repository: null })
const ofAcme = person({ role: "admin", owner: "ACME", repository: null })

const wanted = (...repositories: ReadonlyArray<string>): NewWideNotifier => ({
  repositories,
  channel: { _tag: "Slack", url: "https://example.com/hook" },
  types: [],
  owners: [],
  schedule: { _tag: "AtOnce" }
})

const create = (caller: Credential.Principal, notifier: NewWideNotifier) =>
  WideNotifications.use((wide) => wide.create(caller, notifier))

const round = WideNotifications.use((wide) => wide.round)

/** Rounds for some minutes, as a server has them. */
const pass = (minutes: number) =>
  Effect.forEach(
    Array.from({ length: minutes * 6 }),
    () => Effect.andThen(TestClock.adjust("10 seconds"), Effect.repeat(round, { until: (taken) => taken === 0 })),
    { discard: true }
  )

const textsOf = (got: ReadonlyArray<Message.Message>) => got.map(({ lines }) => lines.map(({ text }) => text))

describe("WideNotifications", () => {
  it.effect(
    "the events of all repositories that a pattern names are one message, each repository with a heading",
    () => {
      const { got, layer } = channel()
      return scenario(
        layer,
        Effect.gen(function* () {
          yield* happen(web, "before")
          yield* happen(other, "before")
          yield* create(ofAcme, wanted("acme/*"))
          yield* happen(web, "a", "b")
          yield* happen(other, "c")
          // A repository that did not exist at the creation is covered from its first event on.
          yield* happen(api, "d")
          yield* pass(2)
          assert.deepStrictEqual(textsOf(got), [
            ["acme/api: 1 change", "paused: d", "Acme/web: 2 changes", "paused: a", "paused: b"]
          ])
          assert.strictEqual(got[0]?.title, "2 repositories: 3 changes")
          yield* happen(web, "e")
          yield* pass(2)
          assert.deepStrictEqual(textsOf(got.slice(1)), [["paused: e"]])
          assert.strictEqual(got[1]?.title, "Acme/web: 1 change")
        })
      )
    }
  )

  it.effect("a retried message is unchanged by events that arrive meanwhile in any repository", () => {
    let isDown = true
    const { got, layer } = channel(() => !isDown)
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* happen(web, "before")
        yield* create(everywhere, wanted("*/*"))
        yield* happen(web, "a")
        yield* pass(1)
        yield* happen(api, "b")
        yield* happen(web, "c")
        const [state] = yield* WideNotifications.use((wide) => wide.list(everywhere))
        assert.strictEqual(state?.failure, "status 500")
        yield* pass(5)
        isDown = false
        yield* pass(10)
        const first = got.slice(0, -1)
        assert.isAbove(first.length, 3)
        assert.deepStrictEqual([...new Set(textsOf(first).flat())], ["paused: a"])
        assert.strictEqual(new Set(first.map(({ id }) => id)).size, 1)
        assert.deepStrictEqual(textsOf(got.slice(-1)), [
          ["acme/api: 1 change", "paused: b", "Acme/web: 1 change", "paused: c"]
        ])
      })
    )
  })

  it.effect("a process that dies after it sent sends the same message again, and another process takes over", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        const store = yield* WideNotifierStore
        const { notifier } = yield* create(everywhere, wanted("*/*"))
        yield* happen(web, "a")
        yield* TestClock.adjust("1 minute")
        const [leased] = yield* store.lease({ now: noon + 60_000, until: noon + 300_000, lease: "1", limit: 1 })
        if (leased === undefined) return assert.fail("nothing was due")
        yield* store.stage(leased, [{ key: "acme/web", createdAt: noon, position: 1 }])
        yield* happen(web, "b")
        yield* pass(3)
        assert.deepStrictEqual(got, [])
        yield* pass(3)
        assert.deepStrictEqual(textsOf(got), [["paused: a"], ["paused: b"]])
        assert.isFalse(yield* store.settle(leased, { ...leased, nextAt: 0, failure: null, sentAt: null }))
        assert.strictEqual((yield* WideNotifications.use((wide) => wide.list(everywhere)))[0]?.notifier.id, notifier.id)
      })
    )
  })

  it.effect("a removed repository drops out, and one with its name is read from its first event on", () => {
    let isDown = true
    const { got, layer } = channel(() => !isDown)
    return scenario(
      layer,
      Effect.gen(function* () {
        const repositories = yield* RepositoryStore
        yield* happen(web, "1", "2", "3")
        yield* create(everywhere, wanted("*/*"))
        yield* happen(web, "a")
        yield* happen(api, "b")
        // The first attempts are in vain; then one of the two repositories is removed.
        yield* pass(1)
        yield* repositories.remove(web)
        isDown = false
        yield* pass(2)
        assert.deepStrictEqual(textsOf(got.slice(0, 1)), [
          ["acme/api: 1 change", "paused: b", "Acme/web: 1 change", "paused: a"]
        ])
        assert.deepStrictEqual(textsOf(got.slice(-1)), [["paused: b"]])
        yield* happen(web, "again")
        yield* pass(2)
        assert.deepStrictEqual(textsOf(got.slice(-1)), [["paused: again"]])
      })
    )
  })

  it.effect("a digest is one message a day at its hour, with no more lines than a channel takes", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        const schedule = { _tag: "Daily", hour: 9, timeZone: "Europe/Paris" } as const
        yield* create(everywhere, { ...wanted("*/*"), schedule })
        const names = Array.from({ length: 30 }, (_, index) => `r${String(index).padStart(2, "0")}`)
        for (const repository of names) yield* happen({ owner: "acme", repository }, "a", "b", "c")
        yield* pass(10)
        assert.deepStrictEqual(got, [])
        yield* TestClock.adjust("1 day")
        yield* pass(1)
        assert.strictEqual(got.length, 1)
        const [message] = got
        assert.strictEqual(message?.title, "30 repositories: 90 changes")
        assert.strictEqual(message?.lines.filter(({ isHeading }) => isHeading).length, 20)
        const shown = message?.lines.filter(({ isHeading }) => !isHeading).length ?? 0
        assert.isAtMost(shown + 20, 46)
        assert.strictEqual(message?.further, 90 - shown)
        yield* TestClock.adjust("1 day")
        yield* pass(1)
        assert.strictEqual(got.length, 1, "a day without an event has no message")
      })
    )
  })

  it.effect("more events than one message takes are several messages, and none is lost", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        const reasons = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`)
        yield* create(everywhere, wanted("*/*"))
        yield* happen(api, ...reasons("api", 1500))
        yield* happen(web, ...reasons("web", 1500))
        yield* happen(other, ...reasons("other", 1500))
        yield* pass(3)
        const changes = got.map(({ title }) => Number(/(\d+) changes$/u.exec(title)?.[1]))
        assert.deepStrictEqual(changes, [2000, 2000, 500])
      })
    )
  })

  it.effect("nobody creates, sees, tests or deletes a notifier of owners that the caller does not administer", () => {
    const { got, layer } = channel()
    return scenario(
      layer,
      Effect.gen(function* () {
        const wide = yield* WideNotifications
        const member = person({ role: "member", owner: null, repository: null })
        const ofRepository = person({ role: "admin", owner: "acme", repository: "web" })
        for (const [caller, ...patterns] of [
          [member, "acme/*"],
          [ofRepository, "acme/web"],
          [ofAcme, "acme/*", "other/web"],
          [ofAcme, "*/web"]
        ] as const) {
          const refused = yield* Effect.flip(create(caller, wanted(...patterns)))
          assert.strictEqual(refused._tag, "NotifierOutOfReach", patterns.join(" "))
        }
        const { notifier } = yield* create(ofAcme, wanted("acme/*"))
        const all = yield* create(everywhere, wanted("*/*"))
        const seen = (caller: Credential.Principal) =>
          Effect.map(wide.list(caller), (states) => states.map((state) => state.notifier.id))
        assert.deepStrictEqual(yield* seen(ofAcme), [notifier.id])
        assert.deepStrictEqual(yield* seen(ofRepository), [])
        assert.sameMembers([...(yield* seen(everywhere))], [notifier.id, all.notifier.id])
        assert.strictEqual((yield* Effect.flip(wide.remove(ofAcme, all.notifier.id)))._tag, "NotifierNotFound")
        assert.strictEqual((yield* Effect.flip(wide.test(ofRepository, notifier.id)))._tag, "NotifierNotFound")
        yield* wide.test(ofAcme, notifier.id)
        assert.deepStrictEqual(
          got.map(({ title }) => title),
          ["acme/*: a test message"]
        )
        yield* wide.remove(everywhere, notifier.id)
        assert.deepStrictEqual(yield* seen(ofAcme), [])
      })
    )
  })
})
