/** Verdicts over a driver: the first one on each failure, its mark, and whether excuses hold. */
import { Event, type FailurePrecision, Instant, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import { firstVerdicts, type FirstVerdictRow, suspensions } from "../Rows.ts"
import * as Aliases from "../report/Aliases.ts"
import { type Outcome, VerdictStore } from "./VerdictStore.ts"

/** For how long a verdict is kept: as long as a rerun may come, and longer when its outcome is known. */
const kept = { open: 90 * Instant.day, known: 365 * Instant.day }

/** The port of verdicts. */
export const make = (driver: Driver["Service"]): VerdictStore["Service"] =>
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
  // A failure keeps its first verdict when another name stands for that of its test.
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
