import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Instant } from "@lazaret/domain"
import { Driver, ExecutionStore, UpkeepStore } from "@lazaret/store"
import { Answer, Case, Sample } from "@lazaret/store-conformance"
import { PostgresClient, RepositoryDirectory, type Verification } from "@lazaret/store-postgres"
import { Effect, Layer, Option } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const server = Layer.unwrap(Effect.map(TestDatabase.url, (url) => Servers.layer(url, 2)))

/** A repository with a month of runs, an outage among them, and its number. */
const filled = Effect.gen(function* () {
  const ref = yield* Case.repository
  const { append } = yield* ExecutionStore
  for (let day = 20; day > 0; day--) {
    const at = Sample.daysAgo(day)
    const executions = Array.from({ length: 8 }, (_, test) =>
      day === 9 || (day + test) % 6 === 0
        ? Sample.failure({ testName: test === 0 ? "adds" : `law ${test}`, at: at + test })
        : { testName: test === 0 ? "adds" : `law ${test}`, at: at + test }
    )
    yield* append(ref, Sample.report(`day ${day}`, { commit: `c${day}` }, executions))
  }
  const { find } = yield* RepositoryDirectory
  return { ref, repositoryId: Option.getOrThrow(yield* find(ref)) }
})

const tamperings: ReadonlyArray<readonly [kind: Verification.Difference["kind"], statement: string]> = [
  ["run", "UPDATE job_runs SET excused = NOT excused WHERE run_id = 'day 9'"],
  ["run", "UPDATE job_runs SET outcomes = '' WHERE run_id = 'day 3'"],
  ["run", "UPDATE job_runs SET duration_us = duration_us + 1 WHERE run_id = 'day 3'"],
  ["run", "UPDATE job_runs SET outcomes = set_byte(outcomes, 6, 77) WHERE run_id = 'day 9'"],
  ["run", "UPDATE job_runs SET hit = hit + 1, row_commits = '{7}' WHERE run_id = 'day 9'"],
  ["run", "UPDATE job_runs SET tally = outcomes WHERE run_id = 'day 10'"],
  ["run", "UPDATE job_runs SET finished_at = finished_at - interval '3 days' WHERE run_id = 'day 9'"],
  ["run", "UPDATE job_runs SET outcomes = '', finished_at = to_timestamp(0)"],
  ["chunk", "UPDATE result_chunks SET flags = flags # 2::smallint WHERE upload_no = 5"],
  ["totals", "UPDATE block_state SET counts = set_byte(counts, 0, 77)"],
  ["totals", "UPDATE block_state SET last_day = last_day - 1"],
  [
    "health",
    "UPDATE block_state SET state = (SELECT state FROM block_bases b WHERE b.repository_id = block_state.repository_id LIMIT 1)"
  ],
  ["closings", "DELETE FROM block_days WHERE day % 5 = 0"],
  ["failures", "DELETE FROM failed_days WHERE day % 2 = 0"],
  ["base", "UPDATE block_bases SET at = at + interval '3 days'"]
]

layer(server, { excludeTestServices: true })("upkeep", (it) => {
  const test = stepsOf(it)
  test("a verification of recorded uploads finds no difference", function* () {
    const { ref } = yield* filled
    const { verify } = yield* UpkeepStore
    assert.deepStrictEqual(yield* verify(ref), [])
  })

  for (const [kind, statement] of tamperings) {
    test(`upkeep finds a ${kind} that is not as computed, and a refold makes it so: ${statement}`, function* () {
      const { ref, repositoryId } = yield* filled
      const { refold, verify } = yield* UpkeepStore
      const { sql } = yield* PostgresClient
      const before = yield* Answer.everything(ref)
      const where =
        statement.includes(" WHERE ") && !statement.startsWith("UPDATE block_state SET state") ? "AND" : "WHERE"
      yield* sql.unsafe(`${statement} ${where} repository_id = ${repositoryId}`)
      const found = yield* verify(ref)
      assert.include(
        found.map((difference) => difference.kind),
        kind
      )
      assert.isTrue(yield* refold(ref))
      assert.deepStrictEqual(yield* verify(ref), [])
      assert.deepStrictEqual(yield* Answer.everything(ref), before)
    })
  }

  test("outdated lists a repository that other rules computed, until a refold", function* () {
    const { ref, repositoryId } = yield* filled
    const { outdated, refold, verify } = yield* UpkeepStore
    const { append } = yield* ExecutionStore
    const { sql } = yield* PostgresClient
    const isListed = Effect.map(outdated, (refs) => refs.some(({ repository }) => repository === ref.repository))
    assert.isFalse(yield* isListed)
    yield* sql.unsafe(`UPDATE block_state SET rules = 1 WHERE repository_id = ${repositoryId}`)
    yield* append(ref, Sample.report("later", { commit: "c0" }, [{ testName: "adds", at: Sample.noon }]))
    assert.isTrue(yield* isListed)
    yield* refold(ref)
    assert.isFalse(yield* isListed)
    assert.deepStrictEqual(yield* verify(ref), [])
  })

  test("a refold indexes the failed executions that are missing", function* () {
    const { ref, repositoryId } = yield* filled
    const { refold } = yield* UpkeepStore
    const { sql } = yield* PostgresClient
    const rows = sql`
        SELECT test_no, at, execution_id, run_no, upload_no, is_failed, reruns, exception_type
        FROM failed_executions
        WHERE repository_id = ${repositoryId}
        ORDER BY test_no, at, execution_id`
    const before = yield* rows
    assert.isAbove(before.length, 20)
    yield* sql`DELETE FROM failed_executions WHERE repository_id = ${repositoryId} AND run_no % 2 = 0`
    yield* sql`UPDATE job_runs SET outcomes = '' WHERE repository_id = ${repositoryId}`
    yield* refold(ref)
    assert.deepStrictEqual(yield* rows, before)
  })

  test("a refold leaves out results from before 1970, and uploads of their job are recorded again", function* () {
    const { ref, repositoryId } = yield* filled
    const { refold, verify } = yield* UpkeepStore
    const { append } = yield* ExecutionStore
    const { executions } = yield* Driver
    const { sql } = yield* PostgresClient
    const before = yield* Answer.everything(ref)
    const early = [{ testName: "new" }, Sample.failure({ testName: "law 3", at: -5 })]
    // As an earlier version stored it: on another branch nothing is folded, so nothing refuses the instants.
    yield* executions.append(
      ref,
      Sample.report(
        "early",
        { branch: "topic", commit: "c0" },
        early.map((one) => ({ at: -10, ...one }))
      )
    )
    yield* sql`
        UPDATE job_runs SET on_default_branch = true, branch = NULL
        WHERE repository_id = ${repositoryId} AND run_id = 'early'`
    yield* sql`UPDATE result_chunks SET flags = 1 WHERE repository_id = ${repositoryId} AND at < to_timestamp(0)`
    yield* sql`UPDATE block_state SET state = set_byte(state, 9, 255) WHERE repository_id = ${repositoryId}`
    const next = Sample.report("next", { commit: "c0" }, [{ testName: "adds", at: Sample.noon }])
    assert.strictEqual((yield* Effect.flip(append(ref, next))).reason, "damaged")

    assert.isTrue(yield* refold(ref))
    assert.deepStrictEqual(yield* verify(ref), [])
    assert.deepStrictEqual(yield* Answer.everything(ref), before)
    assert.strictEqual((yield* append(ref, next))._tag, "Recorded")
  })

  test("a refold of an unknown repository changes nothing", function* () {
    const ref = yield* Case.repository
    const { refold, verify } = yield* UpkeepStore
    assert.isFalse(yield* refold(ref))
    assert.deepStrictEqual(yield* verify(ref), [])
  })

  test("uploads after a refold are folded on", function* () {
    const { ref } = yield* filled
    const { refold, verify } = yield* UpkeepStore
    const { append } = yield* ExecutionStore
    yield* refold(ref)
    yield* append(ref, Sample.report("today", { commit: "c0" }, [{ testName: "adds", at: Sample.noon }]))
    yield* append(
      ref,
      Sample.report("late", { commit: "c0" }, [{ testName: "adds", at: Sample.noon - 5 * Instant.day }])
    )
    assert.deepStrictEqual(yield* verify(ref), [])
  })
})
