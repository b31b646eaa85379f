/** The whole specification of a storage adapter, and runners for it that know no test framework. */
import { type Driver, Stores } from "@lazaret/store"
import { Effect, Layer } from "effect"
import * as AliasCases from "./report/AliasCases.ts"
import * as AliasNameCases from "./report/AliasNameCases.ts"
import * as AppendCases from "./report/AppendCases.ts"
import * as ArrivalCases from "./report/ArrivalCases.ts"
import * as BranchCases from "./health/BranchCases.ts"
import type { Case } from "./law/Case.ts"
import * as CauseCases from "./insight/CauseCases.ts"
import * as MissingCases from "./insight/MissingCases.ts"
import * as CostCases from "./insight/CostCases.ts"
import * as SlowerCases from "./insight/SlowerCases.ts"
import * as ContradictionCases from "./health/ContradictionCases.ts"
import * as DetailCases from "./health/DetailCases.ts"
import * as EngineCases from "./queue/EngineCases.ts"
import * as FailureCases from "./failure/FailureCases.ts"
import * as FileCases from "./health/FileCases.ts"
import * as FilterCases from "./health/FilterCases.ts"
import * as JobRunCases from "./failure/JobRunCases.ts"
import * as ListCases from "./health/ListCases.ts"
import * as DriverCases from "./driver/DriverCases.ts"
import * as ElsewhereCases from "./health/ElsewhereCases.ts"
import * as OutageCases from "./health/OutageCases.ts"
import * as QueueCases from "./queue/QueueCases.ts"
import * as PullCases from "./repository/PullCases.ts"
import * as RepositoryCases from "./repository/RepositoryCases.ts"
import * as RollupCases from "./health/RollupCases.ts"
import * as RetentionCases from "./repository/RetentionCases.ts"
import * as RowCases from "./repository/RowCases.ts"
import * as RunDayCases from "./health/RunDayCases.ts"
import * as SearchCases from "./health/SearchCases.ts"
import * as TestRemovalCases from "./health/TestRemovalCases.ts"
import * as TextCases from "./health/TextCases.ts"
import * as TimeCases from "./health/TimeCases.ts"
import * as TriageCases from "./failure/TriageCases.ts"
import * as TriageForkCases from "./failure/TriageForkCases.ts"
import * as UpkeepCases from "./repository/UpkeepCases.ts"
import * as VerdictCases from "./failure/VerdictCases.ts"

/**
 * Every case of executions and of the questions about them, which each driver answers in its own way. A new law goes here
 * before any adapter keeps it.
 *
 * **Details**
 *
 * - `DriverCases` has the cases of the driver itself.
 * - `RuleCases` has the cases of the other ports: rules over plain rows, which are the same for every driver.
 * - Reports are made by `Report.make`: an adapter may rely on execution ids being the report's id, a dot and an ordinal.
 */
export const cases: ReadonlyArray<Case> = [
  ...RepositoryCases.cases,
  ...PullCases.cases,
  ...AppendCases.cases,
  ...ArrivalCases.cases,
  ...AliasCases.cases,
  ...AliasNameCases.cases,
  ...BranchCases.cases,
  ...ElsewhereCases.cases,
  ...OutageCases.cases,
  ...ContradictionCases.cases,
  ...TimeCases.cases,
  ...RollupCases.cases,
  ...TextCases.cases,
  ...RowCases.cases,
  ...SearchCases.cases,
  ...ListCases.cases,
  ...FileCases.cases,
  ...RunDayCases.cases,
  ...FilterCases.cases,
  ...DetailCases.cases,
  ...FailureCases.cases,
  ...TriageCases.cases,
  ...TriageForkCases.cases,
  ...JobRunCases.cases,
  ...VerdictCases.cases,
  ...CauseCases.cases,
  ...MissingCases.cases,
  ...CostCases.cases,
  ...SlowerCases.cases,
  ...TestRemovalCases.cases,
  ...QueueCases.cases,
  ...EngineCases.cases,
  ...UpkeepCases.cases,
  ...RetentionCases.cases
]

/** The outcome of one case: `error` is null when the adapter keeps the law. */
export interface Outcome {
  readonly case: Pick<Case, "name" | "port">
  readonly error: unknown
}

/**
 * Runs every case against an adapter, several at a time, and yields their outcomes, in order.
 *
 * **Details**
 *
 * The layer is built once. A case that dies is a case that failed.
 *
 * @example
 * ```ts
 * import { Conformance } from "@lazaret/store-conformance"
 * import { MemoryStores } from "@lazaret/store"
 * import { Effect } from "effect"
 *
 * const outcomes = await Effect.runPromise(Conformance.run(MemoryStores.layer))
 * outcomes.filter(({ error }) => error !== null) // => []
 * ```
 */
export const run = <E>(
  stores: Layer.Layer<Stores.Stores, E>,
  options: Options = defaults
): Effect.Effect<ReadonlyArray<Outcome>, E> => outcomes(stores, cases, options)

/** Runs the cases of the driver, then those of {@link run} over the same driver. */
export const runDriver = <E>(
  driver: Layer.Layer<Driver, E>,
  options: Options = defaults
): Effect.Effect<ReadonlyArray<Outcome>, E> => outcomes(Layer.provideMerge(Stores.layer, driver), ofDriver, options)

const ofDriver: ReadonlyArray<Case<Driver | Stores.Stores>> = [...DriverCases.cases, ...cases]

/** How many cases run at the same time. */
export interface Options {
  readonly concurrency: number
}

const defaults: Options = { concurrency: 4 }

const outcomes = <R, E>(
  layer: Layer.Layer<R, E>,
  all: ReadonlyArray<Case<R>>,
  { concurrency }: Options
): Effect.Effect<ReadonlyArray<Outcome>, E> =>
  Effect.scoped(
    Effect.gen(function* () {
      const context = yield* Layer.build(Layer.fresh(layer))
      return yield* Effect.provideContext(Effect.forEach(all, outcomeOf, { concurrency }), context)
    })
  )

const outcomeOf = <R>(each: Case<R>): Effect.Effect<Outcome, never, R> =>
  Effect.match(Effect.sandbox(each.run), {
    onFailure: (error) => ({ case: each, error }),
    onSuccess: () => ({ case: each, error: null })
  })
