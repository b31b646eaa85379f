/** The whole specification of a storage adapter, and a runner for it that knows no test framework. */
import type { Stores } from "@lazaret/store"
import { Effect, Layer } from "effect"
import * as AppendCases from "./AppendCases.ts"
import * as ArrivalCases from "./ArrivalCases.ts"
import * as AuditCases from "./AuditCases.ts"
import * as BranchCases from "./BranchCases.ts"
import type { Case } from "./Case.ts"
import * as ContradictionCases from "./ContradictionCases.ts"
import * as DetailCases from "./DetailCases.ts"
import * as EngineCases from "./EngineCases.ts"
import * as EventCases from "./EventCases.ts"
import * as FailureCases from "./FailureCases.ts"
import * as FileCases from "./FileCases.ts"
import * as FilterCases from "./FilterCases.ts"
import * as IssueCases from "./IssueCases.ts"
import * as KeyCases from "./KeyCases.ts"
import * as ListCases from "./ListCases.ts"
import * as ElsewhereCases from "./ElsewhereCases.ts"
import * as OwnersCases from "./OwnersCases.ts"
import * as OutageCases from "./OutageCases.ts"
import * as QuarantineCases from "./QuarantineCases.ts"
import * as QuarantineLifeCases from "./QuarantineLifeCases.ts"
import * as QueueCases from "./QueueCases.ts"
import * as RepositoryCases from "./RepositoryCases.ts"
import * as RollupCases from "./RollupCases.ts"
import * as RetentionCases from "./RetentionCases.ts"
import * as RowCases from "./RowCases.ts"
import * as RunDayCases from "./RunDayCases.ts"
import * as SearchCases from "./SearchCases.ts"
import * as PublicationCases from "./PublicationCases.ts"
import * as ReadingCases from "./ReadingCases.ts"
import * as RoleCases from "./RoleCases.ts"
import * as SessionCases from "./SessionCases.ts"
import * as SignInCodeCases from "./SignInCodeCases.ts"
import * as NotifierCases from "./NotifierCases.ts"
import * as SubscriptionCases from "./SubscriptionCases.ts"
import * as TestRemovalCases from "./TestRemovalCases.ts"
import * as TextCases from "./TextCases.ts"
import * as TimeCases from "./TimeCases.ts"
import * as TriageCases from "./TriageCases.ts"
import * as UpkeepCases from "./UpkeepCases.ts"
import * as VerdictCases from "./VerdictCases.ts"
import * as WideNotifierCases from "./WideNotifierCases.ts"

/**
 * Every case. A new law goes here before any adapter keeps it.
 *
 * **Details**
 *
 * Reports are made by `Report.make`: an adapter may rely on execution ids being the report's id, a dot and an ordinal.
 */
export const cases: ReadonlyArray<Case> = [
  ...RepositoryCases.cases,
  ...AppendCases.cases,
  ...ArrivalCases.cases,
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
  ...VerdictCases.cases,
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
  ...KeyCases.cases,
  ...AuditCases.cases,
  ...SessionCases.cases,
  ...SignInCodeCases.cases,
  ...RoleCases.cases,
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
