/** The whole specification of a storage adapter, and a runner for it that knows no test framework. */
import type { Stores } from "@lazaret/store"
import { Effect, Layer } from "effect"
import * as AliasCases from "./report/AliasCases.ts"
import * as AliasNameCases from "./report/AliasNameCases.ts"
import * as AppendCases from "./report/AppendCases.ts"
import * as ArrivalCases from "./report/ArrivalCases.ts"
import * as AuditCases from "./access/AuditCases.ts"
import * as BranchCases from "./health/BranchCases.ts"
import type { Case } from "./law/Case.ts"
import * as CauseCases from "./insight/CauseCases.ts"
import * as ContradictionCases from "./health/ContradictionCases.ts"
import * as DetailCases from "./health/DetailCases.ts"
import * as EngineCases from "./queue/EngineCases.ts"
import * as EventCases from "./events/EventCases.ts"
import * as FailureCases from "./failure/FailureCases.ts"
import * as FileCases from "./health/FileCases.ts"
import * as FilterCases from "./health/FilterCases.ts"
import * as JobRunCases from "./failure/JobRunCases.ts"
import * as IssueCases from "./platform/IssueCases.ts"
import * as KeyCases from "./access/KeyCases.ts"
import * as ListCases from "./health/ListCases.ts"
import * as ElsewhereCases from "./health/ElsewhereCases.ts"
import * as OwnersCases from "./health/OwnersCases.ts"
import * as OutageCases from "./health/OutageCases.ts"
import * as QuarantineCases from "./quarantine/QuarantineCases.ts"
import * as QuarantineLifeCases from "./quarantine/QuarantineLifeCases.ts"
import * as QueueCases from "./queue/QueueCases.ts"
import * as PullCases from "./repository/PullCases.ts"
import * as RepositoryCases from "./repository/RepositoryCases.ts"
import * as RollupCases from "./health/RollupCases.ts"
import * as RetentionCases from "./repository/RetentionCases.ts"
import * as RowCases from "./repository/RowCases.ts"
import * as RunDayCases from "./health/RunDayCases.ts"
import * as SearchCases from "./health/SearchCases.ts"
import * as PublicationCases from "./platform/PublicationCases.ts"
import * as ReadingCases from "./platform/ReadingCases.ts"
import * as PinCases from "./access/PinCases.ts"
import * as RoleCases from "./access/RoleCases.ts"
import * as SessionCases from "./access/SessionCases.ts"
import * as SightingCases from "./platform/SightingCases.ts"
import * as ShardCases from "./insight/ShardCases.ts"
import * as SignInCodeCases from "./access/SignInCodeCases.ts"
import * as NotifierCases from "./events/NotifierCases.ts"
import * as SubscriptionCases from "./events/SubscriptionCases.ts"
import * as TestRemovalCases from "./health/TestRemovalCases.ts"
import * as TextCases from "./health/TextCases.ts"
import * as TimeCases from "./health/TimeCases.ts"
import * as TriageCases from "./failure/TriageCases.ts"
import * as TriageForkCases from "./failure/TriageForkCases.ts"
import * as UpkeepCases from "./repository/UpkeepCases.ts"
import * as VerdictCases from "./failure/VerdictCases.ts"
import * as WideNotifierCases from "./events/WideNotifierCases.ts"

/**
 * Every case. A new law goes here before any adapter keeps it.
 *
 * **Details**
 *
 * Reports are made by `Report.make`: an adapter may rely on execution ids being the report's id, a dot and an ordinal.
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
  ...TestRemovalCases.cases,
  ...QuarantineCases.cases,
  ...QuarantineLifeCases.cases,
  ...QueueCases.cases,
  ...EngineCases.cases,
  ...EventCases.cases,
  ...SubscriptionCases.cases,
  ...NotifierCases.cases,
  ...WideNotifierCases.cases,
  ...OwnersCases.cases,
  ...PublicationCases.cases,
  ...IssueCases.cases,
  ...ReadingCases.cases,
  ...SightingCases.cases,
  ...KeyCases.cases,
  ...AuditCases.cases,
  ...SessionCases.cases,
  ...SignInCodeCases.cases,
  ...RoleCases.cases,
  ...PinCases.cases,
  ...ShardCases.cases,
  ...UpkeepCases.cases,
  ...RetentionCases.cases
]

/** The outcome of one case: `error` is null when the adapter keeps the law. */
export interface Outcome {
  readonly case: Case
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
  options: { readonly concurrency: number } = { concurrency: 4 }
): Effect.Effect<ReadonlyArray<Outcome>, E> =>
  Effect.scoped(
    Effect.gen(function* () {
      const context = yield* Layer.build(Layer.fresh(stores))
      return yield* Effect.provideContext(
        Effect.forEach(cases, (each) => outcomeOf(each), { concurrency: options.concurrency }),
        context
      )
    })
  )

const outcomeOf = (each: Case): Effect.Effect<Outcome, never, Stores.Stores> =>
  Effect.match(Effect.sandbox(each.run), {
    onFailure: (error) => ({ case: each, error }),
    onSuccess: () => ({ case: each, error: null })
  })
