/**
 * The use cases of Lazaret as Effect services over the storage ports.
 *
 * @since 0.1.0
 */
export * as Listing from "./Listing.ts"
export * from "./PullRequests.ts"
export * from "./ServiceError.ts"
export * from "./Tests.ts"
