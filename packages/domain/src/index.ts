/**
 * The pure core of Lazaret: facts in, verdicts out.
 *
 * @since 0.1.0
 */
export * as ApplicationKey from "./ApplicationKey.ts"
export * as AutoQuarantine from "./AutoQuarantine.ts"
export * as Confidence from "./Confidence.ts"
export * as Execution from "./Execution.ts"
export * as Explanation from "./Explanation.ts"
export * as Failure from "./Failure.ts"
export * as Flakiness from "./Flakiness.ts"
export * as Health from "./Health.ts"
export * as HealthPolicy from "./HealthPolicy.ts"
export * as HealthSeries from "./HealthSeries.ts"
export * as HealthStatus from "./HealthStatus.ts"
export * as HealthTransition from "./HealthTransition.ts"
export * as Impact from "./Impact.ts"
export * as Instant from "./Instant.ts"
export * as Outage from "./Outage.ts"
export * as PullRef from "./PullRef.ts"
export * as Quarantine from "./Quarantine.ts"
export * as Report from "./Report.ts"
export * as Repository from "./Repository.ts"
export * as Rollup from "./Rollup.ts"
export * as Statistic from "./Statistic.ts"
export * as TestId from "./TestId.ts"
export * as TestIdentity from "./TestIdentity.ts"
export * as Text from "./Text.ts"
