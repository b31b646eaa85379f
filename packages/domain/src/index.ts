/**
 * The pure core of Lazaret: facts in, verdicts out.
 *
 * @since 0.1.0
 */
export * as Confidence from "./Confidence.ts"
export * as Execution from "./Execution.ts"
export * as HealthStatus from "./HealthStatus.ts"
export * as Impact from "./Impact.ts"
export * as Instant from "./Instant.ts"
export * as PullRef from "./PullRef.ts"
export * as Report from "./Report.ts"
export * as TestId from "./TestId.ts"
export * as TestIdentity from "./TestIdentity.ts"
export * as Text from "./Text.ts"
