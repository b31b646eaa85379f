import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Repository } from "@lazaret/domain"
import {
  ArchiveReader,
  Artifacts,
  ForgeError,
  HostingPlatform,
  Ingestion,
  type ReadArchive,
  RepositoryCreation,
  type RunArtifact,
  Services,
  type Upload,
  type WorkflowRun,
  WorkflowRuns
} from "@lazaret/services"
import { MemoryStores, RepositoryStore } from "@lazaret/store"
import { Effect, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { commit, given, noon, ref } from "../builders.ts"

const run: WorkflowRun = {
  id: "7",
  workflow: "CI",
  origin: {
    repository: ref,
    subject: "run 7",
    runId: "7",
    runAttempt: null,
    code: { _tag: "ref", branch: "main", commit }
  },
  attempt: 1,
  commit,
  url: "https://ci.test/7",
  createdAt: noon,
  attemptStartedAt: noon
}

const artifact = (id: string): RunArtifact => ({
  id,
  key: `artifact:${id}`,
  name: `junit-${id}`,
  size: 10,
  createdAt: noon,
  isReport: false
})

/** A platform whose run has two artifacts; `down` lists the ids whose download fails, and how. */
const platform = () => {
  const down = new Map<string, ForgeError["reason"]>()
  const runs: WorkflowRuns = {
    get: () => Effect.succeed(run),
    latest: () => Effect.succeed({ runs: [run], isLast: true }),
    artifacts: () => Effect.succeed([artifact("1"), artifact("2")]),
    download: (_, id) =>
      Effect.suspend(() => {
        const reason = down.get(id)
        if (reason === undefined) return Effect.succeed(Stream.make(new TextEncoder().encode(id)))
        return Effect.fail(new ForgeError({ operation: "download", ...ref, reason, retryAt: null, message: reason }))
      })
  }
  return { down, runs }
}

/** Each archive holds one report. */
const reader: ReadArchive = (archive, record) =>
  Effect.gen(function* () {
    const bytes = yield* Stream.runCollect(archive)
    const digest = new TextDecoder().decode(Buffer.concat(bytes))
    yield* record({ path: "junit.xml", digest, finishedAt: noon, warnings: [], hints: {}, cases: [] })
    return []
  })

/** Artifacts over some stores, as one process has them; `recorded` are the keys of the reports, in order. */
const started = (stores: Layer.Layer<Layer.Success<typeof MemoryStores.layer>>, runs: WorkflowRuns) => {
  const recorded: Array<string> = []
  const ingestion = Layer.succeed(Ingestion, {
    record: (_, { digest, idempotencyKey }) =>
      Effect.sync(() => {
        const isKnown = recorded.includes(idempotencyKey ?? "")
        if (!isKnown) recorded.push(idempotencyKey ?? "")
        const counts = { received: 1, recorded: isKnown ? 0 : 1, duplicates: isKnown ? 1 : 0 }
        return {
          ...counts,
          reportId: digest,
          expired: null,
          skipped: 0,
          identities: 1,
          unshownBranch: null,
          warnings: []
        }
      })
  })
  const layer = Layer.fresh(Artifacts.layer).pipe(
    Layer.provide([stores, ingestion, Layer.succeed(WorkflowRuns, runs), Layer.succeed(ArchiveReader, reader)])
  )
  return Effect.map(Effect.provide(Layer.build(layer), Logger.layer([])), (context) => ({
    recorded,
    artifacts: Effect.runSync(Effect.provide(Artifacts, context))
  }))
}

const storesWith = Effect.fnUntraced(function* (names: ReadonlyArray<string> | null) {
  const context = yield* Layer.build(Layer.fresh(MemoryStores.layer))
  yield* TestClock.setTime(noon)
  const settings = { ...Repository.defaultSettings, artifacts: names }
  yield* Effect.provide(
    RepositoryStore.use((store) => store.set(ref, settings, noon)),
    context
  )
  return Layer.succeedContext(context)
})

const stores = storesWith(["junit-*"])

const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, Logger.layer([]))

describe("the artifacts of a run that was noticed", () => {
  test("artifacts are read after a restart, and after failures of the platform, and none is lost", function* () {
    const kept = yield* stores
    const { down, runs } = platform()
    const first = yield* started(kept, runs)
    assert.isTrue(yield* first.artifacts.notice(ref, "7"))
    down.set("2", "unavailable")
    const second = yield* started(kept, runs)
    assert.strictEqual(yield* quietly(second.artifacts.round), 1)
    assert.strictEqual(second.recorded.length, 1)
    assert.strictEqual(yield* quietly(second.artifacts.round), 0, "not before its time")
    down.clear()
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* quietly(second.artifacts.round), 1)
    assert.strictEqual(second.recorded.length, 2)
    yield* TestClock.adjust("1 day")
    assert.strictEqual(yield* quietly(second.artifacts.round), 0, "once")
  })

  test("artifacts that are gone hold up no other artifact, and are not asked for again", function* () {
    const { down, runs } = platform()
    const { artifacts, recorded } = yield* started(yield* stores, runs)
    down.set("1", "refused")
    yield* artifacts.notice(ref, "7")
    yield* artifacts.notice(ref, "7")
    assert.strictEqual(yield* quietly(artifacts.round), 1)
    assert.strictEqual(recorded.length, 1)
    yield* TestClock.adjust("1 day")
    assert.strictEqual(yield* quietly(artifacts.round), 0)
  })

  test("an empty setting reads no artifacts", function* () {
    const { artifacts } = yield* started(yield* storesWith([]), platform().runs)
    assert.isFalse(yield* artifacts.notice(ref, "7"))
    assert.strictEqual(yield* artifacts.round, 0)
  })
})

/** An upload of a job to the stores; what this server fetches itself is marked. */
const uploaded = (kept: Layer.Layer<Layer.Success<typeof MemoryStores.layer>>, parts: Partial<Upload> = {}) =>
  Effect.provide(
    Ingestion.use((ingestion) => ingestion.record(ref, { ...given({ commit, hoursAgo: 0 }), ...parts })),
    Layer.fresh(Services.layer).pipe(Layer.provide([kept, HostingPlatform.layerOff]))
  )

describe("artifacts with common names, without a setting", () => {
  test("artifacts are read minutes after the end of a run, in a repository whose jobs do not upload", function* () {
    const kept = yield* storesWith(null)
    const { artifacts, recorded } = yield* started(kept, platform().runs)
    const ofFork = given({ commit, hoursAgo: 0, branch: "mallory:topic" })
    yield* uploaded(kept, { isFetched: true })
    yield* uploaded(kept, ofFork)
    assert.isTrue(yield* artifacts.notice(ref, "7"))
    assert.strictEqual(yield* artifacts.round, 0, "an upload of the run may be on its way")
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(yield* quietly(artifacts.round), 1)
    assert.strictEqual(recorded.length, 2)
  })

  test("an upload of a job ends the reading for 30 days, also of a run that was noticed before", function* () {
    const kept = yield* storesWith(null)
    const { artifacts, recorded } = yield* started(kept, platform().runs)
    assert.isTrue(yield* artifacts.notice(ref, "7"))
    yield* uploaded(kept)
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(yield* quietly(artifacts.round), 1)
    assert.deepStrictEqual(recorded, [])
    assert.isFalse(yield* artifacts.notice(ref, "8"))
    yield* TestClock.adjust("30 days")
    assert.isTrue(yield* artifacts.notice(ref, "9"))
  })

  test("a run of an unknown repository is not read where reports alone create repositories", function* () {
    const { artifacts } = yield* Effect.provideService(
      started(yield* storesWith(null), platform().runs),
      RepositoryCreation.RepositoryCreation,
      "uploads"
    )
    assert.isFalse(yield* artifacts.notice({ owner: "acme", repository: "others" }, "7"))
    assert.isTrue(yield* artifacts.notice(ref, "7"))
  })
})
