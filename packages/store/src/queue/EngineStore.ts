/** The port of the engine of merge queues, and its rules over a driver: its log, its state, and which process works on it. */
import { type Instant, type Repository, Text } from "@lazaret/domain"
import type { EngineDecision, EngineEvent, EngineState } from "@lazaret/queue"
import { Context, Effect } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import * as Leases from "../driver/Leases.ts"
import { engineEvents, type EngineRow, engines } from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"
import * as Engines from "./Engines.ts"

/**
 * Events, and their consequences.
 *
 * **Details**
 *
 * `decide` is pure: it may run more than once. Its decisions are appended after the causes, in the same transaction.
 */
export interface EngineStep {
  readonly at: Instant.Instant
  readonly causes: ReadonlyArray<EngineEvent.EngineEvent>
  readonly decide: (state: EngineState.EngineState) => Pick<EngineDecision.EngineDecision, "events">
}

/** A leased engine. `lease` proves that it is still ours. */
export interface LeasedEngine {
  readonly ref: Repository.RepositoryRef
  readonly branch: string
  readonly lease: string
}

/** A part of a log: up to `limit` events before a place, the newest without one. */
export interface LogRequest {
  readonly before: number | null
  readonly limit: number
}

/**
 * The port of the engines of merge queues: one for each base branch.
 *
 * **Laws**
 *
 * - *One writer.* Steps of a repository run one after another, also those of several processes. The events of a step have
 *   consecutive places.
 * - *Atomic.* A decision is in the log if and only if its cause is.
 * - The state is the fold of the log (`EngineFold.fold`).
 * - *One pause.* The pause of the repository (`QueueStore.setPause`) is in the log of each of its engines when
 *   `setPause` succeeds, and an engine that pauses itself pauses the repository.
 * - *One queue.* What an engine that is the source of its queue (`EngineProjection.isSource`) does is in the queue's log
 *   (`QueueStore.queue`) in the same transaction.
 * - One process at a time has the lease of an engine; an engine whose lease has run out is due. What is woken during a
 *   lease stays due.
 */
export class EngineStore extends Context.Service<
  EngineStore,
  {
    /** Appends causes and decisions, and yields the state after them. Creates the repository and the engine. */
    readonly append: (
      ref: Repository.RepositoryRef,
      branch: string,
      step: EngineStep
    ) => Effect.Effect<EngineState.EngineState, StoreError>
    /** The state of an engine, the initial one before any event. */
    readonly state: (
      ref: Repository.RepositoryRef,
      branch: string
    ) => Effect.Effect<EngineState.EngineState, StoreError>
    /** The base branches that have an engine, in code-point order. */
    readonly branches: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<string>, StoreError>
    /** Events of the log, newest first. */
    readonly log: (
      ref: Repository.RepositoryRef,
      branch: string,
      request: LogRequest
    ) => Effect.Effect<ReadonlyArray<EngineEvent.Logged>, StoreError>
    /** Makes an engine due at an instant at the latest. Creates the repository and the engine. */
    readonly wake: (
      ref: Repository.RepositoryRef,
      branch: string,
      at: Instant.Instant
    ) => Effect.Effect<void, StoreError>
    /** Leases engines of any repository whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedEngine>, StoreError>
    /**
     * Whether a write that a pause forbids may begin: the lease is ours, and the repository is not paused. The engine acts
     * until `until`, or until `release`.
     */
    readonly act: (leased: LeasedEngine, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** Extends a lease until an instant. `false`, and nothing changed, when it is not ours any more. */
    readonly renew: (leased: LeasedEngine, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** Until when engines of the repository act at the latest; 0: none does. */
    readonly actingUntil: (ref: Repository.RepositoryRef) => Effect.Effect<Instant.Instant, StoreError>
    /**
     * Ends a lease. The engine is due again at `nextAt`, or earlier if it was woken meanwhile. `false`, and nothing changed,
     * when the lease is not ours any more.
     */
    readonly release: (leased: LeasedEngine, nextAt: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /**
     * Ends a lease whose run was interrupted, if it is still ours; `all` ends those of the whole store, and is for a process that knows
     * that no other process uses it. The engines are due at `now`, or at the `until` of their last `act` where that is later.
     */
    readonly abandon: (now: Instant.Instant, leased: LeasedEngine | "all") => Effect.Effect<void, StoreError>
  }
>()("@lazaret/store/EngineStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): EngineStore["Service"] => make(driver)
}

/** An engine is due when it was woken, or left by a process that died. */
const kind: Leases.Kind<EngineRow> = {
  port: "EngineStore",
  table: engines,
  idOf: ({ branch }) => branch,
  where: (branch) => [["branch", "=", branch]],
  waiting: (now) => [
    [
      ["nextAt", "<=", now],
      ["leasedUntil", "<=", now]
    ],
    [
      ["leasedUntil", ">", Leases.free.leasedUntil],
      ["leasedUntil", "<=", now]
    ]
  ],
  dueAt: ({ leasedUntil, nextAt }) =>
    Math.min(nextAt ?? Infinity, leasedUntil === Leases.free.leasedUntil ? Infinity : leasedUntil),
  taken: (row) => ({ ...row, nextAt: null, actingUntil: 0 })
}

const make = (driver: Driver["Service"]): EngineStore["Service"] => {
  const held = (
    operation: string,
    { branch: id, lease, ref }: LeasedEngine,
    change: (transaction: Transaction, row: EngineRow) => Effect.Effect<unknown, StoreError>
  ) => Leases.held(driver, kind, { operation, ref, id, lease }, change)
  return EngineStore.of({
    append: (ref, branch, step) =>
      driver.transact("EngineStore.append", ref, step.at, (transaction) =>
        Engines.appendStep(transaction, branch, step)
      ),
    state: (ref, branch) =>
      driver.snapshot("EngineStore.state", ref, (view) =>
        Effect.map(Engines.snapshotIn(view, branch), ({ state }) => state)
      ),
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
        Effect.flatMap(Engines.find(transaction, branch), (row) =>
          transaction.put(engines, [
            row === undefined ? { ...Engines.fresh(branch), nextAt: at } : Engines.woken(row, at)
          ])
        )
      ),
    lease: (request) =>
      Effect.map(Leases.lease(driver, kind, request), (leased) =>
        leased.map(({ ref, row: { branch } }) => ({ ref, branch, lease: request.lease }))
      ),
    act: (leased, until) =>
      held("act", leased, (transaction, row) =>
        Effect.flatMap(Engines.pauseIn(transaction), (pause) =>
          pause === null ? transaction.put(engines, [{ ...row, actingUntil: until }]) : Effect.succeed(false)
        )
      ),
    renew: (leased, until) =>
      held("renew", leased, (transaction, row) =>
        transaction.put(engines, [{ ...row, leasedUntil: Math.max(row.leasedUntil, until) }])
      ),
    actingUntil: (ref) =>
      driver.read("EngineStore.actingUntil", ref, (view) =>
        Effect.map(view.select(engines, { where: [], order: [] }), (rows) =>
          rows.reduce((latest, { actingUntil }) => Math.max(latest, actingUntil), 0)
        )
      ),
    release: (leased, nextAt) =>
      held("release", leased, (transaction, row) =>
        transaction.put(engines, [{ ...Engines.woken(row, nextAt), ...Leases.free, actingUntil: 0 }])
      ),
    abandon: Effect.fnUntraced(function* (now, leased) {
      const end = (of: LeasedEngine) =>
        held("abandon", of, (transaction, row) =>
          transaction.put(engines, [{ ...row, leasedUntil: Math.max(now, row.actingUntil) }])
        )
      if (leased !== "all") return yield* Effect.asVoid(end(leased))
      for (const { ref, row } of yield* driver.scan("EngineStore.abandon", engines, [["leasedUntil", ">", now]])) {
        if (row.lease !== null) yield* end({ ref, branch: row.branch, lease: row.lease })
      }
    })
  })
}
