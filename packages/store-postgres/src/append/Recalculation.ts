/** Recomputes what depends on the executions of a repository. */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import * as Blocks from "../blocks/Blocks.ts"
import * as Chunks from "./Chunks.ts"
import * as Contradictions from "./Contradictions.ts"
import * as FailedDays from "../blocks/FailedDays.ts"
import * as Head from "../repository/Head.ts"
import * as Judgement from "./Judgement.ts"
import type { Session } from "../repository/Session.ts"
import * as Parameter from "../database/Parameter.ts"

/**
 * Recomputes which runs are of the default branch and what is said of them, and refolds the blocks with changed chunks and
 * those of `also`.
 */
export const reclassify = Effect.fnUntraced(function* (session: Session, also: ReadonlyArray<number>) {
  const touched = yield* classify(session)
  const blocks = new Set([...also, ...touched.map((chunk) => chunk.block_no)])
  yield* refold(session, [...blocks])
})

/** Recomputes the same, and refolds all blocks. */
export const all = Effect.fnUntraced(function* (session: Session) {
  yield* classify(session)
  const blocks = Array.from({ length: session.head.block }, (_, block) => block)
  yield* refold(session, blocks)
})

/**
 * Decides for every run whether it is of the default branch, judges it, derives the contradictions on other branches, and
 * yields the chunks and the places in blocks that this changed.
 */
export const classify = Effect.fnUntraced(function* (session: Session) {
  // A repository may have hundreds of thousands of chunks.
  yield* session.sql`SET LOCAL statement_timeout = 0`
  yield* classifyRuns(session)
  yield* Judgement.judgeAll(session)
  const chunks = yield* Chunks.reflagAll(session)
  return [...chunks, ...(yield* Contradictions.deriveAll(session))]
})

/**
 * The number of blocks folded in one step: some megabytes with 90 days of history. Uploads wait for one step. Measured
 * with 64: uploads waited twice as long, and the total time was the same.
 */
export const blocksAtOnce = 16

/** Refolds blocks in groups; fails when a chunk of a block is damaged. */
export const refold = Effect.fnUntraced(function* (session: Session, blocks: ReadonlyArray<number>) {
  const sorted = blocks.toSorted((a, b) => a - b)
  yield* Head.markRecalculated(session.sql, session.repositoryId, session.head)
  for (let start = 0; start < sorted.length; start += blocksAtOnce) {
    const some = sorted.slice(start, start + blocksAtOnce)
    yield* FailedDays.add(session, yield* Blocks.refold(session, some))
  }
})

interface Branches {
  readonly branch: string | null
  readonly base_branch: string | null
}

/** A repository has few branches compared with its runs. */
const classifyRuns = Effect.fnUntraced(function* (session: Session) {
  for (const row of yield* selectBranches(session)) {
    const run = { branch: row.branch, baseBranch: row.base_branch }
    yield* updateRuns(session, row, Repository.isDefaultBranch(run, session.defaultBranch))
  }
})

const selectBranches = ({ repositoryId, sql }: Session) => sql<Branches>`
  SELECT DISTINCT branch, base_branch
  FROM job_runs
  WHERE repository_id = ${repositoryId}`

const updateRuns = ({ repositoryId, sql }: Session, { base_branch, branch }: Branches, onDefaultBranch: boolean) => sql`
  UPDATE job_runs
  SET on_default_branch = ${onDefaultBranch}
  WHERE repository_id = ${repositoryId} AND branch IS NOT DISTINCT FROM ${Parameter.text(branch)}
    AND base_branch IS NOT DISTINCT FROM ${Parameter.text(base_branch)} AND on_default_branch <> ${onDefaultBranch}`
