import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Instant, Retention } from "@lazaret/domain"
import { ExecutionStore, RetentionStore, UpkeepStore } from "@lazaret/store"
import { Answer, Case, Sample } from "@lazaret/store-conformance"
import { PostgresClient } from "@lazaret/store-postgres"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const server = Layer.unwrap(Effect.map(TestDatabase.url, (url) => Servers.layer(url, 2)))

const horizon = Retention.horizon(Sample.noon, 30)

/** 70 days of runs of two jobs, in more blocks than one; some tests fail, and one has not run for 40 days. */
const filled = Effect.gen(function* () {
  const ref = yield* Case.repository
  const { append } = yield* ExecutionStore
  for (let day = 70; day >= 0; day -= 5) {
    const at = Sample.daysAgo(day)
    const names = ["adds", ...Array.from({ length: 70 }, (_, test) => `law ${test}`), ...(day > 40 ? ["gone"] : [])]
    const executions = names.map((testName, test) =>
      (day + test) % 15 === 0 ? Sample.failure({ testName, at }) : { testName, at }
    )
    yield* append(
      ref,
      Sample.report(`day ${day}`, { commit: `c${day}`, jobName: day % 2 === 0 ? "unit" : "e2e" }, executions)
    )
  }
  return ref
})

const partitions = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  const rows = yield* sql<{ readonly name: string; readonly start_at: number | null; readonly is_rewritten: boolean }>`
    SELECT c.relname::text COLLATE "C" AS name, w.start_at, coalesce(w.is_rewritten, false) AS is_rewritten
    FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    LEFT JOIN result_weeks w ON c.relname = 'result_chunks_' || to_char(w.start_at, 'YYYYMMDD')
    WHERE i.inhparent = 'result_chunks'::regclass
    ORDER BY 1`
  const counted = yield* sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM result_weeks`
  assert.strictEqual(rows.filter((row) => row.start_at !== null).length, counted[0]?.count)
  return rows.map((row) => ({ week: row.name.slice("result_chunks_".length), isRewritten: row.is_rewritten }))
})

const weekOf = (at: number): string => Instant.toIso(Retention.startOfWeek(at)).slice(0, 10).replaceAll("-", "")

layer(server, { excludeTestServices: true })("retention", (it) => {
  const test = stepsOf(it)
  test("tidying frees the weeks that no repository keeps, allocates four, and compacts those that are over", function* () {
    const { drop, tidy } = yield* RetentionStore
    const { verify } = yield* UpkeepStore
    const refs = yield* Effect.all([filled, filled])
    yield* drop(refs[0], horizon)
    yield* tidy(Sample.noon)
    assert.include(
      (yield* partitions).map(({ week }) => week),
      weekOf(Sample.daysAgo(70)),
      "the other repository keeps it"
    )
    const answers = yield* Effect.forEach(refs, (ref) => Answer.everything(ref))
    yield* drop(refs[1], horizon)
    const { freed } = yield* tidy(Sample.noon)
    assert.isAbove(freed, 3)
    const left = (yield* partitions).filter(({ week }) => week !== "past")
    assert.strictEqual(left[0]?.week, weekOf(horizon))
    assert.strictEqual(left.at(-1)?.week, weekOf(Sample.noon + 28 * Instant.day))
    assert.deepStrictEqual(
      left.filter(({ isRewritten }) => isRewritten).map(({ week }) => week),
      left.filter(({ week }) => week < weekOf(Sample.noon)).map(({ week }) => week)
    )
    assert.deepStrictEqual(yield* Effect.forEach(refs, (ref) => Answer.everything(ref)), [answers[0], answers[0]])
    assert.deepStrictEqual(yield* Effect.forEach(refs, verify), [[], []])
    assert.deepStrictEqual(yield* tidy(Sample.noon), { allocated: 0, freed: 0, compacted: 0 })
  })

  test("tidying leaves a week that is being read for the next run, and blocks no reader", function* () {
    const { drop, tidy } = yield* RetentionStore
    const { sql } = yield* PostgresClient
    const ref = yield* filled
    yield* drop(ref, horizon)
    const [isReading, isDone] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const reading = sql`SELECT count(*) FROM result_chunks`.pipe(
      Effect.andThen(Deferred.succeed(isReading, undefined)),
      Effect.andThen(Deferred.await(isDone)),
      sql.withTransaction
    )
    const reader = yield* Effect.forkChild(reading)
    yield* Deferred.await(isReading)
    assert.strictEqual((yield* tidy(Sample.noon)).freed, 0)
    yield* Answer.everything(ref)
    yield* Deferred.succeed(isDone, undefined)
    yield* Fiber.join(reader)
    assert.isAbove((yield* tidy(Sample.noon)).freed, 0)
  })

  test("an expired upload allocates no week, and an interrupted drop is finished", function* () {
    const { drop } = yield* RetentionStore
    const { append } = yield* ExecutionStore
    const { verify } = yield* UpkeepStore
    const { sql } = yield* PostgresClient
    const [ref, whole] = yield* Effect.all([filled, filled])
    // The state that a process leaves when it dies right after the start.
    yield* sql`UPDATE repositories SET horizon = to_timestamp(${horizon / 1000}) WHERE name = ${ref.repository}`
    const late = Sample.report("late", { commit: "late" }, [Sample.failure({ testName: "adds", at: horizon - 1 })])
    assert.strictEqual((yield* append(ref, late))._tag, "Expired")
    assert.deepStrictEqual(yield* verify(ref), [])
    assert.deepStrictEqual(yield* drop(ref, horizon), yield* drop(whole, horizon))
    assert.deepStrictEqual(yield* Answer.everything(ref), yield* Answer.everything(whole))
    assert.deepStrictEqual(yield* verify(ref), [])
  })

  test("after a drop a refold repairs only totals of which all facts are kept", function* () {
    const { drop } = yield* RetentionStore
    const { append } = yield* ExecutionStore
    const { refold, verify } = yield* UpkeepStore
    const { sql } = yield* PostgresClient
    const ref = yield* filled
    const cut = [{ at: horizon - 1 }, { at: horizon + 1 }, { at: horizon + 2 }]
    yield* append(ref, Sample.report("cut", { commit: "c35" }, cut))
    yield* drop(ref, horizon)
    const ofRepository = sql`repository_id = (SELECT repository_id FROM repositories WHERE name = ${ref.repository})`
    const runs = sql<{
      readonly run_id: string
      readonly finished_at: Instant.Instant
      readonly passed: number
      readonly failed: number
    }>`
        SELECT run_id, finished_at, passed, failed
        FROM job_runs
        WHERE ${ofRepository}
        ORDER BY run_id COLLATE "C"`
    const [before, answers] = [yield* runs, yield* Answer.everything(ref)]
    assert.deepInclude(before, { run_id: "cut", finished_at: horizon + 2, passed: 3, failed: 0 })
    assert.include(
      before.map((run) => run.run_id),
      "day 35",
      "a dropped run that stands before kept ones"
    )
    yield* sql`
        UPDATE job_runs
        SET finished_at = to_timestamp(1), passed = passed + CASE run_id WHEN 'cut' THEN 0 ELSE 1 END
        WHERE ${ofRepository} AND run_id IN ('cut', 'day 30', 'day 0')`
    assert.strictEqual((yield* verify(ref)).filter(({ kind }) => kind === "run").length, 3)
    assert.isTrue(yield* refold(ref))
    assert.deepStrictEqual(yield* runs, before)
    assert.deepStrictEqual(yield* verify(ref), [])
    assert.deepStrictEqual(yield* Answer.everything(ref), answers)
  })

  test("the totals of a dropped run are kept when more of the run is uploaded", function* () {
    const { drop } = yield* RetentionStore
    const { append } = yield* ExecutionStore
    const { refold, verify } = yield* UpkeepStore
    const { sql } = yield* PostgresClient
    const ref = yield* filled
    yield* drop(ref, horizon)
    const passed = Effect.map(
      sql<{ readonly passed: number }>`
          SELECT n.passed
          FROM job_runs n
          JOIN repositories r ON r.repository_id = n.repository_id
          WHERE r.name = ${ref.repository} AND n.run_id = 'day 35'`,
      ([row]) => row?.passed
    )
    const before = yield* passed
    const more = Sample.report("more", { runId: "day 35", commit: "c35", jobName: "e2e" }, [{ testName: "adds" }])
    yield* append(ref, more)
    assert.deepStrictEqual(yield* verify(ref), [])
    yield* refold(ref)
    assert.deepStrictEqual(yield* verify(ref), [])
    assert.strictEqual(yield* passed, (before ?? 0) + 1)
  })

  test("retention may run in two processes at once, while uploads come", function* () {
    const url = yield* TestDatabase.url
    const servers = yield* Effect.all([
      Layer.build(Layer.fresh(Servers.layer(url, 2))),
      Layer.build(Layer.fresh(Servers.layer(url, 2)))
    ])
    const on = (index: number) => Context.get(servers[index % 2] ?? servers[0], RetentionStore)
    const append = Context.get(servers[0], ExecutionStore).append
    const ref = yield* Effect.provideContext(filled, servers[0])
    const upload = (day: number) =>
      append(ref, Sample.report(`more ${day}`, { commit: `m${day}` }, [{ testName: "adds", at: Sample.daysAgo(day) }]))
    const weeks = [6, 5, 4, 6, 5, 4]
    const outcomes = yield* Effect.all(
      [
        Effect.forEach(
          Array.from({ length: 30 }, (_, index) => 60 - 2 * index),
          upload,
          { concurrency: 4 }
        ),
        ...weeks.map((week, index) =>
          Effect.andThen(on(index).drop(ref, Sample.daysAgo(7 * week)), on(index + 1).tidy(Sample.noon))
        )
      ] as const,
      { concurrency: "unbounded" }
    )
    assert.isTrue(outcomes[0].every(({ _tag }) => _tag === "Recorded" || _tag === "Expired"))
    yield* on(0).drop(ref, Sample.daysAgo(28))
    assert.deepStrictEqual(yield* Context.get(servers[1], UpkeepStore).verify(ref), [])
  })
})
