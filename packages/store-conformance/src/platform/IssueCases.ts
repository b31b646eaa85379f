/** The law of issues. */
import { Event, Instant, type Repository, TestId, type TestIssue } from "@lazaret/domain"
import { EventStore, IssueStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Leased, Sample } from "../law/index.ts"

const record = (testName: string, parts: Partial<TestIssue.TestIssue> = {}): TestIssue.TestIssue => ({
  testId: TestId.of(testName),
  testName,
  issue: "7",
  url: "https://github.test/acme/widgets/issues/7",
  openedAt: Sample.noon,
  closedAt: null,
  closedBy: null,
  urgent: '["flaky","\u{1f600}"]',
  detail: "[]",
  writtenAt: Sample.noon + 1,
  ...parts
})

const opened = (of: TestIssue.TestIssue): Event.Event =>
  Event.issueChanged(of, { type: "issue.opened", actor: Event.auto, why: "the test is flaky" }, Sample.noon)

const leases = Leased.of(IssueStore)

const logOf = (ref: Repository.RepositoryRef) =>
  Effect.map(
    EventStore.use((store) => store.after(ref, 0, 100)),
    (all) => all.map(({ type }) => type)
  )

const idsOf = (ref: Repository.RepositoryRef) =>
  Effect.map(
    IssueStore.use((store) => store.list(ref)),
    (all) => all.map(({ testName }) => testName)
  )

/** The cases of issues. All is one case: leases are given over all repositories of a store, so that two would disturb each other. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "IssueStore",
    "issues are compared by one process at a time, and records count only under its lease",
    function* (ref) {
      yield* comparedInTurn(ref)
      yield* keptUnderLease(yield* Case.repository)
      yield* withoutDeletedTests(yield* Case.repository)
    }
  )
]

/** A repository is compared at its earliest request, by one process at a time; a request during the lease brings it forward. */
const comparedInTurn = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* IssueStore
  const now = Sample.noon
  yield* store.request(ref, now + 900)
  yield* store.request(ref, now + 5)
  yield* Law.equal(yield* leases.at(ref, now + 4), [], "before its time")
  yield* Law.equal(yield* store.progress(ref), Option.none(), "progress before the first comparison")
  const first = yield* leases.contended(ref, now + 5)

  yield* store.request(ref, now + 6)
  const done = { attempts: 0, failure: null, checkedAt: now + 5, nextAt: now + Instant.hour }
  yield* Law.equal(yield* store.settle(first, { ...done, againAt: now + 60 }), true)
  yield* Law.equal(yield* store.settle(first, null), false, "a second end")
  yield* Law.equal(
    yield* store.progress(ref),
    Option.some({ ...done, nextAt: now + 60 }),
    "a request during the lease brings the next comparison forward"
  )

  const second = yield* leases.only(ref, now + 60)
  const failed = { attempts: 1, failure: "no answer", checkedAt: now + 60, nextAt: now + Instant.hour }
  yield* Law.equal(yield* store.settle(second, { ...failed, againAt: now + 120 }), true)
  yield* store.request(ref, now + 61)
  yield* Law.equal(yield* store.progress(ref), Option.some(failed), "a request does not shorten a deferral")

  const third = yield* leases.only(ref, now + Instant.hour)
  yield* Law.equal(third.attempts, 1)
  const fourth = yield* leases.only(ref, now + Instant.hour + Instant.minute)
  yield* Law.equal(yield* store.settle(third, null), false, "under a lost lease")
  yield* Law.equal(yield* store.settle(fourth, null), true)
  yield* Law.equal(yield* leases.at(ref, now + Instant.day), [], "after all is done")
})

/** A record is stored with its events while the lease holds, once per test. */
const keptUnderLease = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* IssueStore
  const at = Sample.noon - 100 * Instant.day
  const [cart, pays] = [record("cart"), record("pays", { issue: "8" })]
  yield* store.request(ref, at)
  const leased = yield* leases.only(ref, at)
  yield* Law.equal(yield* store.keep(leased, cart, [opened(cart)]), true)
  yield* Law.equal(yield* store.keep(leased, pays, []), true)
  const closed = record("cart", { closedAt: Sample.noon + 2, closedBy: "person" })
  yield* Law.equal(yield* store.keep(leased, closed, [opened(cart)]), true)
  const sorted = [closed, pays].toSorted((a, b) => (a.testId < b.testId ? -1 : 1))
  yield* Law.equal(yield* store.list(ref), sorted)
  yield* Law.equal(yield* logOf(ref), ["issue.opened"], "the log: a repeated event is one")
  yield* Law.equal(yield* store.drop(leased, pays.testId), true)
  yield* Law.equal(yield* store.settle(leased, null), true)
  yield* Law.equal(yield* store.keep(leased, pays, [opened(pays)]), false, "after the end of the lease")
  yield* Law.equal(yield* store.drop(leased, cart.testId), false, "after the end of the lease")
  yield* Law.equal(yield* store.list(ref), [closed])
  yield* Law.equal(yield* logOf(ref), ["issue.opened"], "the log without the lease")
  yield* Law.equal(yield* store.list(yield* Case.repository), [], "another repository")
})

/** A deleted test keeps the record of its issue without its name. */
const withoutDeletedTests = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* IssueStore
  const at = Sample.noon - 200 * Instant.day
  yield* store.request(ref, at)
  const leased = yield* leases.only(ref, at)
  yield* store.keep(leased, record("open"), [])
  yield* store.keep(leased, record("closed", { closedAt: at, closedBy: "lazaret" }), [])
  yield* store.keep(leased, record("other"), [])
  const { removeTest } = yield* RepositoryStore
  yield* Law.equal(yield* removeTest(ref, TestId.of("open")), true, "a record alone is something")
  yield* Law.equal(yield* removeTest(ref, TestId.of("open")), false, "a second time")
  yield* Law.equal(yield* removeTest(ref, TestId.of("closed")), true)
  yield* Law.equal((yield* idsOf(ref)).toSorted(), ["", "", "other"])
  yield* RepositoryStore.use(({ remove }) => remove(ref))
  yield* Law.equal(yield* store.list(ref), [], "after the removal of the repository")
  yield* Law.equal(yield* store.keep(leased, record("late"), []), false, "a lease of a removed repository")
})
