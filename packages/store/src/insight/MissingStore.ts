/** The port of missing tests, and its rules over a driver: which tests job runs executed, and the losses that follow. */
import {
  type Instant,
  type LossRecord,
  type MissingFacts,
  type MissingRound,
  type Repository,
  JobRunEvents
} from "@lazaret/domain"
import { Context, Effect, Equal } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import * as Due from "../driver/Due.ts"
import * as RepositoryRounds from "../driver/RepositoryRounds.ts"
import type { StoreError } from "../StoreError.ts"
import { losses, type LossRow, type MissingRoundRow, missingRounds } from "./MissingRows.ts"

/** Runs that somebody asks about: those on a commit with one of these ids, forks included. `before`: the base counts up to then, exclusively. */
export interface AskedRuns {
  readonly commit: string
  readonly runIds: ReadonlyArray<string>
  readonly before: Instant.Instant
}

/**
 * A question about the tests that jobs executed.
 *
 * **Details**
 *
 * - `now`: job runs of the default branch count within `MissingFacts.bounds.days` before it.
 * - `runs`: null for all jobs, whose `others` and `own` are empty then; else the jobs of these runs, and the other shards of them.
 */
export interface MissingQuery {
  readonly now: Instant.Instant
  readonly runs: AskedRuns | null
}

/** The last round of a repository; `computedAt` is null before the first one. */
export interface MissingProgress extends Pick<MissingRound.MissingRound, "jobs" | "missingRuns"> {
  readonly computedAt: Instant.Instant | null
}

/**
 * The port of missing tests.
 *
 * **Laws**
 *
 * - *Facts.* The same reports give the same histories whatever their order of arrival and however they were cut into uploads.
 * - *Bounded.* Of each job at most `MissingFacts.bounds.runs` job runs are read; tests are numbers in sets, and names are read for those
 *   that are asked for. Numbers hold within one group.
 * - *Rounds.* Those of {@link RepositoryRounds.RepositoryRounds}; a round ends with `replace`, which writes the events of new losses to
 *   the log in the same transaction, each once.
 */
export class MissingStore extends Context.Service<
  MissingStore,
  RepositoryRounds.RepositoryRounds & {
    /** Calls `judge` for the jobs of each group, in the order of pipelines and groups, and yields its values with names. One moment. */
    readonly histories: <A>(
      ref: Repository.RepositoryRef,
      query: MissingQuery,
      judge: MissingFacts.Judge<A>
    ) => Effect.Effect<ReadonlyArray<MissingFacts.Named<A>>, StoreError>
    /** Stores what `compute` makes of the records that are stored; `false`, and nothing stored, when the lease is not ours any more. */
    readonly replace: (
      leased: Due.LeasedRepository,
      times: RepositoryRounds.RoundTimes,
      compute: (before: ReadonlyArray<LossRecord.LossRecord>) => MissingRound.MissingRound
    ) => Effect.Effect<boolean, StoreError>
    /** The last round. */
    readonly progress: (ref: Repository.RepositoryRef) => Effect.Effect<MissingProgress, StoreError>
    /** The records of a repository, the latest first. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<LossRecord.LossRecord>, StoreError>
  }
>()("@lazaret/store/MissingStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): MissingStore["Service"] => make(driver)
}

const kind: RepositoryRounds.Kind<MissingRoundRow> = {
  port: "MissingStore",
  table: missingRounds,
  blank: { computedAt: null, jobs: 0, missingRuns: 0, ...Due.unrequested }
}

const make = (driver: Driver["Service"]): MissingStore["Service"] => {
  const { fail, lease, replace, request, rowIn } = RepositoryRounds.make(driver, kind)
  return MissingStore.of({
    request,
    lease,
    fail,
    histories: driver.histories,
    replace: (leased, { againAt, computedAt }, compute) =>
      replace(leased, (transaction, held) =>
        Effect.gen(function* () {
          const before = yield* selectAll(transaction)
          const { jobs, losses: after, missingRuns, news, pendingAt } = compute(before.map(({ known }) => known))
          yield* write(transaction, before, after)
          yield* transaction.log(JobRunEvents.testsMissing(news, computedAt))
          const { nextAt, requests } = RepositoryRounds.rested(held, leased, againAt)
          const next =
            requests > 0 || pendingAt === null
              ? { requests, nextAt }
              : { requests: 1, nextAt: Math.max(nextAt, pendingAt) }
          return { ...held, ...next, computedAt, jobs, missingRuns }
        })
      ),
    progress: (ref) =>
      driver.read("MissingStore.progress", ref, (view) =>
        Effect.map(rowIn(view), ({ computedAt, jobs, missingRuns }) => ({ computedAt, jobs, missingRuns }))
      ),
    list: (ref) =>
      Effect.map(driver.read("MissingStore.list", ref, selectAll), (rows) => rows.map(({ known }) => known))
  })
}

const selectAll = (view: Pick<Transaction, "select">) =>
  view.select(losses, { where: [], order: ["at", "lossId"], isDescending: true })

/** Writes the records that differ, and removes those that are left. */
const write = Effect.fnUntraced(function* (
  transaction: Transaction,
  before: ReadonlyArray<LossRow>,
  after: ReadonlyArray<LossRecord.LossRecord>
) {
  const known = new Map(before.map((row) => [row.lossId, row.known]))
  const changed = after.filter((record) => !Equal.equals(known.get(record.lossId), record))
  const kept = new Set(after.map(({ lossId }) => lossId))
  const removed = before.filter(({ lossId }) => !kept.has(lossId)).map(({ lossId }) => lossId)
  for (let start = 0; start < changed.length; start += recordsAtOnce) {
    const some = changed.slice(start, start + recordsAtOnce)
    yield* transaction.put(
      losses,
      some.map((record) => ({ lossId: record.lossId, at: record.at, known: record }))
    )
  }
  if (removed.length > 0) yield* transaction.remove(losses, [["lossId", "in", removed]])
})

const recordsAtOnce = 100
