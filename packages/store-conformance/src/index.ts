/**
 * The specification of a Lazaret storage adapter, as cases that are data: run them against your layer.
 *
 * @since 0.1.0
 */
export * as Answer from "./Answer.ts"
export * as Ask from "./Ask.ts"
export * as Case from "./Case.ts"
export * as Command from "./Command.ts"
export * as Conformance from "./Conformance.ts"
export * as Differential from "./Differential.ts"
export * as JobRun from "./JobRun.ts"
export * as Law from "./Law.ts"
export * as Plain from "./Plain.ts"
export * as Policy from "./Policy.ts"
export * as QueueDraw from "./QueueDraw.ts"
export * as Sample from "./Sample.ts"
export * as Upload from "./Upload.ts"
export * from "./Violation.ts"
export * as Walk from "./Walk.ts"
