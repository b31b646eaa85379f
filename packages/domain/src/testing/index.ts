/**
 * Generators of facts for property tests: of this package, of stores, and of policies of your own.
 *
 * @since 0.1.0
 */
export * from "./histories.ts"
export * from "./lists.ts"
export * from "./queues.ts"
export * from "./reports.ts"
