/** The job of a certification on the simulated GitHub: its start, its progress, its end, and a server that ends in the middle. */
import { assert, describe, it } from "@effect/vitest"
import { PlatformCertification, Repository } from "@lazaret/domain"
import { History } from "@lazaret/forge-simulated"
import { Audits, CertificationCase, Certifications, DriveForge } from "@lazaret/services"
import { AuditStore, CertificationStore, MemoryStores, RepositoryStore, SightingStore } from "@lazaret/store"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { asApp, layer as platform, ref, started } from "./connection.ts"

const scratch = { owner: "acme", repository: "scratch" }
const actor = { kind: "user", id: "github:ana", name: "ana" } as const
const start = Certifications.use((all) => all.start(ref, { scratch, actor }))
const latest = Certifications.use((all) => all.latest(ref))

/** Stores with the repository, and servers over them at a GitHub with a scratch repository. */
const connected = Effect.gen(function* () {
  const { github } = yield* started
  const history = History.memory()
  const repository = github.addRepository({ owner: "Acme", name: "Scratch" })
  repository.history = history
  const tree = history.tree(null, { readme: "hello" })
  history.move("main", { from: null, to: history.write({ tree, parents: [], message: "first", author: null }) })
  github.grant({ contents: "write" })
  const stores = yield* Layer.build(Layer.fresh(MemoryStores.layer))
  yield* Effect.provide(
    RepositoryStore.use((store) => store.set(ref, Repository.defaultSettings, 0)),
    stores
  )
  const ports = yield* Layer.build(platform(github, asApp(github)))
  const layerOf = (killedAt: number) => {
    const drive = Context.get(ports, DriveForge)
    const store = Context.get(stores, CertificationStore)
    let bases = 0
    const isKilled = () => killedAt > 0 && bases >= killedAt
    const publish: typeof drive.publish = (at, branch) => {
      if (branch.name.endsWith("/base")) bases += 1
      return Effect.tap(drive.publish(at, branch), () => (isKilled() ? Effect.never : Effect.void))
    }
    const update: typeof store.update = (at, changed) => (isKilled() ? Effect.never : store.update(at, changed))
    return Certifications.layerOf(CertificationCase.cases.slice(0, 2)).pipe(
      Layer.provide(Audits.layer),
      Layer.provide(Layer.succeedContext(Context.add(ports, DriveForge, DriveForge.of({ ...drive, publish })))),
      Layer.provide(Layer.succeedContext(Context.add(stores, CertificationStore, { ...store, update })))
    )
  }
  /** A server, and its end. One that is killed with the base of a case (counted from 1) writes nothing any more. */
  const server = Effect.fnUntraced(function* (killedAt = 0) {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Layer.fresh(layerOf(killedAt)), scope)
    const run = <A, E>(effect: Effect.Effect<A, E, Certifications>) => Effect.provide(effect, context)
    return { run, stop: Scope.close(scope, Exit.void) }
  })
  const entries = Effect.provide(
    AuditStore.use((store) =>
      store.page({
        owners: null,
        repository: null,
        action: null,
        actor: null,
        start: null,
        end: null,
        from: { _tag: "Start" },
        limit: 10
      })
    ),
    stores
  )
  const sightings = Effect.provide(
    SightingStore.use((store) => store.all(ref)),
    stores
  )
  return { server, entries, sightings, history, github }
})

type Server = Effect.Success<ReturnType<Effect.Success<typeof connected>["server"]>>

/** Asks until an answer is as it should be; the platform answers in real time. */
const until = <A, E>(ask: Effect.Effect<A, E>, holds: (answer: A) => boolean) =>
  Effect.gen(function* () {
    for (;;) {
      const answer = yield* ask
      if (holds(answer)) return answer
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
    }
  })

/** Asks until a certification does not run any more. */
const ended = ({ run }: Server) => until(Effect.map(run(latest), Option.getOrThrow), ({ state }) => state !== "running")

describe("the job of a certification", () => {
  it.effect("answers at once, tries every case without its caller, and certifies the host", () =>
    Effect.gen(function* () {
      const { entries, history, server, sightings } = yield* connected
      const one = yield* server()
      const { run } = one
      assert.deepStrictEqual(yield* run(latest), Option.none())
      const first = yield* run(start)
      assert.deepStrictEqual([first?.isNew, first?.report.state, first?.report.cases], [true, "running", []])
      const second = yield* run(start)
      assert.deepStrictEqual([second?.isNew, second?.report.id], [false, first?.report.id])
      const found = yield* ended(one)
      assert.deepStrictEqual(
        [found.state, found.failure, found.cases.length, found.cases.filter(({ fault }) => fault !== null)],
        ["passed", null, found.total, []]
      )
      assert.deepStrictEqual([...history.branches().keys()], ["main"])
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      assert.deepStrictEqual(
        (yield* sightings).map(({ kind }) => kind),
        ["certification"]
      )
      const [entry] = (yield* entries).rows
      assert.deepStrictEqual([entry?.action, entry?.outcome, entry?.actor.name], ["certifyPlatform", "done", "ana"])
      assert.deepInclude(entry?.after, { scratch: "acme/scratch", isPassed: true })
    })
  )

  it.effect("a case that does not hold, and a scratch repository that does not exist, certify nothing", () =>
    Effect.gen(function* () {
      const { entries, github, server, sightings } = yield* connected
      const one = yield* server()
      const { run } = one
      github.grant({ contents: "read" })
      yield* run(start)
      const faulty = yield* ended(one)
      assert.deepStrictEqual([faulty.state, faulty.cases.length], ["failed", faulty.total])
      const missing = { owner: "acme", repository: "no-scratch" }
      yield* run(Certifications.use((all) => all.start(ref, { scratch: missing, actor })))
      const failed = yield* ended(one)
      assert.deepStrictEqual([failed.state, failed.cases], ["failed", []])
      assert.match(failed.failure ?? "", /^The platform refused/u)
      assert.deepStrictEqual(yield* sightings, [])
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      assert.deepStrictEqual(
        (yield* entries).rows.map(({ outcome }) => outcome),
        ["failed", "failed"]
      )
    })
  )

  it.effect("a server that ends in the middle says so, and another one begins", () =>
    Effect.gen(function* () {
      const { server } = yield* connected
      const one = yield* server()
      yield* one.run(start)
      yield* one.stop
      const two = yield* server()
      const stopped = Option.getOrThrow(yield* two.run(latest))
      assert.deepStrictEqual([stopped.state, stopped.failure], ["failed", "The server stopped."])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* two.run(start))?.isNew, true)
      assert.strictEqual((yield* ended(two)).state, "passed")
    })
  )

  it.effect(
    "after a server that was killed in the middle another one begins, removes what was left, and certifies",
    () =>
      Effect.gen(function* () {
        const { history, server } = yield* connected
        const one = yield* server(2)
        yield* one.run(start)
        const known = Effect.map(one.run(latest), Option.getOrThrow)
        yield* until(known, ({ cases }) => cases.length === 1)
        yield* until(
          Effect.sync(() => history.branches().size),
          (count) => count > 1
        )
        const two = yield* server()
        assert.strictEqual((yield* two.run(start))?.isNew, false)
        yield* TestClock.adjust(PlatformCertification.patience)
        const dead = Option.getOrThrow(yield* two.run(latest))
        assert.deepStrictEqual([dead.state, dead.cases.length], ["interrupted", 1])
        assert.isAbove(history.branches().size, 1)
        assert.strictEqual((yield* two.run(start))?.isNew, true)
        const found = yield* ended(two)
        assert.deepStrictEqual([found.state, found.cases.length], ["passed", found.total])
        assert.deepStrictEqual([...history.branches().keys()], ["main"])
      })
  )
})
