import { assert, describe, it } from "@effect/vitest"
import { Instant, type Report, TestFilter, TestId } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, TestStore, UpkeepStore } from "@lazaret/store"
import { Answer, Case, Plain, Sample } from "@lazaret/store-conformance"
import { PostgresClient } from "@lazaret/store-postgres"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const tests = 150
const servers = 4
const reports = 40

/** Runs that overlap in time, on few commits, some of them a second part of the run before. */
const report = (index: number): Report.Report => {
  const finished = Sample.noon - (reports - index) * 10 * Instant.minute
  const run = { runId: `run ${index - (index % 5 === 0 ? 1 : 0)}`, commit: `c${Math.floor(index / 3)}` }
  return Sample.report(
    `report ${index}`,
    run,
    Array.from({ length: tests }, (_, test) => {
      const at = finished - ((test * 7919 + index * 104_729) % 45) * Instant.minute
      const testName = test < 5 ? (["adds", "Adds", "C", "a", "b"][test] ?? "") : `keeps law ${test}`
      const isFailed = (test * 31 + index * 17) % 11 === 0
      return isFailed ? Sample.failure({ testName, at }) : { testName, at }
    })
  )
}

const all = Array.from({ length: reports }, (_, index) => report(index))

/** Every report comes twice, as reporters retry. */
const arrivals = all.flatMap((each, index) => [each, all[(index * 7) % reports] ?? each])

/** How often the server had to break a deadlock in the database at hand. */
const deadlocks = (url: string) =>
  PostgresClient.use(
    ({ sql }) =>
      sql<{ readonly deadlocks: number }>`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
  ).pipe(
    Effect.map(([row]) => row?.deadlocks),
    Effect.provide(Layer.fresh(PostgresClient.layer(Redacted.make(url))))
  )

const ask = (ref: Parameters<typeof Answer.everything>[0]) =>
  Effect.gen(function* () {
    const store = yield* TestStore
    const count = yield* store.count(ref, { filter: TestFilter.all, status: null, now: Sample.noon })
    const page = yield* store.page(ref, Sample.search({ limit: 1000 }))
    const answers = yield* Effect.forEach(["adds", "keeps law 7", "keeps law 149"], (testName) =>
      Answer.ofTest(ref, TestId.of(testName), Sample.noon)
    )
    return Plain.of({ count, page, answers, everything: yield* Answer.everything(ref) })
  })

/** Eight writers, four through each of two servers, send reports of the same identities. */
const eightWriters = (url: string) =>
  Effect.gen(function* () {
    const ref = yield* Case.repository
    const server = Layer.build(Layer.fresh(Servers.layer(url, 8)))
    const contexts = yield* Effect.all([server, server])
    const writers = Array.from({ length: 8 }, (_, writer) => writer)
    const uploads = 12
    const write = (writer: number) =>
      Effect.forEach(Array.from({ length: uploads }), (_, index) =>
        ExecutionStore.use((store) =>
          store.append(
            ref,
            // All jobs, all blocks, and each in an order of its own.
            Sample.report(
              `writer ${writer}, ${index}`,
              { jobName: `job ${(writer + index) % 3}`, runId: `run ${index}`, commit: `c${index}` },
              Array.from({ length: tests }, (__, test) => ({
                testName: `keeps law ${writer % 2 === 0 ? test : tests - 1 - test}`,
                at: Sample.daysAgo(index) + writer
              }))
            )
          )
        )
      ).pipe(Effect.provideContext(contexts[writer % 2 === 0 ? 0 : 1]))
    const outcomes = yield* Effect.forEach(writers, write, { concurrency: "unbounded" })
    assert.deepStrictEqual([...new Set(outcomes.flat().map(({ _tag }) => _tag))], ["Recorded"])
    for (const context of contexts) {
      const page = yield* Context.get(context, TestStore).page(ref, Sample.search({ limit: 1000 }))
      assert.strictEqual(page.total, 3 * tests)
      const executions = page.rows.reduce((sum, row) => sum + row.executionsCount, 0)
      assert.strictEqual(executions, writers.length * uploads * tests)
      assert.deepStrictEqual(yield* Context.get(context, UpkeepStore).verify(ref), [])
    }
  })

describe("uploads at the same time", () => {
  it.live(
    "uploads through several servers at the same time are each counted exactly once, and answered by all of them as memory answers",
    () =>
      Effect.gen(function* () {
        const url = yield* TestDatabase.url
        const ref = yield* Case.repository
        const contexts = yield* Effect.forEach(Array.from({ length: servers }), () =>
          Layer.build(Layer.fresh(Servers.layer(url, 2)))
        )
        const stores = contexts.map((context) => Context.get(context, ExecutionStore))
        const outcomes = yield* Effect.forEach(
          arrivals.map((each, index) => [each, stores[index % servers]] as const),
          ([each, store]) => store?.append(ref, each) ?? Effect.die("no server"),
          { concurrency: 2 * servers }
        )
        const memory = yield* Layer.build(Layer.fresh(MemoryStores.layer))
        yield* Effect.forEach(all, (each) =>
          Effect.provideContext(
            ExecutionStore.use((store) => store.append(ref, each)),
            memory
          )
        )
        assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Recorded").length, reports)
        assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Duplicate").length, reports)
        const expected = yield* Effect.provideContext(ask(ref), memory)
        for (const context of contexts) {
          assert.deepStrictEqual(yield* Effect.provideContext(ask(ref), context), expected)
          assert.deepStrictEqual(
            yield* Effect.provideContext(
              UpkeepStore.use(({ verify }) => verify(ref)),
              context
            ),
            []
          )
        }
      }),
    120_000
  )

  it.live(
    "uploads of eight writers over two servers to the same identities wait for each other without a deadlock, and add up",
    () =>
      Effect.gen(function* () {
        const url = yield* TestDatabase.url
        yield* Effect.scoped(eightWriters(url))
        // What connections have counted is known at the latest when they are closed.
        assert.strictEqual(yield* deadlocks(url), 0)
      }),
    120_000
  )
})
