import { assert, describe, it } from "@effect/vitest"
import { Instant, type Repository, Retention, TestFilter, TestId } from "@lazaret/domain"
import { ExecutionStore, FailureStore, RetentionStore, StoreError, TestStore, UpkeepStore } from "@lazaret/store"
import { Case, Plain, Sample } from "@lazaret/store-conformance"
import { PostgresClient, RepositoryDirectory } from "@lazaret/store-postgres"
import { Effect, Exit, Logger, Option } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

/** A repository with a month of runs of two jobs: their tests are in block 0 and block 1. */
const filled = Effect.gen(function* () {
  const ref = yield* Case.repository
  const { append } = yield* ExecutionStore
  for (let day = 30; day > 0; day--) {
    for (const jobName of ["unit", "web"]) yield* append(ref, report(jobName, day))
  }
  const { find } = yield* RepositoryDirectory
  return { ref, repositoryId: Option.getOrThrow(yield* find(ref)) }
})

const report = (jobName: string, day: number, key = `${jobName} ${day}`) => {
  const at = Sample.daysAgo(day)
  const executions = [0, 1, 2].map((test) => {
    const testName = `${jobName} ${test}`
    return (day + test) % 6 === 0 ? Sample.failure({ testName, at: at + test }) : { testName, at: at + test }
  })
  return Sample.report(key, { jobName, commit: `c${day}` }, executions)
}

const idOf = (jobName: string, test: number) => TestId.of(`${jobName} ${test}`)

/** Flips the lowest bit of a byte of a column, in all rows of a block that have this many bytes. */
const flip = Effect.fnUntraced(function* (table: string, column: string, repositoryId: number, block = 0, byte = 20) {
  const { sql } = yield* PostgresClient
  const changed = yield* sql.unsafe(`
    UPDATE ${table} SET ${column} = set_byte(${column}, ${byte}, get_byte(${column}, ${byte}) # 1)
    WHERE repository_id = ${repositoryId} AND block_no = ${block} AND length(${column}) > ${byte}
    RETURNING block_no`)
  assert.isAbove(changed.length, 0)
})

/** Everything that can be asked about one test. */
const ofTest = (ref: Repository.RepositoryRef, testId: TestId.TestId) =>
  Effect.gen(function* () {
    const executions = yield* ExecutionStore
    const window = { start: Sample.daysAgo(30), end: Sample.noon }
    return Plain.of({
      record: yield* TestStore.use((store) => store.get(ref, testId, Sample.noon)),
      rollups: yield* executions.rollups(ref, testId, window, Instant.day),
      changes: yield* executions.changes(ref, testId),
      history: yield* executions.history(ref, testId),
      failures: yield* FailureStore.use((store) => store.list(ref, testId))
    })
  })

/** Everything that is asked about many tests at once. */
const ofAll = (ref: Repository.RepositoryRef) =>
  Effect.gen(function* () {
    const tests = yield* TestStore
    const ids = ["unit", "web"].flatMap((jobName) => [0, 1, 2].map((test) => idOf(jobName, test)))
    return Plain.of({
      page: yield* tests.page(ref, Sample.search({})),
      active: Plain.sorted(yield* tests.active(ref, Sample.noon)),
      count: yield* tests.count(ref, { filter: TestFilter.all, status: null, now: Sample.noon }),
      health: yield* tests.health(ref, ids, Sample.noon)
    })
  })

const messageOf = (error: StoreError): string => (error.cause instanceof Error ? error.cause.message : "")

/** Runs with the messages that are logged at the level of errors. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const messages: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") messages.push(String(message))
    })
    const result = yield* Effect.provide(effect, Logger.layer([logger]))
    return { result, messages }
  })

/** A process of Lazaret that has read nothing yet. */
const onNewServer = <A, E, R>(url: string, effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, Servers.layer(url, 2), { local: true })

/** Runs on a new server of a database in which a repository has some tests. */
const onFilled = <A, E, R>(
  effect: (repository: Effect.Success<typeof filled> & { readonly url: string }) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(TestDatabase.url, (url) =>
    onNewServer(
      url,
      Effect.flatMap(filled, (repository) => effect({ ...repository, url }))
    )
  )

/** The computed part of a block, the byte that is damaged, and the name of the damage. */
const computed = [
  ["block_state", "state", "health"],
  ["block_state", "counts", "totals"],
  ["block_bases", "state", "base"],
  ["block_bases", "counts", "base"],
  ["block_days", "counts", "closings"],
  ["failed_days", "failures", "failures"]
] as const

describe("a damaged block", () => {
  for (const [table, column, part] of computed) {
    it.live(
      `a damaged block is refused by name, disturbs no other block, and a refold repairs it: ${table}.${column}`,
      () =>
        onFilled(({ ref, repositoryId, url }) =>
          Effect.gen(function* () {
            const before = { all: yield* ofAll(ref), damaged: yield* ofTest(ref, idOf("unit", 0)) }
            const other = yield* ofTest(ref, idOf("web", 0))
            yield* flip(table, column, repositoryId, 0, part === "failures" ? 6 : 20)
            const { refold, verify } = yield* UpkeepStore

            const { messages, result: all } = yield* logged(onNewServer(url, ofAll(ref)))
            assert.deepStrictEqual(all, before.all)
            assert.deepStrictEqual(yield* onNewServer(url, ofTest(ref, idOf("web", 0))), other)
            if (part === "health" || part === "totals") {
              const refused = yield* logged(
                Effect.flip(TestStore.use((store) => store.get(ref, idOf("unit", 0), Sample.noon)))
              )
              assert.deepInclude(refused.result, { operation: "TestStore.get", reason: "damaged" })
              assert.include(messageOf(refused.result), `${part} of block 0`)
              assert.match(
                refused.messages.join("\n"),
                new RegExp(
                  `^${ref.owner}/${ref.repository}: the stored ${part} of block 0: .*lazaret repo refold --repo ${ref.owner}/${ref.repository}$`
                )
              )
            }
            if (part !== "base") assert.include(messages.join("\n"), `${part} of block 0`)

            const found = yield* verify(ref)
            assert.isAbove(found.length, 0)
            for (const { kind, place } of found) {
              assert.strictEqual(kind, part)
              assert.match(place, /^block 0 \(damaged: .*checksum/)
            }
            assert.isTrue(yield* refold(ref))
            assert.deepStrictEqual(yield* verify(ref), [])
            assert.deepStrictEqual(yield* ofAll(ref), before.all)
            assert.deepStrictEqual(yield* ofTest(ref, idOf("unit", 0)), before.damaged)
          })
        )
    )
  }

  it.live("a damaged block refuses uploads of its tests and no others, even when they arrive together", () =>
    onFilled(({ ref, repositoryId }) =>
      Effect.gen(function* () {
        yield* flip("block_state", "state", repositoryId)
        const { append } = yield* ExecutionStore
        const jobs = ["web", "unit", "web again", "unit", "web"]
        const exits = yield* Effect.forEach(
          jobs,
          (jobName, index) => Effect.exit(append(ref, report(jobName, 0, `${index}`))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, false, true])
        yield* UpkeepStore.use(({ refold }) => refold(ref))
        assert.deepInclude(yield* append(ref, report("unit", 0)), { _tag: "Recorded" })
        assert.deepStrictEqual(yield* UpkeepStore.use(({ verify }) => verify(ref)), [])
      })
    )
  )

  it.live("retention leaves out a damaged block alone, until it is repaired", () =>
    onFilled(({ ref, repositoryId }) =>
      Effect.gen(function* () {
        const horizon = Retention.startOfWeek(Sample.daysAgo(10))
        const { sql } = yield* PostgresClient
        const { drop } = yield* RetentionStore
        const blocks = sql<{ readonly block_no: number }>`
            SELECT block_no FROM retention_bases WHERE repository_id = ${repositoryId} ORDER BY block_no`
        yield* flip("block_state", "state", repositoryId)
        assert.strictEqual((yield* Effect.flip(drop(ref, horizon))).reason, "damaged")
        assert.deepStrictEqual(yield* blocks, [{ block_no: 1 }])
        yield* UpkeepStore.use(({ refold }) => refold(ref))
        assert.isAbove((yield* drop(ref, horizon)).reports, 0)
        assert.deepStrictEqual(yield* blocks, [{ block_no: 0 }, { block_no: 1 }])
        assert.deepStrictEqual(yield* UpkeepStore.use(({ verify }) => verify(ref)), [])
      })
    )
  )

  it.live(
    "a damaged block is refused when the series before its dropped executions is another value, and disturbs no other block",
    () =>
      onFilled(({ ref, repositoryId }) =>
        Effect.gen(function* () {
          const { sql } = yield* PostgresClient
          yield* RetentionStore.use(({ drop }) => drop(ref, Retention.startOfWeek(Sample.daysAgo(10))))
          const other = yield* ofTest(ref, idOf("web", 0))
          for (const series of [
            '{"0": {"change": {"status": "broken"}, "exceptionType": null}}',
            "[]",
            '{"x": null}'
          ]) {
            yield* sql`
              UPDATE retention_bases SET series = ${series}::text::jsonb
              WHERE repository_id = ${repositoryId} AND block_no = 0`
            const { messages, result } = yield* logged(Effect.flip(ofTest(ref, idOf("unit", 0))))
            assert.deepInclude(result, { reason: "damaged" })
            assert.include(messages.join("\n"), "the stored retained of block 0: RetainedBases")
            assert.deepStrictEqual(yield* ofTest(ref, idOf("web", 0)), other)
          }
        })
      )
  )
})

describe("a damaged chunk", () => {
  it.live(
    "damage is refused by name, disturbs neither other blocks nor lists, and is reported until it is repaired",
    () =>
      onFilled(({ ref, repositoryId, url }) =>
        Effect.gen(function* () {
          const { sql } = yield* PostgresClient
          const { append, within } = yield* ExecutionStore
          const { refold, verify } = yield* UpkeepStore
          const before = yield* ofAll(ref)
          const other = yield* ofTest(ref, idOf("web", 0))
          yield* sql`
            UPDATE result_chunks SET payload = set_byte(payload, 12, get_byte(payload, 12) # 1)
            WHERE repository_id = ${repositoryId} AND upload_no = 20`
          const place = "upload 20 in block 0"

          const reads: ReadonlyArray<Effect.Effect<unknown, StoreError, ExecutionStore | TestStore>> = [
            TestStore.use((store) => store.get(ref, idOf("unit", 0), Sample.noon)),
            ExecutionStore.use((store) => store.history(ref, idOf("unit", 0)))
          ]
          for (const read of reads) {
            const { messages, result } = yield* logged(Effect.flip(read))
            assert.strictEqual(result.reason, "damaged")
            assert.include(messages.join("\n"), `the stored chunk of ${place}`)
          }
          assert.deepStrictEqual(yield* onNewServer(url, ofAll(ref)), before)
          assert.deepStrictEqual(yield* ofTest(ref, idOf("web", 0)), other)
          const window = { start: Sample.daysAgo(30), end: Sample.noon }
          const some = yield* within(ref, [idOf("unit", 0), idOf("web", 0)], window)
          assert.deepStrictEqual([...some.keys()], [idOf("web", 0)])

          // Uploads in order need no chunk.
          assert.deepInclude(yield* append(ref, report("unit", 0)), { _tag: "Recorded" })

          assert.deepStrictEqual(
            (yield* verify(ref)).map((difference) => `${difference.kind} of ${difference.place}`),
            [`chunk of ${place} (damaged: ResultChunk: the checksum does not match)`]
          )
          yield* flip("block_state", "state", repositoryId, 1)
          assert.strictEqual((yield* Effect.flip(refold(ref))).reason, "damaged")
          assert.deepStrictEqual(
            (yield* verify(ref)).map(({ kind }) => kind),
            ["chunk"]
          )
          assert.deepStrictEqual(yield* ofTest(ref, idOf("web", 0)), other)

          yield* sql`DELETE FROM result_chunks WHERE repository_id = ${repositoryId} AND upload_no = 20`
          assert.isTrue(yield* refold(ref))
          assert.deepStrictEqual(yield* verify(ref), [])
          assert.isTrue(Option.isSome(yield* TestStore.use((store) => store.get(ref, idOf("unit", 0), Sample.noon))))
        })
      )
  )

  it.live("a damaged chunk takes its tests out of lists when its block is damaged as well, and lists all others", () =>
    onFilled(({ ref, repositoryId, url }) =>
      Effect.gen(function* () {
        const other = yield* ofTest(ref, idOf("web", 0))
        yield* flip("result_chunks", "payload", repositoryId)
        yield* flip("block_state", "state", repositoryId)
        yield* flip("block_state", "counts", repositoryId)
        yield* flip("failed_days", "failures", repositoryId, 0, 6)
        const { messages, result } = yield* logged(
          onNewServer(
            url,
            Effect.gen(function* () {
              const tests = yield* TestStore
              const page = yield* tests.page(ref, Sample.search({}))
              const ids = [idOf("unit", 0), idOf("web", 0)]
              return {
                names: page.rows.map(({ testName }) => testName),
                total: page.total,
                count: (yield* tests.count(ref, { filter: TestFilter.all, status: null, now: Sample.noon })).tests,
                active: (yield* tests.active(ref, Sample.noon)).length,
                health: [...(yield* tests.health(ref, ids, Sample.noon)).keys()]
              }
            })
          )
        )
        const names = ["web 0", "web 1", "web 2"]
        assert.deepStrictEqual(result, { names, total: 3, count: 3, active: 3, health: [idOf("web", 0)] })
        assert.include(messages.join("\n"), "the stored totals of block 0")
        assert.match(messages.join("\n"), /the stored chunk of upload \d+ in block 0/)
        assert.deepStrictEqual(yield* onNewServer(url, ofTest(ref, idOf("web", 0))), other)
        const refused = yield* Effect.flip(TestStore.use((store) => store.get(ref, idOf("unit", 0), Sample.noon)))
        assert.strictEqual(refused.reason, "damaged")
      })
    )
  )
})
