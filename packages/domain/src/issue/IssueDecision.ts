/**
 * The decision which issues are opened, closed and reopened: a pure function of the health of tests and the records of their
 * issues. See `docs/how-to/issues.md`.
 */
import type * as Health from "../health/Health.ts"
import * as HealthState from "../health/HealthState.ts"
import * as HealthStatus from "../health/HealthStatus.ts"
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
 */
export interface Subject {
  readonly testId: TestId
  readonly testName: string
  readonly fact: Fact
  readonly failureRatio: number
  readonly isDeleted: boolean
  readonly record: TestIssue.TestIssue | null
  readonly failsOnNewer: boolean
}

/** Why an issue is closed. */
export type Closing = "healthy" | "not_run" | "deleted"

/** A change of an issue. `group` names the other tests with the same first failing commit, without an issue of their own. */
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
 * - Of more than `groupSize` due tests with one first failing commit only the worst gets an issue, when none of them has an open
 *   one.
 */
export const decide = (subjects: ReadonlyArray<Subject>, now: Instant.Instant, rules: Rules): ReadonlyArray<Action> => [
  ...subjects.flatMap((subject): ReadonlyArray<Action> => {
    const why = closing(subject, rules)
    return why === null ? [] : [{ _tag: "Close", subject, why }]
  }),
  ...openings(subjects, now, rules)
]

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

/** Due tests by their first failing commit; where only other branches made a test unhealthy, it is alone. */
export const groupsOf = (
  subjects: ReadonlyArray<Subject>,
  now: Instant.Instant,
  { policy, wanted }: Rules
): ReadonlyMap<string, ReadonlyArray<Subject>> =>
  Map.groupBy(
    subjects
      .filter(({ fact }) => TestIssue.isWanted(wanted, fact.status) && isDue(fact, now, policy))
      .toSorted(worstFirst),
    ({ fact, testId }) => (fact.commit === null ? `test ${testId}` : `commit ${fact.commit}`)
  )

/** The members of a group that the issue of one of them names: none in a group whose tests get an issue each. */
export const companionsOf = (
  group: ReadonlyArray<Subject>,
  subject: Subject,
  { groupSize }: Pick<IssuePolicy, "groupSize">
): ReadonlyArray<Subject> =>
  group.length <= groupSize ? [] : group.filter((each) => each.testId !== subject.testId && !hasOpenIssue(each))

const hasOpenIssue = ({ record }: Subject): boolean => record !== null && TestIssue.isOpen(record)

const closing = ({ fact, isDeleted, record }: Subject, { policy, wanted }: Rules): Closing | null => {
  if (record === null) return null
  if (isDeleted) return "deleted"
  if (!TestIssue.isOpen(record)) return null
  if (wanted === "off") return null
  if (fact.status === null) return "not_run"
  return isRecovered(fact, record, policy) ? "healthy" : null
}

const openings = (subjects: ReadonlyArray<Subject>, now: Instant.Instant, rules: Rules): ReadonlyArray<Action> => {
  const { policy } = rules
  const recent = subjects.filter(({ record }) => record !== null && record.openedAt > now - Instant.day).length
  const found: Array<Action> = []
  for (const group of groupsOf(subjects, now, rules).values()) {
    for (const subject of group.length > policy.groupSize ? oneOf(group) : group.filter(mayOpen)) {
      const isNew = subject.record === null || subject.record.closedBy === "deleted"
      found.push({ _tag: isNew ? "Open" : "Reopen", subject, group: companionsOf(group, subject, policy) })
    }
  }
  return found.toSorted((a, b) => worstFirst(a.subject, b.subject)).slice(0, Math.max(0, policy.mostPerDay - recent))
}

/**
 * The member of a large group that gets its issue: one that had an issue before, else the worst. None while a member has an
 * open one, or one that a person has closed: that one stands for the group.
 */
const oneOf = (group: ReadonlyArray<Subject>): ReadonlyArray<Subject> => {
  const known = group.filter(({ record }) => record !== null)
  if (known.some((each) => !mayOpen(each))) return []
  return (known.length > 0 ? known : group).slice(0, 1)
}

/** Whether the test may get an issue, or its issue may be reopened: what a person has ended needs a newer failure. */
const mayOpen = ({ failsOnNewer, isDeleted, record }: Subject): boolean => {
  if (isDeleted) return false
  if (record === null) return true
  return !TestIssue.isOpen(record) && (record.closedBy === "lazaret" || failsOnNewer)
}

const worstFirst = (a: Subject, b: Subject): number =>
  HealthStatus.rank(b.fact.status ?? "healthy") - HealthStatus.rank(a.fact.status ?? "healthy") ||
  b.failureRatio - a.failureRatio ||
  Text.compare(a.testName, b.testName)
