/** The logs of the engines of merge queues over a driver: their snapshots, and the pause that they share with the repository. */
import { Event } from "@lazaret/domain"
import { type EngineEvent, EngineFold, EngineProjection, EngineState } from "@lazaret/queue"
import { Effect } from "effect"
import type { Transaction, View } from "../Driver.ts"
import * as Leases from "../driver/Leases.ts"
import { engineEvents, type EngineRow, engineStates, engines, type PauseRow, pauses } from "../Rows.ts"
import * as EngineAlarm from "./EngineAlarm.ts"
import type { EngineStep } from "./EngineStore.ts"
import * as QueueLog from "./QueueLog.ts"

/**
 * The version of the rules of the fold. A change of `EngineFold` that could fold a log differently raises it: snapshots of
 * other versions are not used, and the whole log is folded once.
 */
const rules = 13

/** Events are read this many at a time. */
const pageSize = 1000

/** The row of an engine that nobody has woken. */
export const fresh = (branch: string): EngineRow => ({ branch, nextAt: null, actingUntil: 0, ...Leases.free })

/** The row of an engine that is due at an instant at the latest. */
export const woken = (row: EngineRow, at: number): EngineRow => ({ ...row, nextAt: Math.min(row.nextAt ?? at, at) })

/** The row of an engine. */
export const find = (view: View, branch: string) =>
  Effect.map(view.select(engines, { where: [["branch", "=", branch]], order: [] }), ([row]) => row)

/** The pause of the repository; null where it has none. */
export const pauseIn = (view: View) =>
  Effect.map(view.select(pauses, { where: [], order: [] }), ([row]) => (row === undefined ? null : row))

/** The snapshot and whether it is the stored one; the fold of the whole log where other rules made the stored one. */
export const snapshotIn = Effect.fnUntraced(function* (view: View, branch: string) {
  const [row] = yield* view.select(engineStates, { where: [["branch", "=", branch]], order: [] })
  if (row === undefined) return { state: EngineState.initial, isStored: false }
  if (row.rules === rules) return { state: row.state, isStored: true }
  let state = EngineState.initial
  for (;;) {
    const where = [["branch", "=", branch] as const]
    const page = yield* view.select(engineEvents, { where, order: ["seq"], after: [state.seq], limit: pageSize })
    state = EngineFold.fold(page, state)
    if (page.length < pageSize) return { state, isStored: false }
  }
})

/** Appends a step to the log of an engine, which it creates, and yields the state after it. */
export const appendStep = Effect.fnUntraced(function* (
  transaction: Transaction,
  branch: string,
  { at, causes, decide }: EngineStep
) {
  if ((yield* find(transaction, branch)) === undefined) yield* transaction.put(engines, [fresh(branch)])
  const pause = yield* pauseIn(transaction)
  const after = yield* append(transaction, branch, {
    at,
    causes: (before) => (pause !== null && before.pause === null ? [adopted(pause), ...causes] : causes),
    decide
  })
  if (pause !== null || after.pause === null) return after
  const { at: pauseDate, by, reason } = after.pause
  yield* transaction.put(pauses, [{ reason, pausedAt: pauseDate }])
  yield* transaction.log([Event.paused({ reason, pauseDate }, at, by)])
  yield* broadcast(transaction, { kind: "pause_set", reason, by }, { at, except: branch })
  return after
})

/** The pause is older than the engine; whose it is, only its event says. */
const adopted = ({ reason }: PauseRow): EngineEvent.EngineEvent => ({ kind: "pause_set", reason, by: "somebody" })

interface Appended extends Pick<EngineStep, "at" | "decide"> {
  readonly causes: (before: EngineState.EngineState) => ReadonlyArray<EngineEvent.EngineEvent>
}

/** Appends to a log, and yields the state after. */
const append = Effect.fnUntraced(function* (
  transaction: Transaction,
  branch: string,
  { at, causes, decide }: Appended
) {
  const { isStored, state: before } = yield* snapshotIn(transaction, branch)
  const caused = logged(before.seq, at, causes(before))
  const between = EngineFold.fold(caused, before)
  const decided = logged(between.seq, at, decide(between).events)
  const after = EngineFold.fold(decided, between)
  if (after === before && isStored) return after
  yield* transaction.put(
    engineEvents,
    [...caused, ...decided].map((each) => ({ branch, ...each }))
  )
  yield* transaction.put(engineStates, [{ branch, rules, state: after }])
  yield* transaction.log(decided.flatMap(({ event }) => mismatches(branch, event, at)))
  yield* transaction.log([...caused, ...decided].flatMap(({ event }) => EngineAlarm.of(before, event, { branch, at })))
  yield* feed(transaction, branch, { before, after, events: [...caused, ...decided] })
  return after
})

interface Feed {
  readonly before: EngineState.EngineState
  readonly after: EngineState.EngineState
  readonly events: ReadonlyArray<EngineEvent.Logged>
}

/** An engine that acts shows its queue itself, to its end: the events that follow from its log join those of the merge queue. */
const feed = Effect.fnUntraced(function* (transaction: Transaction, branch: string, { after, before, events }: Feed) {
  if (!EngineProjection.isSource(before) && !EngineProjection.isSource(after)) return
  const projected = EngineProjection.project(events, branch, before)
  if (projected.length > 0) yield* QueueLog.append(transaction, projected)
})

const mismatches = (branch: string, event: EngineEvent.EngineEvent, at: number): ReadonlyArray<Event.Event> => {
  if (event.kind !== "tree_audited" || event.outcome !== "mismatch") return []
  const { landed, members, tested } = event
  return [Event.treeMismatch({ branch, pulls: members.map(({ number }) => number), tested, landed }, at)]
}

const logged = (
  seq: number,
  at: number,
  events: ReadonlyArray<EngineEvent.EngineEvent>
): ReadonlyArray<EngineEvent.Logged> => events.map((event, index) => ({ seq: seq + index + 1, at, event }))

/** Appends an intent to the logs of all engines of the repository but one, and makes them due. */
export const broadcast = Effect.fnUntraced(function* (
  transaction: Transaction,
  intent: typeof EngineEvent.Intent.Type,
  { at, except }: { readonly at: number; readonly except: string | null }
) {
  for (const row of yield* transaction.select(engines, { where: [], order: ["branch"] })) {
    if (row.branch === except) continue
    yield* append(transaction, row.branch, { at, causes: () => [intent], decide: () => ({ events: [] }) })
    yield* transaction.put(engines, [woken(row, at)])
  }
})
