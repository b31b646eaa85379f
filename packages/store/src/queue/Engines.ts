/**
 * Engines of merge queues over a driver: the log, the snapshot of its fold, the pause that they share with the repository,
 * and the lease.
 */
import { Event, Text } from "@lazaret/domain"
import { type EngineEvent, EngineFold, EngineProjection, EngineState } from "@lazaret/queue"
import { Effect } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import { EngineStore, type EngineStep, type LeasedEngine } from "./EngineStore.ts"
import { engineEvents, type EngineRow, engineStates, engines, type PauseRow, pauses } from "../Rows.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import * as EngineAlarm from "./EngineAlarm.ts"
import * as QueueLog from "./QueueLog.ts"

/** The port of engines. */
export const make = (driver: Driver["Service"]): EngineStore["Service"] =>
  EngineStore.of({
    append: (ref, branch, step) =>
      driver.transact("EngineStore.append", ref, step.at, (transaction) => appendStep(transaction, branch, step)),
    state: (ref, branch) =>
      driver.snapshot("EngineStore.state", ref, (view) => Effect.map(snapshotIn(view, branch), ({ state }) => state)),
    branches: (ref) =>
      driver.read("EngineStore.branches", ref, (view) =>
        Effect.map(view.distinct(engines, "branch", []), (names) => names.toSorted(Text.compare))
      ),
    log: (ref, branch, { before, limit }) =>
      driver.read("EngineStore.log", ref, (view) =>
        Effect.map(
          view.select(engineEvents, {
            where: [["branch", "=", branch], ...(before === null ? [] : [["seq", "<", before] as const])],
            order: ["seq"],
            isDescending: true,
            limit
          }),
          (rows) => rows.map(({ at, event, seq }) => ({ at, event, seq }))
        )
      ),
    wake: (ref, branch, at) =>
      driver.transact("EngineStore.wake", ref, at, (transaction) =>
        Effect.flatMap(find(transaction, branch), (row) =>
          transaction.put(engines, [row === undefined ? { ...fresh(branch), nextAt: at } : woken(row, at)])
        )
      ),
    lease: (request) => lease(driver, request),
    act: (leased, until) =>
      driver.transact("EngineStore.act", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          Effect.flatMap(pauseIn(transaction), (pause) =>
            pause === null
              ? Effect.as(transaction.put(engines, [{ ...row, actingUntil: until }]), true)
              : Effect.succeed(false)
          )
        )
      ),
    renew: (leased, until) =>
      driver.transact("EngineStore.renew", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          Effect.as(transaction.put(engines, [{ ...row, leasedUntil: Math.max(row.leasedUntil, until) }]), true)
        )
      ),
    actingUntil: (ref) =>
      driver.read("EngineStore.actingUntil", ref, (view) =>
        Effect.map(view.select(engines, { where: [], order: [] }), (rows) =>
          rows.reduce((latest, { actingUntil }) => Math.max(latest, actingUntil), 0)
        )
      ),
    release: (leased, nextAt) =>
      driver.transact("EngineStore.release", leased.ref, null, (transaction) =>
        held(transaction, leased, (row) =>
          Effect.as(transaction.put(engines, [{ ...woken(row, nextAt), ...free, actingUntil: 0 }]), true)
        )
      )
  })

/**
 * The version of the rules of the fold. A change of `EngineFold` that could fold a log differently raises it: snapshots of
 * other versions are not used, and the whole log is folded once.
 */
const rules = 6

/** Events are read this many at a time. */
const pageSize = 1000

const free = { lease: null, leasedUntil: 0 }

const fresh = (branch: string): EngineRow => ({ branch, nextAt: null, actingUntil: 0, ...free })

const woken = (row: EngineRow, at: number): EngineRow => ({ ...row, nextAt: Math.min(row.nextAt ?? at, at) })

const find = (view: View, branch: string) =>
  Effect.map(view.select(engines, { where: [["branch", "=", branch]], order: [] }), ([row]) => row)

const pauseIn = (view: View) =>
  Effect.map(view.select(pauses, { where: [], order: [] }), ([row]) => (row === undefined ? null : row))

/** The snapshot and whether it is the stored one; the fold of the whole log where other rules made the stored one. */
const snapshotIn = Effect.fnUntraced(function* (view: View, branch: string) {
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

const appendStep = Effect.fnUntraced(function* (
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
  yield* transaction.log(caused.flatMap(({ event }) => EngineAlarm.of(before, event, { branch, at })))
  yield* feed(transaction, branch, { before, after, events: [...caused, ...decided] })
  return after
})

interface Feed {
  readonly before: EngineState.EngineState
  readonly after: EngineState.EngineState
  readonly events: ReadonlyArray<EngineEvent.Logged>
}

/** An engine that acts shows its queue itself: the events that follow from its log join those of the merge queue. */
const feed = Effect.fnUntraced(function* (transaction: Transaction, branch: string, { after, before, events }: Feed) {
  if (!EngineProjection.isSource(after)) return
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

/** When an engine is due: woken, or left by a process that died. */
const dueAt = ({ leasedUntil, nextAt }: EngineRow): number =>
  Math.min(nextAt ?? Infinity, leasedUntil === free.leasedUntil ? Infinity : leasedUntil)

/** Whether the lease is still in force, and what a change of its row yields. */
const held = Effect.fnUntraced(function* <E>(
  transaction: Transaction,
  { branch, lease: proof }: LeasedEngine,
  change: (row: EngineRow) => Effect.Effect<boolean, E>
) {
  const row = yield* find(transaction, branch)
  return row !== undefined && row.lease === proof && (yield* change(row))
})

const lease = Effect.fnUntraced(function* (driver: Driver["Service"], request: LeaseRequest) {
  const operation = "EngineStore.lease"
  const due = yield* driver.scan(operation, engines, [
    ["nextAt", "<=", request.now],
    ["leasedUntil", "<=", request.now]
  ])
  const abandoned = yield* driver.scan(operation, engines, [
    ["leasedUntil", ">", free.leasedUntil],
    ["leasedUntil", "<=", request.now]
  ])
  const longest = [...due, ...abandoned].toSorted(
    (a, b) => dueAt(a.row) - dueAt(b.row) || Text.compare(a.row.branch, b.row.branch)
  )
  const leased: Array<LeasedEngine> = []
  for (const { ref, row } of longest) {
    if (leased.length === request.limit) break
    const { branch } = row
    const isOurs = yield* driver.transact(operation, ref, null, (transaction) => take(transaction, branch, request))
    if (isOurs) leased.push({ ref, branch, lease: request.lease })
  }
  return leased
})

const take = Effect.fnUntraced(function* (transaction: Transaction, branch: string, request: LeaseRequest) {
  const row = yield* find(transaction, branch)
  if (row === undefined || dueAt(row) > request.now || row.leasedUntil > request.now) return false
  yield* transaction.put(engines, [
    { ...row, nextAt: null, lease: request.lease, leasedUntil: request.until, actingUntil: 0 }
  ])
  return true
})
