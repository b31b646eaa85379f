/**
 * The storage ports of Lazaret on PostgreSQL: a server of its own in a data folder, or any other by its URL.
 *
 * @since 0.1.0
 */
export * from "./DatabaseError.ts"
export * from "./EmbeddedPostgres.ts"
export * from "./EmbeddedPostgresError.ts"
export * as Migrations from "./Migrations.ts"
export * as Parameter from "./Parameter.ts"
export * from "./PostgresClient.ts"
export * as PostgresExecutionStore from "./PostgresExecutionStore.ts"
export * as PostgresEventStore from "./PostgresEventStore.ts"
export * as PostgresFailureStore from "./PostgresFailureStore.ts"
export * as PostgresKeyStore from "./PostgresKeyStore.ts"
export * as PostgresQuarantineStore from "./PostgresQuarantineStore.ts"
export * as PostgresQueueStore from "./PostgresQueueStore.ts"
export * as PostgresRefold from "./PostgresRefold.ts"
export * as PostgresRepositoryStore from "./PostgresRepositoryStore.ts"
export * as PostgresRetentionStore from "./PostgresRetentionStore.ts"
export * as PostgresStores from "./PostgresStores.ts"
export * as PostgresSubscriptionStore from "./PostgresSubscriptionStore.ts"
export * as PostgresTestStore from "./PostgresTestStore.ts"
export * as PostgresUpkeepStore from "./PostgresUpkeepStore.ts"
export * from "./Refold.ts"
export * from "./RepositoryDirectory.ts"
export * as Verification from "./Verification.ts"
