/**
 * The use cases of Lazaret as Effect services over the storage ports.
 *
 * @since 0.1.0
 */
export * from "./Access.ts"
export * from "./ApplicationKeys.ts"
export * from "./Badges.ts"
export * from "./Automation.ts"
export * from "./Events.ts"
export * from "./FlakyDetection.ts"
export * from "./HostingPlatform.ts"
export * from "./Ingestion.ts"
export * from "./Keys.ts"
export * as Listing from "./Listing.ts"
export * from "./PullRequests.ts"
export * from "./Quarantines.ts"
export * from "./Queues.ts"
export * from "./Repositories.ts"
export * from "./Retention.ts"
export * from "./ServiceError.ts"
export * as Services from "./Services.ts"
export { SignInCodes } from "./SignInCodes.ts"
export * from "./Tests.ts"
export * from "./Upkeep.ts"
export * from "./Webhooks.ts"
export { StoreError } from "@lazaret/store"
export type { FailureDetail } from "@lazaret/store"
