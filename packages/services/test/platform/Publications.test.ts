import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { FailureSummary, Page, Redaction, Repository } from "@lazaret/domain"
import { newFailure } from "@lazaret/domain/testing"
import {
  CommitVerdicts,
  FailureReport,
  Forge,
  Ingestion,
  Publications,
  CommitNotice,
  Quarantines,
  Repositories
} from "@lazaret/services"
import { MemoryStores, PublicationStore, QuarantineStore, RepositoryStore } from "@lazaret/store"
import { Effect, Layer, Logger, Option } from "effect"
import * as fc from "fast-check"
import { TestClock } from "effect/testing"
import { commit, given, memory, memoryWith, noon, ref } from "../builders.ts"
import * as SimpleForge from "./simpleForge.ts"

const failing = (...names: ReadonlyArray<string>): FailureReport.CommitFailures => {
  const failures = names.map((name) => newFailure(name))
  return { commit, failures, total: failures.length, summary: FailureSummary.of(failures, true) }
}

type Comments = Repository.RepositorySettings["pullRequestComments"]

/** A service with a platform; `verdicts` is what is known of the commit now. */
const start = Effect.fnUntraced(function* (comments: Comments = "failures") {
  const platform = SimpleForge.make()
  const state = { verdicts: Option.some(failing("adds")) }
  const layer = Publications.layer({ publicUrl: null, redact: Redaction.redact }).pipe(
    Layer.provideMerge(MemoryStores.layer),
    Layer.provide([
      Layer.succeed(Forge, platform.forge),
      Layer.succeed(CommitVerdicts, { ofCommit: () => Effect.sync(() => state.verdicts) })
    ])
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  const settings = { ...Repository.defaultSettings, pullRequestComments: comments }
  yield* Effect.provide(
    RepositoryStore.use((store) => store.set(ref, settings, noon)),
    context
  )
  const request = Effect.provide(
    Publications.use((each) => each.request(ref, commit)),
    context
  )
  const changed = Effect.provide(
    Publications.use((each) => each.requestOpen(ref)),
    context
  )
  const round = Effect.provide(
    Publications.use((each) => each.round),
    context
  )
  yield* TestClock.setTime(noon)
  return { platform, state, context, request, changed, round, later: Effect.andThen(TestClock.adjust("1 hour"), round) }
})

const pull = { number: 7, head: commit, base: "main", source: null }

const bodies = ({ notes }: SimpleForge.SimpleForge) => (notes.get(7) ?? []).map(({ body }) => body)

describe("Publications", () => {
  test("requests within the pause are one publication, which a repetition does not change", function* () {
    const { platform, request, round } = yield* start()
    platform.pulls.push(pull)
    for (let count = 0; count < 5; count += 1) yield* request
    assert.strictEqual(yield* round, 0)
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(yield* round, 1)
    assert.deepStrictEqual(platform.writes, ["publish", "createNote"])
    yield* request
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(yield* round, 1)
    assert.deepStrictEqual(platform.writes, ["publish", "createNote"])
    assert.strictEqual(yield* round, 0)
  })

  test("the comment is edited in place, and removed when nothing fails any more", function* () {
    const { later, platform, request, state } = yield* start()
    platform.pulls.push(pull)
    yield* Effect.andThen(request, later)
    state.verdicts = Option.some(failing("adds", "subtracts"))
    yield* Effect.andThen(request, later)
    assert.strictEqual(bodies(platform).length, 1)
    assert.include(bodies(platform)[0], "subtracts")
    state.verdicts = Option.some(failing())
    yield* Effect.andThen(request, later)
    assert.deepStrictEqual(bodies(platform), [])
    assert.strictEqual(platform.reports.get(commit)?.conclusion, "success")
    assert.deepStrictEqual(platform.writes, ["publish", "createNote", "publish", "editNote", "publish", "removeNote"])
  })

  const modes: ReadonlyArray<readonly [Comments, ReadonlyArray<string>, number]> = [
    ["off", ["adds"], 0],
    ["failures", [], 0],
    ["always", [], 1],
    ["always", ["adds"], 1]
  ]
  for (const [comments, names, expected] of modes) {
    test(`with ${comments} and ${names.length} failures there are ${expected} comments`, function* () {
      const { later, platform, request, state } = yield* start(comments)
      platform.pulls.push(pull)
      state.verdicts = Option.some(failing(...names))
      yield* Effect.andThen(request, later)
      assert.strictEqual(bodies(platform).length, expected)
      assert.isDefined(platform.reports.get(commit))
    })
  }

  test("a limit is waited for, and what cannot succeed is given up", function* () {
    const { later, platform, request, round } = yield* start()
    const until = noon + 5000 + 30 * 60_000
    platform.faults.push({ when: "before", reason: "rate_limited", retryAt: until })
    yield* request
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* round, 1)
    yield* TestClock.adjust("29 minutes")
    assert.strictEqual(yield* round, 0)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* round, 1)
    assert.deepStrictEqual(platform.writes, ["publish"])
    platform.faults.push({ when: "before", reason: "not_installed" })
    yield* Effect.andThen(request, later)
    assert.strictEqual(yield* later, 0)
  })

  test("a commit with missing jobs is published again until they are over or given up", function* () {
    const { later, platform, request, state } = yield* start()
    const { summary } = failing()
    state.verdicts = Option.some({ ...failing(), summary: { ...summary, complete: false } })
    yield* Effect.andThen(request, later)
    assert.isNull(platform.reports.get(commit)?.conclusion)
    state.verdicts = Option.some(failing())
    assert.strictEqual(yield* later, 1)
    assert.strictEqual(platform.reports.get(commit)?.conclusion, "success")
    assert.strictEqual(yield* later, 0)
  })

  test("the default branch is that of the platform, unless somebody has set one", function* () {
    for (const set of [null, "release"]) {
      const { context, later, request } = yield* start()
      const branch = Effect.provide(
        RepositoryStore.use((store) => store.get(ref)),
        context
      ).pipe(Effect.map(Option.map(({ settings }) => settings.defaultBranch)))
      const settings = { ...Repository.defaultSettings, defaultBranch: set }
      yield* Effect.provide(
        RepositoryStore.use((store) => store.set(ref, settings, noon)),
        context
      )
      yield* Effect.andThen(request, later)
      assert.deepStrictEqual(yield* branch, Option.some(set ?? "main"))
    }
  })

  test("a second comment, which two processes at once can write, is removed", function* () {
    const { later, platform, request } = yield* start()
    platform.pulls.push(pull)
    const note = (id: number) => ({ id, body: `${FailureReport.marker} ${id}` })
    platform.notes.set(7, [note(101), note(102)])
    yield* Effect.andThen(request, later)
    assert.deepStrictEqual(
      (platform.notes.get(7) ?? []).map(({ id }) => id),
      [101]
    )
    assert.include(bodies(platform)[0], "adds")
  })

  test("a change publishes every open pull request again, once for all changes within its pause", function* () {
    const { changed, later, platform, state } = yield* start()
    const heads = Array.from({ length: 20 }, (_, index) => String(index).padStart(40, "a"))
    platform.pulls.push(...heads.map((head, index) => ({ number: index + 1, head, base: "main", source: null })))
    for (let count = 0; count < 50; count += 1) yield* changed
    assert.strictEqual(yield* later, 1)
    for (let count = 0; count < 9; count += 1) yield* later
    assert.deepStrictEqual(
      [...platform.notes.keys()].toSorted((a, b) => a - b),
      heads.map((_, index) => index + 1)
    )
    platform.writes.length = 0
    yield* changed
    for (let count = 0; count < 9; count += 1) yield* later
    assert.deepStrictEqual(platform.writes, [], "nothing differs")
    state.verdicts = Option.some(failing())
    yield* changed
    platform.faults.push({ when: "before", reason: "unavailable" })
    for (let count = 0; count < 9; count += 1) yield* later
    assert.deepStrictEqual([...platform.notes.values()].flat(), [])
  })

  test("a process that dies in the middle leaves the commit due", function* () {
    const { context, later, platform, request } = yield* start()
    yield* request
    const lease = { now: noon + 5000, until: noon + 60_000, lease: "dead", limit: 9 }
    yield* Effect.provide(
      PublicationStore.use((store) => store.lease(lease)),
      context
    )
    assert.strictEqual(yield* later, 1)
    assert.deepStrictEqual(platform.writes, ["publish"])
  })

  it.effect("whatever fails on the way, in the end the platform shows the last verdicts, in one comment", () =>
    Effect.promise((signal) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 8 }),
          fc.constantFrom<Comments>("failures", "always"),
          (steps, mode) =>
            Effect.runPromise(
              Effect.scoped(Effect.provide(played(steps, mode), [TestClock.layer(), Logger.layer([])])),
              { signal }
            )
        ),
        { numRuns: 100 }
      )
    )
  )
})

const step = fc.record({
  names: fc.uniqueArray(fc.constantFrom("adds", "subtracts", "divides")),
  faults: fc.array(
    fc.option(
      fc.record({
        when: fc.constantFrom("before" as const, "after" as const),
        reason: fc.constant("unavailable" as const)
      })
    ),
    { maxLength: 5 }
  ),
  seconds: fc.integer({ min: 0, max: 20 })
})

const played = Effect.fnUntraced(function* (
  steps: ReadonlyArray<typeof step extends fc.Arbitrary<infer S> ? S : never>,
  mode: Comments
) {
  const { later, platform, request, round, state } = yield* start(mode)
  platform.pulls.push(pull)
  for (const { faults, names, seconds } of steps) {
    state.verdicts = Option.some(failing(...names))
    yield* request
    platform.faults.push(...faults)
    yield* TestClock.adjust(seconds * 1000)
    yield* round
  }
  platform.faults.length = 0
  yield* later
  assert.strictEqual(yield* later, 0)
  const last = steps.at(-1)
  if (last === undefined) return
  const expected = failing(...last.names)
  assert.strictEqual(platform.reports.get(commit)?.title, expected.summary.sentence)
  const isShown = mode === "always" || last.names.length > 0
  const setting = { ref, publicUrl: null, redact: Redaction.redact }
  assert.deepStrictEqual(bodies(platform), isShown ? [FailureReport.comment(expected, setting)] : [])
})

describe("a change of what verdicts depend on", () => {
  test("a change of what verdicts depend on is noticed before a quarantine is written, and after settings are, also when nothing differs", function* () {
    yield* TestClock.setTime(noon)
    const noticed: Array<number> = []
    const program = Effect.gen(function* () {
      const quarantines = yield* Quarantines
      const { change } = yield* Repositories
      const quarantine = { testName: "adds", reason: "", branch: null, source: "manual", by: "ada" } as const
      const { id } = yield* quarantines.create(ref, quarantine)
      assert.deepStrictEqual(noticed.splice(0), [0])
      yield* quarantines.remove(ref, id, "ada")
      assert.deepStrictEqual(noticed.splice(0), [1])
      yield* change(ref, { pullRequestComments: "always" })
      yield* change(ref, { pullRequestComments: "always" })
      assert.deepStrictEqual(noticed.splice(0), [0, 0])
    })
    const active = Effect.flatMap(QuarantineStore, (store) =>
      store.page(ref, { branch: null, testId: null, source: null, from: Page.start, limit: null, now: noon })
    )
    const listener = Layer.effect(
      CommitNotice,
      Effect.map(Effect.context<QuarantineStore>(), (context) => ({
        notice: () => Effect.void,
        changed: () => Effect.map(Effect.provide(active, context), ({ rows }) => void noticed.push(rows.length))
      }))
    )
    yield* Effect.provide(program, Layer.fresh(memoryWith(listener)))
  })
})

describe("an upload", () => {
  const uploaded = Effect.fnUntraced(function* (of: string) {
    const noticed: Array<string> = []
    const notice = (_: unknown, each: string) => Effect.sync(() => void noticed.push(each))
    const services = Layer.provide(
      Layer.fresh(memory),
      Layer.succeed(CommitNotice, { notice, changed: () => Effect.void })
    )
    const upload = given({ commit: of, hoursAgo: 1 })
    yield* Effect.provide(
      Ingestion.use(({ record }) => Effect.andThen(record(ref, upload), record(ref, upload))),
      services
    )
    return noticed
  })

  test("an upload is noticed, a repeated one as well: the first notice may have been lost", function* () {
    yield* TestClock.setTime(noon)
    assert.deepStrictEqual(yield* uploaded(commit), [commit, commit])
  })

  test("an upload of a run without a commit is not noticed", function* () {
    yield* TestClock.setTime(noon)
    assert.deepStrictEqual(yield* uploaded("run-17"), [])
  })
})
