/** The specification of an adapter of a hosting platform, as cases to run against it. */
export * from "./Case.ts"
export * as Conformance from "./Conformance.ts"
export * as Doom from "./Doom.ts"
export * as IssueConformance from "./IssueCases.ts"
export { IssuePlatform } from "./IssueCases.ts"
export { type Conclusion, type Opened, type Protection, type QueueCase, QueuePlatform } from "./QueueCase.ts"
export * as QueueConformance from "./QueueCases.ts"
