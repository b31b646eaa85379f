/** Several servers of Lazaret on one database: each has its own connections and remembers its own. */
import {
  PostgresClient,
  PostgresExecutionStore,
  PostgresFailureStore,
  PostgresEventStore,
  PostgresSubscriptionStore,
  PostgresKeyStore,
  PostgresQuarantineStore,
  PostgresQueueStore,
  PostgresRefold,
  PostgresRepositoryStore,
  PostgresRetentionStore,
  PostgresTestStore,
  PostgresUpkeepStore,
  RepositoryDirectory
} from "@lazaret/store-postgres"
import { Layer, Redacted } from "effect"

/** All ports of one server; a block has a base after so many chunks. */
export const layer = (url: string, chunksPerBase: number) =>
  Layer.mergeAll(
    PostgresExecutionStore.layerWith({ chunksPerBase }),
    PostgresFailureStore.layer,
    PostgresEventStore.layer,
    PostgresSubscriptionStore.layer,
    PostgresKeyStore.layer,
    PostgresQuarantineStore.layer,
    PostgresQueueStore.layer,
    PostgresRepositoryStore.layer,
    PostgresTestStore.layer,
    PostgresUpkeepStore.layer,
    PostgresRetentionStore.layer
  ).pipe(
    Layer.provide(PostgresRefold.layer),
    Layer.provideMerge(RepositoryDirectory.layer),
    Layer.provideMerge(PostgresClient.layer(Redacted.make(url)))
  )
