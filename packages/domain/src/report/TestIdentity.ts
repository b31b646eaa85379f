/** Test identities: one test in one job of one pipeline (interface 1). */
import { Schema } from "effect"
import type * as Order from "effect/Order"
import * as Text from "../text/Text.ts"

/** The longest accepted test, pipeline or job name, in characters (interface 8). */
export const maximumNameLength = 10_000

/** Schema of a name: storable text of 1 to 10,000 characters (interface 8). */
export const Name = Text.between(1, maximumNameLength)

/**
 * The test name of a failure outside of all tests and files: a crashed test host, an error of the run itself.
 *
 * **Details**
 *
 * Tests may be missing from such a run, so neither a quarantine nor a verdict lets it pass a gate.
 */
export const testRun = "test run"

/** Schema of a test identity. */
export const TestIdentity = Schema.Struct({
  testName: Name,
  pipelineName: Name,
  jobName: Name
})

/** A combination of test name, pipeline (workflow) name and job name: what health is computed for (interface 1). */
export interface TestIdentity {
  readonly testName: string
  readonly pipelineName: string
  readonly jobName: string
}

/**
 * A text that is equal for equal identities only.
 *
 * Names hold no NUL, so that it can separate them.
 *
 * @example
 * ```ts
 * import { TestIdentity } from "@lazaret/domain"
 *
 * TestIdentity.key({ testName: "a", pipelineName: "CI", jobName: "unit" }) // => "a\u0000CI\u0000unit"
 * ```
 */
export const key = (identity: TestIdentity): string =>
  `${identity.testName}\0${identity.pipelineName}\0${identity.jobName}`

/** The order of identities: test name, then pipeline, then job, each by code points. */
export const IdentityOrder: Order.Order<TestIdentity> = (a, b) =>
  Text.compare(a.testName, b.testName) ||
  Text.compare(a.pipelineName, b.pipelineName) ||
  Text.compare(a.jobName, b.jobName)
