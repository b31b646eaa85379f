/** Generators of facts for property tests: of this package, of stores, and of policies of your own. */
export * from "./causes.ts"
export * from "./changes.ts"
export * from "./failures.ts"
export * from "./histories.ts"
export * from "./lists.ts"
export * from "./reports.ts"
export * from "./verdicts.ts"
