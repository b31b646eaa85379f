/** The first part of a comparison: what people, and requests without an answer, have changed in the tracker. */
import { Event, TestIssue } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { TrackedIssue } from "../ports/IssueTracker.ts"
import * as IssueFacts from "./IssueFacts.ts"
import * as IssueText from "./IssueText.ts"
import { type Desk, keep } from "./IssueWork.ts"

/**
 * The records as the tracker has them, stored.
 *
 * **Details**
 *
 * - An issue that was closed, deleted or reopened in the tracker is so in its record, with an event.
 * - An issue of a known test without a record is taken over: its creation had no answer, or the record was lost. So is an open
 *   issue of a test whose recorded one is closed.
 * - A second open issue of a test is closed.
 * - The record of a deleted test stays as it is: its issue is closed whatever people have done.
 */
export const follow = Effect.fnUntraced(function* (desk: Desk, known: ReadonlyArray<TestIssue.TestIssue>) {
  const { issues, isWhole } = yield* desk.tracker.list(desk.setting.ref, IssueText.marker)
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const records = yield* Effect.forEach(known, (record) =>
    followed(desk, record, byId.get(record.issue) ?? (isWhole ? "missing" : "unknown"))
  )
  const held = new Map(records.map((record) => [record.testId, record]))
  for (const issue of issues) {
    const testId = IssueText.testIdIn(issue.body)
    if (testId === null) continue
    const record = held.get(testId)
    if (record === undefined || (record.issue !== issue.id && issue.isOpen && !TestIssue.isOpen(record))) {
      const taken = yield* takeOver(desk, testId, issue)
      if (taken !== null) held.set(testId, taken)
    } else if (record.issue !== issue.id && issue.isOpen) {
      yield* desk.tracker.edit(desk.setting.ref, issue.id, {
        body: IssueText.duplicateOf(record.issue),
        state: "closed",
        reason: "not_planned"
      })
    }
  }
  return [...held.values()]
})

const followed = Effect.fnUntraced(function* (
  desk: Desk,
  record: TestIssue.TestIssue,
  listed: TrackedIssue | "missing" | "unknown"
) {
  // The issue of a deleted test is closed in any case, and no event may name the test.
  if (record.testName === "") return record
  const isOpen = TestIssue.isOpen(record)
  if (listed === "unknown" || (listed === "missing" && !isOpen)) return record
  if (listed !== "missing" && listed.isOpen === isOpen) return record
  // The list may be behind, and does not say who closed an issue.
  const now = yield* desk.tracker.get(desk.setting.ref, record.issue)
  if (Option.isNone(now)) return isOpen ? yield* ended(desk, record, null) : record
  if (now.value.isOpen === isOpen) return record
  return now.value.isOpen ? yield* reopened(desk, record) : yield* ended(desk, record, now.value)
})

/** The record of an issue that is closed, or (null) does not exist any more. */
const ended = Effect.fnUntraced(function* (desk: Desk, record: TestIssue.TestIssue, issue: TrackedIssue | null) {
  const { now } = desk.question
  const closedBy = issue === null ? "deleted" : issue.closedBy?.isOurs === true ? "lazaret" : "person"
  const closed = { ...record, closedAt: issue?.closedAt ?? now, closedBy } as const
  const name = closedBy === "person" ? (issue?.closedBy?.name ?? null) : null
  const why =
    closedBy === "deleted" ? "it was deleted in the tracker" : name === null ? "it is closed" : "a person did so"
  return yield* keep(desk, closed, [
    Event.issueChanged(
      closed,
      { type: "issue.closed", actor: name === null ? Event.auto : `GitHub user ${name}`, why },
      now
    )
  ])
})

const reopened = (desk: Desk, record: TestIssue.TestIssue) => {
  const { now } = desk.question
  const open = { ...record, openedAt: now, closedAt: null, closedBy: null }
  return keep(desk, open, [
    Event.issueChanged(open, { type: "issue.reopened", actor: Event.auto, why: "it is open in the tracker" }, now)
  ])
}

/** The record of an issue that has none; null when its test is not known. */
const takeOver = Effect.fnUntraced(function* (
  desk: Desk,
  testId: TestIssue.TestIssue["testId"],
  { closedAt, id, isOpen, url }: TrackedIssue
) {
  const { now, ref } = desk.question
  const testName = yield* IssueFacts.nameOf(desk.sources, desk.question, testId)
  if (Option.isNone(testName)) return null
  const found = isOpen ? Option.none() : yield* desk.tracker.get(ref, id)
  const isOurs = Option.isSome(found) && found.value.closedBy?.isOurs === true
  const record: TestIssue.TestIssue = {
    testId,
    testName: testName.value,
    issue: id,
    url,
    openedAt: now,
    closedAt: isOpen ? null : (closedAt ?? now),
    closedBy: isOpen ? null : isOurs ? "lazaret" : "person",
    // The current text of the issue is unknown, so write it again.
    urgent: "",
    detail: "",
    writtenAt: 0
  }
  const events = isOpen
    ? [Event.issueChanged(record, { type: "issue.opened", actor: Event.auto, why: "it is open in the tracker" }, now)]
    : []
  return yield* keep(desk, record, events)
})
