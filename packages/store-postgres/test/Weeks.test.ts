import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Instant, TestId } from "@lazaret/domain"
import { ExecutionStore } from "@lazaret/store"
import { Case, Sample } from "@lazaret/store-conformance"
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Layer, Option } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const server = Layer.unwrap(Effect.map(TestDatabase.url, (url) => Servers.layer(url, 8)))

const monday = Date.UTC(2026, 4, 18)

const partitions = Effect.gen(function* () {
  const { sql } = yield* PostgresClient
  const rows = yield* sql<{ readonly name: string }>`
    SELECT DISTINCT tableoid::regclass::text COLLATE "C" AS name FROM result_chunks ORDER BY 1`
  return rows.map(({ name }) => name)
})

layer(server, { excludeTestServices: true })("weeks", (it) => {
  const test = stepsOf(it)
  test("weeks go from Monday to Monday in UTC; what is older than Lazaret is kept together", function* () {
    const ref = yield* Case.repository
    const { append, history } = yield* ExecutionStore
    const instants = [
      0,
      Date.UTC(2020, 0, 6) - 1,
      Date.UTC(2020, 0, 6),
      monday - 1,
      monday,
      monday + 7 * Instant.day - 1
    ]
    for (const at of instants) yield* append(ref, Sample.report(`r${at}`, {}, [{ at }]))
    assert.deepStrictEqual(yield* partitions, [
      "result_chunks_20200106",
      "result_chunks_20260511",
      "result_chunks_20260518",
      "result_chunks_past"
    ])
    const found = Option.getOrThrow(yield* history(ref, TestId.of(Sample.testName)))
    assert.deepStrictEqual(
      found.flatMap((each) => each.executions.map(({ at }) => at)),
      instants
    )
  })

  test("a week is allocated once, however many uploads need it concurrently", function* () {
    const { append } = yield* ExecutionStore
    const at = Date.UTC(2031, 6, 1)
    const outcomes = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, index) => Sample.report(`r${index}`, {}, [{ at }])),
      (report) => Effect.flatMap(Case.repository, (ref) => append(ref, report)),
      { concurrency: "unbounded" }
    )
    assert.isTrue(outcomes.every(({ _tag }) => _tag === "Recorded"))
  })

  test("an upload into a week that was dropped after this process had allocated it is recorded", function* () {
    const ref = yield* Case.repository
    const { append } = yield* ExecutionStore
    const { sql } = yield* PostgresClient
    const at = Date.UTC(2032, 6, 5)
    yield* append(ref, Sample.report("before", {}, [{ at }]))
    yield* sql`DROP TABLE result_chunks_20320705`
    yield* sql`DELETE FROM result_weeks WHERE start_at = ${new Date(at)}`
    const { _tag } = yield* append(ref, Sample.report("after", { commit: "c2" }, [{ at }]))
    assert.strictEqual(_tag, "Recorded")
  })
})
