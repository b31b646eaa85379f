/** The issue of a test in an issue tracker: which tests get one, what is kept of it, and what it says. */
import { Schema } from "effect"
import type * as Failure from "../failure/Failure.ts"
import type { HealthStatus } from "../health/HealthStatus.ts"
import type { Impact } from "../health/Impact.ts"
import type { CauseOfTest } from "../insight/CauseOfTest.ts"
import * as Instant from "../time/Instant.ts"
import * as TestId from "../report/TestId.ts"
import * as Text from "../text/Text.ts"
import type { IssuePolicy } from "./IssuePolicy.ts"

/** Schema of the tests that get an issue. */
export const Wanted = Schema.Literals(["off", "flaky", "broken", "flaky_and_broken"])

/** The tests that get an issue. */
export type Wanted = typeof Wanted.Type

/** Whether a test with this health gets an issue. */
export const isWanted = (wanted: Wanted, status: HealthStatus | null): boolean =>
  status === "flaky"
    ? wanted === "flaky" || wanted === "flaky_and_broken"
    : status === "broken" && (wanted === "broken" || wanted === "flaky_and_broken")

/**
 * Schema of a label of an issue: 1 to 50 characters. GitHub separates labels by commas in places, and refuses an issue with a
 * label that begins or ends with a space.
 */
export const Label = Text.between(1, 50).check(
  Schema.isPattern(/^[^,\s\p{Cc}](?:[^,\p{Cc}]*[^,\s\p{Cc}])?$/u, {
    expected: "a label without commas, control characters and spaces around it"
  })
)

/** Schema of the party that closed an issue: this service, a person, or nobody: the issue does not exist any more. */
export const Closer = Schema.Literals(["lazaret", "person", "deleted"])

/** The party that closed an issue. */
export type Closer = typeof Closer.Type

/**
 * The record of the issue of a test.
 *
 * **Details**
 *
 * - `testName`: empty once the test was deleted; the record stays until its issue is closed.
 * - `issue`: the name of the issue in its tracker, such as `12`.
 * - `openedAt`: when this service opened it last, reopening included.
 * - `closedAt`, `closedBy`: null while it is open.
 * - `urgent`, `detail`: equal texts for equal contents (`keysOf`); `writtenAt`: when they were written to the tracker.
 */
export const TestIssue = Schema.Struct({
  testId: TestId.TestId,
  testName: Schema.String,
  issue: Schema.String,
  url: Schema.String,
  openedAt: Schema.Int,
  closedAt: Schema.NullOr(Schema.Int),
  closedBy: Schema.NullOr(Closer),
  urgent: Schema.String,
  detail: Schema.String,
  writtenAt: Schema.Int
})

/** The record of the issue of a test. */
export type TestIssue = typeof TestIssue.Type

/** Whether the issue is open, as far as is known. */
export const isOpen = ({ closedBy }: Pick<TestIssue, "closedBy">): boolean => closedBy === null

/**
 * The facts that an issue tells, besides the name of its test.
 *
 * **Details**
 *
 * - `status`: null for a test that has not run for 30 days.
 * - `quarantine`: the reason of its quarantine, null without one.
 * - `owners`: the names under which the test is found by owner (`Ownership.namesOf`).
 * - `failureId`: the group of its last failure.
 * - `group`: the names of other tests that began to fail with the same commit, or have the same `cause`, and have no issue of their own.
 */
export interface Content {
  readonly status: HealthStatus | null
  readonly quarantine: string | null
  readonly owners: ReadonlyArray<string>
  readonly impact: Impact | null
  readonly failureId: Failure.FailureId | null
  readonly group: ReadonlyArray<string>
  readonly cause: Pick<CauseOfTest, "name"> | null
}

/** The content of an issue, as texts to compare: the part that is written at once, and the part that may wait. */
export const keysOf = (content: Content): Pick<TestIssue, "urgent" | "detail"> => ({
  urgent: JSON.stringify([content.status, content.quarantine, content.owners]),
  detail: JSON.stringify([
    content.impact,
    content.failureId,
    content.group.length,
    ...(content.cause === null ? [] : [content.cause.name])
  ])
})

/**
 * Whether an open issue is to be written again.
 *
 * **Details**
 *
 * At once for another status, quarantine or owner. For another impact, failure or number of tests with the same cause, when the
 * last update is `updateHours` old: two failures that take turns must not be an update per run.
 */
export const isOutdated = (
  record: TestIssue,
  content: Content,
  now: Instant.Instant,
  { updateHours }: Pick<IssuePolicy, "updateHours">
): boolean => {
  const { detail, urgent } = keysOf(content)
  return record.urgent !== urgent || (record.detail !== detail && now - record.writtenAt >= updateHours * Instant.hour)
}
