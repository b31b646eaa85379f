/** The second part of a comparison: the writes to the tracker, each stored before the next one. */
import { Event, IssueDecision, TestIssue } from "@lazaret/domain"
import type { IssueStore, LeasedRepository, StoreError } from "@lazaret/store"
import { Effect } from "effect"
import { ForgeError } from "../ports/Forge.ts"
import type { IssueTracker } from "../ports/IssueTracker.ts"
import * as IssueFacts from "./IssueFacts.ts"
import * as IssueText from "./IssueText.ts"

/** The ports of a comparison, and its question. */
export interface Desk {
  readonly tracker: IssueTracker["Service"]
  readonly store: IssueStore["Service"]
  readonly leased: LeasedRepository
  readonly sources: IssueFacts.Sources
  readonly setting: IssueText.Setting
  readonly question: IssueFacts.Question
}

type Done<A> = Effect.Effect<A, ForgeError | StoreError>

/** Stores a record and yields it. Another process that has taken the lease ends the comparison. */
export const keep = (
  { leased, store }: Desk,
  record: TestIssue.TestIssue,
  events: ReadonlyArray<Event.Event>
): Done<TestIssue.TestIssue> =>
  Effect.flatMap(store.keep(leased, record, events), (isKept) => (isKept ? Effect.succeed(record) : taken(leased)))

const taken = ({ ref: { owner, repository } }: LeasedRepository) =>
  Effect.fail(
    new ForgeError({
      operation: "lease",
      owner,
      repository,
      reason: "unavailable",
      retryAt: null,
      message: "another server has taken the comparison over"
    })
  )

/** Carries the actions out, in their order; yields the first one that the tracker refused, or null. */
export const carryOut = Effect.fnUntraced(function* (
  desk: Desk,
  actions: ReadonlyArray<IssueDecision.Action>,
  known: ReadonlyMap<string, IssueFacts.Subject>
) {
  const wanted = actions.flatMap((action) => {
    const subject = known.get(action.subject.testId)
    if (subject === undefined || subject.isDeleted) return []
    return [{ subject, group: action._tag === "Close" ? [] : action.group }]
  })
  const shown = new Map(
    (yield* IssueFacts.shown(desk.sources, desk.question, wanted)).map((each) => [each.testId, each])
  )
  return yield* writeEach(actions, (action) => {
    const { isDeleted, record } = action.subject
    const facts = shown.get(action.subject.testId)
    if (isDeleted && record !== null) return forget(desk, record)
    if (facts === undefined) return Effect.void
    if (action._tag === "Open") return open(desk, facts)
    if (record === null) return Effect.void
    return action._tag === "Close" ? close(desk, { record, facts, why: action.why }) : reopen(desk, record, facts)
  })
})

/** Makes the writes in their order. Those that the tracker refuses as invalid are passed over; yields the first refusal, or null. */
const writeEach = Effect.fnUntraced(function* <A>(all: ReadonlyArray<A>, write: (one: A) => Done<unknown>) {
  let first: ForgeError | null = null
  for (const one of all) {
    const refused: ForgeError | null = yield* write(one).pipe(
      Effect.as(null),
      Effect.catchTag("ForgeError", (error) => (error.status === refusal ? Effect.succeed(error) : error))
    )
    first ??= refused
  }
  return first
})

const refusal = 422

/**
 * Writes the open issues again that say something else than holds. A title that a person has changed stays. Yields the first refusal,
 * or null.
 */
export const bringUpToDate = Effect.fnUntraced(function* (
  desk: Desk,
  subjects: ReadonlyArray<IssueFacts.Subject>,
  { actions, rules }: { readonly actions: ReadonlyArray<IssueDecision.Action>; readonly rules: IssueDecision.Rules }
) {
  const { now, ref } = desk.question
  const acted = new Set(actions.map(({ subject: { testId } }) => testId))
  const groups = IssueDecision.groupsOf(subjects, now, rules)
  const open = subjects.filter(
    ({ isDeleted, record, testId }) => record !== null && TestIssue.isOpen(record) && !isDeleted && !acted.has(testId)
  )
  const shown = yield* IssueFacts.shown(
    desk.sources,
    desk.question,
    open.map((subject) => ({ subject, group: IssueDecision.companionsOf(groups, subject, rules.policy) }))
  )
  const records = new Map(open.map(({ record, testId }) => [testId, record]))
  return yield* writeEach(shown, (facts) => {
    const record = records.get(facts.testId) ?? null
    if (record === null || !TestIssue.isOutdated(record, facts, now, rules.policy)) return Effect.void
    const { body } = IssueText.of(facts, desk.setting)
    return Effect.flatMap(desk.tracker.edit(ref, record.issue, { body }), (exists) =>
      // If the issue was deleted meanwhile, the next comparison notices it.
      exists ? Effect.asVoid(keep(desk, { ...record, ...shownNow(desk, facts) }, [])) : Effect.void
    )
  })
})

const shownNow = ({ question: { now } }: Desk, facts: IssueText.ShownTest) => ({
  testName: facts.testName,
  ...TestIssue.keysOf(facts),
  writtenAt: now
})

const open = Effect.fnUntraced(function* (desk: Desk, facts: IssueText.ShownTest) {
  const { now, ref, settings } = desk.question
  const { id, url } = yield* desk.tracker.create(ref, {
    ...IssueText.of(facts, desk.setting),
    labels: settings.issueLabels,
    assignees: IssueText.assigneesAmong(facts.owners)
  })
  const record: TestIssue.TestIssue = {
    testId: facts.testId,
    issue: id,
    url,
    openedAt: now,
    closedAt: null,
    closedBy: null,
    ...shownNow(desk, facts)
  }
  yield* keep(desk, record, [changed(desk, record, "issue.opened", `the test is ${facts.status}`)])
})

const reopen = Effect.fnUntraced(function* (desk: Desk, held: TestIssue.TestIssue, facts: IssueText.ShownTest) {
  const { now, ref } = desk.question
  const { body } = IssueText.of(facts, desk.setting)
  if (!(yield* desk.tracker.edit(ref, held.issue, { body, state: "open" }))) return yield* lost(desk, held)
  const record = { ...held, openedAt: now, closedAt: null, closedBy: null, ...shownNow(desk, facts) }
  const why = held.closedBy === "person" ? "the test failed on a newer commit" : `the test is ${facts.status} again`
  return yield* keep(desk, record, [changed(desk, record, "issue.reopened", why)])
})

interface Ending {
  readonly record: TestIssue.TestIssue
  readonly facts: IssueText.ShownTest
  readonly why: IssueDecision.Closing
}

const close = Effect.fnUntraced(function* (desk: Desk, { facts, record: held, why }: Ending) {
  const { now, ref } = desk.question
  const reason = why === "not_run" || why === "deleted" ? "not_planned" : "completed"
  const { body } = IssueText.of(facts, desk.setting)
  if (!(yield* desk.tracker.edit(ref, held.issue, { body, state: "closed", reason }))) return yield* lost(desk, held)
  const record = { ...held, closedAt: now, closedBy: "lazaret", ...shownNow(desk, facts) } as const
  return yield* keep(desk, record, [changed(desk, record, "issue.closed", clauses[why])])
})

const clauses: { readonly [W in IssueDecision.Closing]: string } = {
  healthy: "the test is healthy",
  not_run: "the test has not run for 30 days",
  cause_closed: "the cause of its failures was closed",
  deleted: "the test was deleted"
}

/** Closes the issue of a deleted test without its name and messages, then removes the record. */
const forget = Effect.fnUntraced(function* (desk: Desk, { issue, testId }: TestIssue.TestIssue) {
  yield* desk.tracker.edit(desk.question.ref, issue, { ...IssueText.deleted, state: "closed", reason: "not_planned" })
  if (!(yield* desk.store.drop(desk.leased, testId))) return yield* taken(desk.leased)
})

/** The record of an issue that was deleted in the tracker before it could be written. */
const lost = (desk: Desk, held: TestIssue.TestIssue) => {
  const record = { ...held, closedAt: desk.question.now, closedBy: "deleted" } as const
  return keep(desk, record, [changed(desk, record, "issue.closed", "it was deleted in the tracker")])
}

const changed = (
  { question: { now } }: Desk,
  record: TestIssue.TestIssue,
  type: Event.IssueChange["type"],
  why: string
): Event.Event => Event.issueChanged(record, { type, actor: Event.auto, why }, now)
