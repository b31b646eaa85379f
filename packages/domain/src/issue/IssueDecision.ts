/**
 * The decision which issues are opened, closed and reopened: a pure function of the health of tests and the records of their
 * issues. See `docs/how-to/issues.md`.
 */
import type * as Health from "../health/Health.ts"
import * as HealthState from "../health/HealthState.ts"
import * as HealthStatus from "../health/HealthStatus.ts"
import type { CauseOfTest } from "../insight/CauseOfTest.ts"
import * as Instant from "../time/Instant.ts"
import type { IdentityHealth } from "../quarantine/Quarantine.ts"
import type { TestId } from "../report/TestId.ts"
import * as Text from "../text/Text.ts"
import type { IssuePolicy } from "./IssuePolicy.ts"
import * as TestIssue from "./TestIssue.ts"

/**
 * The health of a test, over its identities that ran in the last 30 days.
 *
 * **Details**
 *
 * - `status`: the worst of them; null without any.
 * - `since`: when the verdict began: for an unhealthy test the first failure since it was healthy, for a healthy one its recovery.
 * - `commit`: the commit of that first failure; null for a healthy test, and where only other branches made it unhealthy.
 * - `failedCommits`: the commits with a failure among the last 16 of its identities.
 * - `lastAt`: the last execution that passed or failed.
 */
export interface Fact {
  readonly status: HealthStatus.HealthStatus | null
  readonly since: Instant.Instant
  readonly commit: string | null
  readonly failedCommits: number
  readonly lastAt: Instant.Instant
}

/** The fact about a test from the health of its identities. */
export const factOf = (identities: ReadonlyArray<IdentityHealth>): Fact => {
  const active = identities.filter((identity) => identity.active)
  const states = active.map(({ state }) => state)
  const status = states.length === 0 ? null : states.map((state) => state.status).reduce(HealthStatus.worst)
  const unhealthy = states.filter((state) => state.status !== "healthy")
  const first = unhealthy
    .map(beginningOf)
    .toSorted((a, b) => a.at - b.at || Text.compare(a.commit ?? "", b.commit ?? ""))[0]
  return {
    status,
    since: first?.at ?? latest(states.map(({ trigger }) => trigger?.at ?? 0)),
    commit: first?.commit ?? null,
    failedCommits: new Set(unhealthy.flatMap(failedCommits)).size,
    lastAt: latest(active.map(({ lastAt }) => lastAt ?? 0))
  }
}

const beginningOf = ({
  trigger,
  onset
}: Health.State): { readonly at: Instant.Instant; readonly commit: string | null } =>
  onset ?? { at: trigger?.at ?? 0, commit: null }

const failedCommits = ({ commits, outcomes }: Health.State): ReadonlyArray<string> =>
  commits.filter((_, index) => ((outcomes[index] ?? 0) & HealthState.failedBit) !== 0)

const latest = (instants: ReadonlyArray<Instant.Instant>): Instant.Instant => Math.max(0, ...instants)

/**
 * A test to decide on.
 *
 * **Details**
 *
 * - `isDeleted`: whether the test was deleted from the store.
 * - `failureRatio`: of the last 30 days, for the order of unhealthy tests.
 * - `failsOnNewer`: whether it failed on a commit that is newer than the closing of its issue.
 * - `cause`: the cause that it shares with other tests, or has alone; null without one, and where issues do not follow causes.
 */
export interface Subject {
  readonly testId: TestId
  readonly testName: string
  readonly fact: Fact
  readonly failureRatio: number
  readonly isDeleted: boolean
  readonly record: TestIssue.TestIssue | null
  readonly failsOnNewer: boolean
  readonly cause: CauseOfTest | null
}

/** Why an issue is closed. */
export type Closing = "healthy" | "not_run" | "deleted" | "cause_closed"

/** A change of an issue. `group` names the other tests of its {@link Group} without an issue of their own. */
export type Action =
  | { readonly _tag: "Open" | "Reopen"; readonly subject: Subject; readonly group: ReadonlyArray<Subject> }
  | { readonly _tag: "Close"; readonly subject: Subject; readonly why: Closing }

/** The settings that decide. */
export interface Rules {
  readonly wanted: TestIssue.Wanted
  readonly policy: IssuePolicy
}

/**
 * The changes that are due now: closings first, then issues to open and to reopen, the worst test first.
 *
 * **Details**
 *
 * - A test gets an issue when its health is one of the wanted ones and it {@link isDue}. It has one issue for ever: a closed one is
 *   reopened. One that was deleted is opened again under the condition of one that a person closed.
 * - An issue that a person closed is reopened only when its test fails on a commit newer than the closing.
 * - An issue is closed when its test {@link isRecovered}, has not run for 30 days, or was deleted. Without wanted tests only
 *   the issues of deleted tests are closed. The closing of a deleted test's issue ends its record, so that it is due even where
 *   the issue is closed already.
 * - Openings and reopenings of the last 24 hours count against `mostPerDay`.
 * - Of due tests with one cause only the worst gets an issue, when none of them has an open one; so it is of more than `groupSize`
 *   due tests with one first failing commit. The issue stays open while another test of the cause is due and has no open one.
 * - Tests of a cause that is silenced or closed, or has a ticket, get no issue. The closing of a cause closes their issues.
 */
export const decide = (subjects: ReadonlyArray<Subject>, now: Instant.Instant, rules: Rules): ReadonlyArray<Action> => {
  const groups = groupsOf(subjects, now, rules)
  const stands = standing(groups)
  const closings = subjects.flatMap((subject): ReadonlyArray<Action> => {
    const why = closing(subject, stands, rules)
    return why === null ? [] : [{ _tag: "Close", subject, why }]
  })
  return [...closings, ...openings(subjects, groups, { now, policy: rules.policy })]
}

/**
 * Whether an unhealthy test has been so long enough, or with proof.
 *
 * **Details**
 *
 * A flaky test with failures on `provenCommits` commits is proven. Else the test is unhealthy for `openHours`; a broken one has
 * failed on `brokenCommits` commits.
 */
export const isDue = (fact: Fact, now: Instant.Instant, policy: IssuePolicy): boolean => {
  if (fact.status === null || fact.status === "healthy") return false
  if (fact.status === "flaky" && fact.failedCommits >= policy.provenCommits) return true
  if (fact.status === "broken" && fact.failedCommits < policy.brokenCommits) return false
  return now - fact.since >= policy.openHours * Instant.hour
}

/**
 * Whether a test is healthy by its verdict, and has run `closeHours` after its recovery and after its issue was opened: an issue
 * that a person reopens is not closed at once.
 */
export const isRecovered = (
  fact: Fact,
  { openedAt }: Pick<TestIssue.TestIssue, "openedAt">,
  { closeHours }: Pick<IssuePolicy, "closeHours">
): boolean => fact.status === "healthy" && fact.lastAt - Math.max(fact.since, openedAt) >= closeHours * Instant.hour

/** Due tests that may get one issue, the worst first: those of one cause, or those with one first failing commit (`cause` is null). */
export interface Group {
  readonly cause: CauseOfTest | null
  readonly members: ReadonlyArray<Subject>
}

/**
 * The groups of due tests.
 *
 * **Details**
 *
 * Two due tests or more with one cause are a group. The others are grouped by their first failing commit; where only other branches made
 * a test unhealthy, it is alone.
 */
export const groupsOf = (
  subjects: ReadonlyArray<Subject>,
  now: Instant.Instant,
  { policy, wanted }: Rules
): ReadonlyArray<Group> => {
  const due = subjects
    .filter(({ fact }) => TestIssue.isWanted(wanted, fact.status) && isDue(fact, now, policy))
    .toSorted(worstFirst)
  const byCause = Map.groupBy(due, ({ cause }) => cause?.causeId ?? null)
  const isShared = ({ cause }: Subject) => cause !== null && (byCause.get(cause.causeId)?.length ?? 0) > 1
  const groups = Map.groupBy(due, (subject) =>
    isShared(subject)
      ? `cause ${subject.cause?.causeId}`
      : subject.fact.commit === null
        ? `test ${subject.testId}`
        : `commit ${subject.fact.commit}`
  )
  return [...groups.values()].map((members) => {
    const [first] = members
    return { cause: first !== undefined && isShared(first) ? first.cause : null, members }
  })
}

const hasOneIssue = ({ cause, members }: Group, { groupSize }: Pick<IssuePolicy, "groupSize">): boolean =>
  cause !== null || members.length > groupSize

/**
 * The due tests that the issue of a test names.
 *
 * **Details**
 *
 * The others of its group without an open issue, where the group gets one issue. For a test that is not due, those with its cause.
 */
export const companionsOf = (
  groups: ReadonlyArray<Group>,
  subject: Subject,
  policy: Pick<IssuePolicy, "groupSize">
): ReadonlyArray<Subject> => {
  const { cause, testId } = subject
  const own = groups.find(({ members }) => members.some((each) => each.testId === testId))
  if (own !== undefined && !hasOneIssue(own, policy)) return []
  const named = own?.members ?? groups.flatMap(({ members }) => members.filter((each) => isOf(cause, each)))
  return named.filter((each) => each.testId !== testId && !each.isDeleted && !hasOpenIssue(each))
}

const isOf = (cause: CauseOfTest | null, subject: Subject): boolean =>
  cause !== null && subject.cause?.causeId === cause.causeId

const hasOpenIssue = ({ record }: Subject): boolean => record !== null && TestIssue.isOpen(record)

const closing = (subject: Subject, stands: Stands, { policy, wanted }: Rules): Closing | null => {
  const { cause, fact, isDeleted, record } = subject
  if (record === null) return null
  if (isDeleted) return "deleted"
  if (!TestIssue.isOpen(record)) return null
  if (wanted === "off") return null
  if (cause?.state === "closed") return "cause_closed"
  if (stands(subject)) return null
  if (fact.status === null) return "not_run"
  return isRecovered(fact, record, policy) ? "healthy" : null
}

type Stands = (subject: Subject) => boolean

/** Whether the issue of a test stands for another test with its cause, which is due and has no open issue of its own. */
const standing = (groups: ReadonlyArray<Group>): Stands => {
  const waiting = new Set(
    groups.flatMap(({ members }) =>
      members.filter((each) => !each.isDeleted && !hasOpenIssue(each)).map(({ cause }) => cause?.causeId)
    )
  )
  return ({ cause }) => cause !== null && waiting.has(cause.causeId)
}

const openings = (
  subjects: ReadonlyArray<Subject>,
  groups: ReadonlyArray<Group>,
  { now, policy }: { readonly now: Instant.Instant; readonly policy: IssuePolicy }
): ReadonlyArray<Action> => {
  const recent = subjects.filter(({ record }) => record !== null && record.openedAt > now - Instant.day).length
  const covered = new Set(
    subjects.filter((each) => !each.isDeleted && hasOpenIssue(each)).map(({ cause }) => cause?.causeId)
  )
  const found: Array<Action> = []
  for (const group of groups) {
    const open = group.members.filter(({ cause }) => cause === null || !covered.has(cause.causeId))
    for (const subject of hasOneIssue(group, policy) ? oneOf(open) : open.filter(mayOpen)) {
      const isNew = subject.record === null || subject.record.closedBy === "deleted"
      found.push({ _tag: isNew ? "Open" : "Reopen", subject, group: companionsOf([group], subject, policy) })
    }
  }
  return found.toSorted((a, b) => worstFirst(a.subject, b.subject)).slice(0, Math.max(0, policy.mostPerDay - recent))
}

/**
 * The member of a large group that gets its issue: one that had an issue before, else the worst. None while a member has an
 * open one, or one that a person has closed: that one stands for the group.
 */
const oneOf = (members: ReadonlyArray<Subject>): ReadonlyArray<Subject> => {
  const open = members.filter(({ cause }) => !isHandled(cause))
  const known = open.filter(({ record }) => record !== null)
  if (known.some((each) => !mayOpen(each))) return []
  return (known.length > 0 ? known : open).slice(0, 1)
}

/** Whether people have decided about a cause in a way that leaves no room for a new issue: its ticket stands for one. */
const isHandled = (cause: CauseOfTest | null): boolean =>
  cause !== null && (cause.state !== "open" || cause.ticket !== null)

/** Whether the test may get an issue, or its issue may be reopened: what a person has ended needs a newer failure. */
const mayOpen = ({ cause, failsOnNewer, isDeleted, record }: Subject): boolean => {
  if (isDeleted || isHandled(cause)) return false
  if (record === null) return true
  return !TestIssue.isOpen(record) && (record.closedBy === "lazaret" || failsOnNewer)
}

const worstFirst = (a: Subject, b: Subject): number =>
  HealthStatus.rank(b.fact.status ?? "healthy") - HealthStatus.rank(a.fact.status ?? "healthy") ||
  b.failureRatio - a.failureRatio ||
  Text.compare(a.testName, b.testName)
