/**
 * The storage ports of Lazaret and the in-memory layer that is their reference.
 *
 * @since 0.1.0
 */
export * from "./EventStore.ts"
export * from "./ExecutionStore.ts"
export * from "./FailureStore.ts"
export * from "./KeyStore.ts"
export * as MemoryStores from "./MemoryStores.ts"
export * from "./QuarantineStore.ts"
export * from "./QueueStore.ts"
export * from "./RepositoryStore.ts"
export * from "./RetentionStore.ts"
export * from "./StoreError.ts"
export * from "./SubscriptionStore.ts"
export * from "./TestStore.ts"
export * from "./UpkeepStore.ts"
