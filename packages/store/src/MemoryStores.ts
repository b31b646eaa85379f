/**
 * Every storage port in memory: the reference that other adapters are compared with, and enough for embedding with up
 * to some hundred thousand executions. It forgets everything when the process ends.
 */
import { Context, Effect, Layer } from "effect"
import { EventStore } from "./EventStore.ts"
import { ExecutionStore } from "./ExecutionStore.ts"
import { FailureStore } from "./FailureStore.ts"
import { KeyStore } from "./KeyStore.ts"
import * as MemoryEventStore from "./memory/MemoryEventStore.ts"
import * as MemoryExecutionStore from "./memory/MemoryExecutionStore.ts"
import * as MemoryFailureStore from "./memory/MemoryFailureStore.ts"
import * as MemoryKeyStore from "./memory/MemoryKeyStore.ts"
import * as MemoryQuarantineStore from "./memory/MemoryQuarantineStore.ts"
import * as MemoryQueueStore from "./memory/MemoryQueueStore.ts"
import * as MemoryRepositoryStore from "./memory/MemoryRepositoryStore.ts"
import * as MemoryRetentionStore from "./memory/MemoryRetentionStore.ts"
import * as MemoryState from "./memory/MemoryState.ts"
import * as MemorySubscriptionStore from "./memory/MemorySubscriptionStore.ts"
import * as MemoryTestStore from "./memory/MemoryTestStore.ts"
import * as MemoryUpkeepStore from "./memory/MemoryUpkeepStore.ts"
import { QuarantineStore } from "./QuarantineStore.ts"
import { QueueStore } from "./QueueStore.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
import { RetentionStore } from "./RetentionStore.ts"
import { SubscriptionStore } from "./SubscriptionStore.ts"
import { TestStore } from "./TestStore.ts"
import { UpkeepStore } from "./UpkeepStore.ts"

/** All storage ports. */
export type Stores =
  | RepositoryStore
  | ExecutionStore
  | TestStore
  | FailureStore
  | QuarantineStore
  | QueueStore
  | EventStore
  | SubscriptionStore
  | KeyStore
  | UpkeepStore
  | RetentionStore

/** All storage ports over one new, empty memory. */
export const layer: Layer.Layer<Stores> = Layer.effectContext(
  Effect.sync(() => {
    const state = MemoryState.make()
    return Context.make(RepositoryStore, MemoryRepositoryStore.make(state)).pipe(
      Context.add(ExecutionStore, MemoryExecutionStore.make(state)),
      Context.add(TestStore, MemoryTestStore.make(state)),
      Context.add(FailureStore, MemoryFailureStore.make(state)),
      Context.add(QuarantineStore, MemoryQuarantineStore.make(state)),
      Context.add(QueueStore, MemoryQueueStore.make(state)),
      Context.add(EventStore, MemoryEventStore.make(state)),
      Context.add(SubscriptionStore, MemorySubscriptionStore.make(state)),
      Context.add(KeyStore, MemoryKeyStore.make(state)),
      Context.add(UpkeepStore, MemoryUpkeepStore.make(state)),
      Context.add(RetentionStore, MemoryRetentionStore.make(state))
    )
  })
)
