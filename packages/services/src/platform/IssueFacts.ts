/** The facts about tests that decide on issues, and those that issues tell. */
import {
  CauseOfTest,
  Health,
  Impact,
  type Instant,
  IssueDecision,
  Page,
  Repository,
  TestDetails,
  TestId,
  type TestIssue,
  TestList
} from "@lazaret/domain"
import type { CauseStore, ExecutionStore, FailureStore, QuarantineStore, StoreError, TestStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import type { EventOwners } from "../events/EventOwners.ts"
import type { ForgeError } from "../ports/Forge.ts"
import type { CommitTimes } from "../ports/IssueTracker.ts"
import type { ShownTest } from "./IssueText.ts"

/** The ports that facts are read from. */
export interface Sources {
  readonly tests: TestStore["Service"]
  readonly executions: ExecutionStore["Service"]
  readonly failures: FailureStore["Service"]
  readonly quarantines: QuarantineStore["Service"]
  readonly causes: CauseStore["Service"]
  readonly owners: EventOwners["Service"]
  readonly times: CommitTimes | null
}

/** The repository, its settings and the instant. */
export interface Question {
  readonly ref: Repository.RepositoryRef
  readonly settings: Repository.RepositorySettings
  readonly now: Instant.Instant
}

/** A test to decide on, with its executions of the last 30 days. */
export interface Subject extends IssueDecision.Subject {
  readonly failed: number
  readonly executions: number
}

/** The most unhealthy identities that are read, the worst first: more are one broken merge. */
const mostIdentities = 2000

/** The unhealthy tests, and those with a record. */
export const subjects = Effect.fnUntraced(function* (
  sources: Sources,
  question: Question,
  records: ReadonlyArray<TestIssue.TestIssue>
) {
  const { now, ref } = question
  const counts = yield* unhealthy(sources, question)
  const held = new Map(records.map((record) => [record.testId, record]))
  const names = new Map([...counts.keys()].map((name) => [TestId.of(name), name]))
  for (const { testId, testName } of records) if (!names.has(testId)) names.set(testId, testName)
  const health = yield* sources.tests.health(ref, [...names.keys()], now)
  const causes = yield* causesOf(sources, question)
  return yield* Effect.forEach(names, ([testId, testName]) =>
    Effect.gen(function* () {
      const fact = IssueDecision.factOf(health.get(testId) ?? [])
      const record = held.get(testId) ?? null
      const { executions, failed } = counts.get(testName) ?? { executions: 0, failed: 0 }
      return {
        testId,
        testName,
        fact,
        record,
        executions,
        failed,
        failureRatio: executions === 0 ? 0 : failed / executions,
        cause: causes.get(testName) ?? null,
        isDeleted: record?.testName === "",
        failsOnNewer: yield* failsOnNewer(sources, ref, { fact, record })
      } satisfies Subject
    })
  )
})

/** The causes of tests by name; none where issues do not follow causes. */
const causesOf = Effect.fnUntraced(function* ({ causes }: Sources, { now, ref, settings }: Question) {
  if (settings.issuesBy !== "cause") return new Map<string, CauseOfTest.CauseOfTest>()
  return CauseOfTest.byTest(yield* causes.list(ref), now)
})

interface Counts {
  readonly failed: number
  readonly executions: number
}

/** The unhealthy tests by name, with their executions over the unhealthy identities. */
const unhealthy = Effect.fnUntraced(function* ({ tests }: Sources, { now, ref }: Question) {
  const query: TestList.Query = {
    ...TestList.everything,
    filter: { ...TestList.all, healthStatus: ["flaky", "broken"] },
    sort: "attention",
    direction: "desc",
    limit: mostIdentities
  }
  const counts = new Map<string, Counts>()
  for (const { executionsCount, failedCount, testName } of (yield* tests.list(ref, query, now)).rows) {
    const { executions, failed } = counts.get(testName) ?? { executions: 0, failed: 0 }
    counts.set(testName, { executions: executions + executionsCount, failed: failed + failedCount })
  }
  return counts
})

/** The latest failed commits after a closing whose time is asked for. */
const mostCommits = 5

/** Whether an unhealthy test failed on a commit that was made after its issue was closed by a person, or deleted. */
const failsOnNewer = Effect.fnUntraced(function* (
  { executions, times }: Sources,
  ref: Repository.RepositoryRef,
  { fact, record }: Pick<IssueDecision.Subject, "fact" | "record">
): Effect.fn.Return<boolean, StoreError | ForgeError> {
  const closedAt = record?.closedAt ?? null
  if (record === null || closedAt === null || record.closedBy === "lazaret" || times === null) return false
  if (fact.status === null || fact.status === "healthy") return false
  const histories = Option.getOrElse(yield* executions.history(ref, record.testId), () => [])
  const failed = histories
    .flatMap((history) => history.executions)
    .filter((each) => each.conclusion === "failed" && Health.counts(each) && each.at > closedAt)
    .toSorted((a, b) => b.at - a.at)
  for (const commit of [...new Set(failed.map((each) => each.commit))].slice(0, mostCommits)) {
    const at = yield* times.of(ref, commit)
    if (Option.isSome(at) && at.value > closedAt) return true
  }
  return false
})

/** The facts that the issues of some tests tell. */
export const shown = Effect.fnUntraced(function* (
  { failures, owners, quarantines }: Sources,
  { now, ref, settings }: Question,
  asked: ReadonlyArray<{ readonly subject: Subject; readonly group: ReadonlyArray<IssueDecision.Subject> }>
) {
  if (asked.length === 0) return []
  const policy = Repository.policies(settings).health
  const all = { branch: null, testId: null, source: null, from: Page.start, limit: null, now } as const
  const { rows } = yield* quarantines.page(ref, all)
  const reasons = new Map(rows.map(({ reason, testName }) => [testName, reason]))
  const named = yield* owners.ofEvents(
    ref,
    asked.map(({ subject: { testName } }) => ({ testName }))
  )
  return yield* Effect.forEach(asked, ({ group, subject }) =>
    Effect.map(failures.list(ref, subject.testId), (found): ShownTest => {
      const { cause, executions, fact, failed, failureRatio, testId, testName } = subject
      const [lastFailure = null] = Option.getOrElse(found, () => [])
      return {
        testId,
        testName,
        fact,
        failed,
        executions,
        lastFailure,
        status: fact.status,
        quarantine: reasons.get(testName) ?? null,
        owners: [...new Set([...ownerOf(cause), ...(named.get(testName) ?? [])])].filter((name) => name.includes("@")),
        impact: fact.status === null ? null : Impact.classify(fact.status, failureRatio, policy),
        failureId: lastFailure?.id ?? null,
        group: group.map((each) => each.testName),
        cause: cause !== null && group.some((each) => each.cause?.causeId === cause.causeId) ? cause : null
      }
    })
  )
})

const ownerOf = (cause: CauseOfTest.CauseOfTest | null): ReadonlyArray<string> =>
  cause === null || cause.owner === null ? [] : [cause.owner]

/** The name of a test that is stored; none for one that is not. */
export const nameOf = ({ tests }: Sources, { now, ref }: Question, testId: TestId.TestId) =>
  Effect.map(tests.get(ref, testId, now), (found) =>
    Option.map(found, (identities) => TestDetails.of(identities).testName)
  )
