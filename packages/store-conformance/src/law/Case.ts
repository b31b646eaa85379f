/** Cases: each is one sentence of the law of a storage port, and the proof that an adapter keeps it. */
import type { Repository } from "@lazaret/domain"
import type { Stores } from "@lazaret/store"
import { Effect } from "effect"

/** The port that a case is about. */
export type Port =
  | "Driver"
  | "RepositoryStore"
  | "ExecutionStore"
  | "TestStore"
  | "TestAliasStore"
  | "FailureStore"
  | "TriageStore"
  | "VerdictStore"
  | "CauseStore"
  | "MissingStore"
  | "CostStore"
  | "SlowerStore"
  | "QuarantineStore"
  | "QueueStore"
  | "EngineStore"
  | "EventStore"
  | "SubscriptionStore"
  | "NotifierStore"
  | "WideNotifierStore"
  | "OwnersStore"
  | "ShardStore"
  | "StressStore"
  | "PublicationStore"
  | "IssueStore"
  | "ReadingStore"
  | "SightingStore"
  | "CertificationStore"
  | "KeyStore"
  | "AuditStore"
  | "SessionStore"
  | "SignInCodeStore"
  | "RoleStore"
  | "PinStore"
  | "UpkeepStore"
  | "RetentionStore"

/**
 * One sentence of the law, and its proof.
 *
 * **Details**
 *
 * `run` succeeds when the adapter keeps the law, and fails with a `Violation`, or with what the adapter failed with. It
 * works in a repository of its own, which nothing else has ever used: cases run in any order and at the same time, on
 * a store that holds other things, and leave their repository behind.
 */
export interface Case<R = Stores.Stores> {
  readonly name: string
  readonly port: Port
  readonly run: Effect.Effect<void, unknown, R>
}

/** The case with these steps, which get a repository of their own. */
export const make = (
  port: Port,
  name: string,
  steps: (ref: Repository.RepositoryRef) => Effect.fn.Return<void, unknown, Stores.Stores>
): Case => law(port, name, Effect.fnUntraced(steps))

/** The case that a law holds in a repository of its own. */
export const law = (
  port: Port,
  name: string,
  holds: (ref: Repository.RepositoryRef) => Effect.Effect<void, unknown, Stores.Stores>
): Case => ({ name, port, run: Effect.flatMap(repository, holds) })

/**
 * A new repository name.
 *
 * **Details**
 *
 * It comes from the system's own randomness, and not from the `Random` service, which a test may have seeded: on a
 * store that outlives the run the same name must not come again. It mixes cases, so that an adapter that folds them too
 * eagerly is found out.
 */
export const repository: Effect.Effect<Repository.RepositoryRef> = Effect.sync(() => ({
  owner: `Case-${crypto.randomUUID().slice(0, 8)}`,
  repository: `Law_${crypto.randomUUID()}`
}))
