/** The head of a repository: the lock of all writes to it, its version, and the next free numbers. */
import { ForkTests } from "@lazaret/store"
import { Effect } from "effect"
import type { Sql } from "./Session.ts"

/**
 * The locked head: callers take numbers from it, and `save` writes the next free ones.
 *
 * `version` is that of the current write, `recalculated` that of the last write that recomputed everything, or removed a test.
 */
export interface Head {
  readonly version: number
  readonly recalculated: number
  job: number
  commit: number
  run: number
  upload: number
  block: number
  forkTests: ForkTests.ForkTests
}

/**
 * Locks the head of a repository until the transaction ends; inserts a missing head, and yields whether it did. A head is
 * deleted with its repository, so that only a new head may lack one.
 */
export const lock = Effect.fnUntraced(function* (sql: Sql, repositoryId: number) {
  const [found] = yield* select(sql, repositoryId)
  if (found !== undefined) return { head: headOf(found), isNew: false }
  yield* sql`INSERT INTO repository_heads (repository_id) VALUES (${repositoryId}) ON CONFLICT DO NOTHING`
  const [made] = yield* select(sql, repositoryId)
  return made === undefined
    ? yield* Effect.die(new Error("the head row of a repository is missing"))
    : { head: headOf(made), isNew: true }
})

/** Records that the current write recomputes everything. */
export const markRecalculated = (sql: Sql, repositoryId: number, head: Head) => sql`
  UPDATE repository_heads
  SET recalculated = ${head.version}
  WHERE repository_id = ${repositoryId}`

/** Writes the version and the next free numbers. */
export const save = (sql: Sql, repositoryId: number, head: Head) => sql`
  UPDATE repository_heads
  SET version = ${head.version}, next_job = ${head.job}, next_commit = ${head.commit}, next_run = ${head.run},
    next_upload = ${head.upload}, next_block = ${head.block},
    fork_day = ${head.forkTests.day}, fork_tests = ${head.forkTests.added}
  WHERE repository_id = ${repositoryId}`

interface Row {
  readonly version: number
  readonly recalculated: number
  readonly next_job: number
  readonly next_commit: number
  readonly next_run: number
  readonly next_upload: number
  readonly next_block: number
  readonly fork_day: number
  readonly fork_tests: number
}

const select = (sql: Sql, repositoryId: number) => sql<Row>`
  SELECT version, recalculated, next_job, next_commit, next_run, next_upload, next_block, fork_day, fork_tests
  FROM repository_heads
  WHERE repository_id = ${repositoryId}
  FOR UPDATE`

const headOf = (row: Row): Head => ({
  version: row.version + 1,
  recalculated: row.recalculated,
  job: row.next_job,
  commit: row.next_commit,
  run: row.next_run,
  upload: row.next_upload,
  block: row.next_block,
  forkTests: { day: row.fork_day, added: row.fork_tests }
})
