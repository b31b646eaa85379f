/** The port of verdicts, and its rules over a driver: the first one on each failure, its mark, and whether excuses hold. */
import { Event, type FailurePrecision, Instant, type Repository, Text, type TimeWindow } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import * as Aliases from "../report/Aliases.ts"
import { firstVerdicts, type FirstVerdictRow, suspensions } from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"

/** The kept verdicts to list: those on failures after an instant, of these kinds; the latest `limit`. */
export interface VerdictQuery {
  readonly after: Instant.Instant
  readonly verdicts: ReadonlyArray<FailurePrecision.FirstVerdict["verdict"]>
  readonly limit: number
}

/** The place of a verdict in the order of time. */
export interface VerdictPosition extends FailurePrecision.MarkedExecution {
  readonly at: Instant.Instant
}

/** The kept verdicts on failures in a window, after a place (null: from its start), at most `limit`. */
export interface VerdictsWithin {
  readonly window: TimeWindow.TimeWindow
  readonly after: VerdictPosition | null
  readonly limit: number
}

/** The outcome of a failed execution: the evidence of later runs of the same code. */
export interface Outcome extends FailurePrecision.MarkedExecution {
  readonly outcome: FailurePrecision.Truth | null
}

/** Since when the excuses by verdict are suspended, and what was known then, in a clause. */
export interface Suspension {
  readonly since: Instant.Instant
  readonly reason: string
}

/**
 * The port of verdicts.
 *
 * **Laws**
 *
 * - *First.* Of the verdicts on one execution the first one is kept; a later one changes nothing.
 * - *One mark.* The mark that was made last holds. Each mark that changes something is an event.
 * - *Bounded.* A verdict is removed 90 days after its failure, one with an outcome or a mark 365 days after it.
 * - Excuses are suspended or not. Each change is one event, however many processes make it.
 */
export class VerdictStore extends Context.Service<
  VerdictStore,
  {
    /** Keeps verdicts on failures of a repository that exists. Locks nothing when all of them are kept already. */
    readonly note: (
      ref: Repository.RepositoryRef,
      verdicts: ReadonlyArray<FailurePrecision.FirstVerdict>
    ) => Effect.Effect<void, StoreError>
    /** The kept verdicts on failures of a commit, in any order. */
    readonly ofCommit: (
      ref: Repository.RepositoryRef,
      commit: string
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** Stores the outcomes of kept verdicts, and passes over others. Locks nothing when all of them are stored already. */
    readonly resolve: (
      ref: Repository.RepositoryRef,
      outcomes: ReadonlyArray<Outcome>
    ) => Effect.Effect<void, StoreError>
    /** The latest kept verdicts after an instant that have an outcome or a mark, the latest failure first, ties by execution. */
    readonly resolved: (
      ref: Repository.RepositoryRef,
      query: Pick<VerdictQuery, "after" | "limit">
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** Marks the verdict on an execution, and yields it; none when none is kept. */
    readonly mark: (
      ref: Repository.RepositoryRef,
      execution: FailurePrecision.MarkedExecution,
      mark: FailurePrecision.Mark
    ) => Effect.Effect<Option.Option<FailurePrecision.MarkedVerdict>, StoreError>
    /** The marked verdicts on executions with these ids, in any order; executions of one report may share an id. */
    readonly marked: (
      ref: Repository.RepositoryRef,
      executionIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.MarkedVerdict>, StoreError>
    /** The kept verdicts, the latest failure first, ties by execution. */
    readonly latest: (
      ref: Repository.RepositoryRef,
      query: VerdictQuery
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** The kept verdicts in a window (start inclusive, end exclusive), the earliest failure first, ties by execution, then by test. */
    readonly within: (
      ref: Repository.RepositoryRef,
      query: VerdictsWithin
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.KeptVerdict>, StoreError>
    /** The suspension of the excuses, none while they hold. */
    readonly suspension: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<Suspension>, StoreError>
    /** Suspends the excuses (`isSuspended`), or ends their suspension; `false` when that was done before. */
    readonly suspend: (
      ref: Repository.RepositoryRef,
      change: { readonly isSuspended: boolean; readonly at: Instant.Instant; readonly reason: string }
    ) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/VerdictStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): VerdictStore["Service"] => make(driver)
}

/** For how long a verdict is kept: as long as a rerun may come, and longer when its outcome is known. */
const kept = { open: 90 * Instant.day, known: 365 * Instant.day }

const make = (driver: Driver["Service"]): VerdictStore["Service"] =>
  VerdictStore.of({
    note: (ref, verdicts) =>
      verdicts.length === 0
        ? Effect.void
        : Effect.flatMap(
            driver.read("VerdictStore.note", ref, (view) => freshAmong(view, verdicts)),
            (fresh) =>
              fresh.length === 0
                ? Effect.void
                : driver.transact("VerdictStore.note", ref, null, (transaction) => note(transaction, fresh))
          ),
    ofCommit: (ref, commit) =>
      driver.read("VerdictStore.ofCommit", ref, (view) =>
        Effect.map(view.select(firstVerdicts, { where: [["commit", "=", commit]], order: [] }), (rows) =>
          rows.map(keptOf)
        )
      ),
    resolve: (ref, outcomes) =>
      outcomes.length === 0
        ? Effect.void
        : Effect.flatMap(
            driver.read("VerdictStore.resolve", ref, (view) => changedBy(view, outcomes)),
            (changed) =>
              changed.length === 0
                ? Effect.void
                : driver.transact("VerdictStore.resolve", ref, null, (transaction) =>
                    Effect.flatMap(changedBy(transaction, outcomes), (rows) => transaction.put(firstVerdicts, rows))
                  )
          ),
    resolved: (ref, { after, limit }) =>
      driver.snapshot("VerdictStore.resolved", ref, (view) =>
        Effect.map(
          Effect.forEach(["outcome", "truth"] as const, (field) =>
            view.select(firstVerdicts, {
              where: [
                ["at", ">", after],
                [field, "in", ["flaky", "real"]]
              ],
              order,
              isDescending: true,
              limit
            })
          ),
          (found) =>
            [...new Map(found.flat().map((row) => [keyOf(row), row])).values()]
              .sort(latestFirst)
              .slice(0, limit)
              .map(keptOf)
        )
      ),
    mark: (ref, execution, mark) =>
      driver.transact("VerdictStore.mark", ref, null, (transaction) =>
        Effect.gen(function* () {
          const row = yield* find(transaction, execution)
          if (row === undefined) return Option.none()
          const before = keptOf(row)
          if (before.mark?.truth === mark.truth) return Option.some({ ...before, mark: before.mark })
          yield* transaction.put(firstVerdicts, [{ ...row, truth: mark.truth, markedBy: mark.by, markedAt: mark.at }])
          yield* transaction.log([Event.failureMarked(row, mark)])
          return Option.some({ ...before, mark })
        })
      ),
    marked: (ref, executionIds) =>
      executionIds.length === 0
        ? Effect.succeed([])
        : driver.read("VerdictStore.marked", ref, (view) =>
            Effect.gen(function* () {
              const { idOf } = yield* Aliases.namesIn(view)
              const rows = yield* view.select(firstVerdicts, {
                where: [["executionId", "in", executionIds]],
                order: []
              })
              return rows
                .map(keptOf)
                .flatMap(({ mark, ...row }) => (mark === null ? [] : [{ ...row, testId: idOf(row.testId), mark }]))
            })
          ),
    latest: (ref, { after, limit, verdicts }) =>
      driver.read("VerdictStore.latest", ref, (view) =>
        Effect.map(
          view.select(firstVerdicts, {
            where: [
              ["at", ">", after],
              ["verdict", "in", verdicts]
            ],
            order,
            isDescending: true,
            limit
          }),
          (rows) => rows.map(keptOf)
        )
      ),
    within: (ref, { after, limit, window }) =>
      driver.read("VerdictStore.within", ref, (view) =>
        Effect.map(
          view.select(firstVerdicts, {
            where: [
              ["at", ">=", window.start],
              ["at", "<", window.end]
            ],
            order,
            ...(after !== null && { after: [after.at, after.executionId, after.testId] }),
            limit
          }),
          (rows) => rows.map(keptOf)
        )
      ),
    suspension: (ref) =>
      driver.read("VerdictStore.suspension", ref, (view) =>
        Effect.map(view.select(suspensions, { where: [], order: [] }), ([row]) => Option.fromUndefinedOr(row))
      ),
    suspend: (ref, { at, isSuspended, reason }) =>
      driver.transact("VerdictStore.suspend", ref, null, (transaction) =>
        Effect.gen(function* () {
          const [row] = yield* transaction.select(suspensions, { where: [], order: [] })
          if ((row !== undefined) === isSuspended) return false
          if (isSuspended) yield* transaction.put(suspensions, [{ since: at, reason }])
          else yield* transaction.remove(suspensions, [])
          yield* transaction.log([Event.excusesChanged(isSuspended, reason, at)])
          return true
        })
      )
  })

const order = ["at", "executionId", "testId"] as const

const latestFirst = (a: FirstVerdictRow, b: FirstVerdictRow): number =>
  b.at - a.at || Text.compare(b.executionId, a.executionId) || Text.compare(b.testId, a.testId)

/** The rows whose outcome changes. */
const changedBy = (view: View, outcomes: ReadonlyArray<Outcome>) => {
  const known = new Map(outcomes.map((one) => [keyOf(one), one.outcome]))
  const ids = [...new Set(outcomes.map(({ executionId }) => executionId))]
  return Effect.map(view.select(firstVerdicts, { where: [["executionId", "in", ids]], order: [] }), (rows) =>
    rows.flatMap((row) => {
      const outcome = known.get(keyOf(row))
      return outcome === undefined || outcome === row.outcome ? [] : [{ ...row, outcome }]
    })
  )
}

const find = Effect.fnUntraced(function* (view: View, { executionId, testId }: FailurePrecision.MarkedExecution) {
  const { idsOf } = yield* Aliases.namesIn(view)
  const [row] = yield* view.select(firstVerdicts, {
    where: [
      ["testId", "in", idsOf(testId)],
      ["executionId", "=", executionId]
    ],
    order: ["testId"]
  })
  return row
})

const keyOf = ({ executionId, testId }: FailurePrecision.MarkedExecution): string => `${testId} ${executionId}`

type Verdicts = ReadonlyArray<FailurePrecision.FirstVerdict>

/** The verdicts that are not kept yet. */
const freshAmong = Effect.fnUntraced(function* (view: View, verdicts: Verdicts) {
  const ids = [...new Set(verdicts.map(({ executionId }) => executionId))]
  const { resolve } = yield* Aliases.namesIn(view)
  const rows = yield* view.select(firstVerdicts, { where: [["executionId", "in", ids]], order: [] })
  // A failure keeps its first verdict when its test gets an alias.
  const nameOf = ({ executionId, testName }: FailurePrecision.FirstVerdict) => `${executionId} ${resolve(testName)}`
  const known = new Set(rows.map(nameOf))
  return verdicts.filter((verdict) => !known.has(nameOf(verdict)))
})

const note = Effect.fnUntraced(function* (transaction: Transaction, verdicts: Verdicts) {
  const fresh = yield* freshAmong(transaction, verdicts)
  if (fresh.length === 0) return
  const latest = Math.max(...fresh.map(({ at }) => at))
  yield* transaction.put(
    firstVerdicts,
    fresh.map((verdict) => ({ ...verdict, outcome: null, truth: null, markedBy: null, markedAt: null }))
  )
  yield* transaction.remove(firstVerdicts, [
    ["at", "<", latest - kept.open],
    ["outcome", "=", null],
    ["truth", "=", null]
  ])
  yield* transaction.remove(firstVerdicts, [["at", "<", latest - kept.known]])
})

const keptOf = ({ markedAt, markedBy, truth, ...verdict }: FirstVerdictRow): FailurePrecision.KeptVerdict => ({
  ...verdict,
  mark: truth === null || markedBy === null || markedAt === null ? null : { truth, by: markedBy, at: markedAt }
})
