import { type CauseOfTest, Health, Instant, IssueDecision, IssuePolicy, TestId, TestIssue } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"

const policy = IssuePolicy.defaults
const now = 100 * Instant.day

const fact = (parts: Partial<IssueDecision.Fact> = {}): IssueDecision.Fact => ({
  status: "broken",
  since: now - 2 * Instant.day,
  commit: "c1",
  failedCommits: 2,
  lastAt: now,
  ...parts
})

const record = (testName: string, parts: Partial<TestIssue.TestIssue> = {}): TestIssue.TestIssue => ({
  testId: TestId.of(testName),
  testName,
  issue: "7",
  url: "https://github.test/acme/widgets/issues/7",
  openedAt: now - 10 * Instant.day,
  closedAt: null,
  closedBy: null,
  urgent: "",
  detail: "",
  writtenAt: now - 10 * Instant.day,
  ...parts
})

const closed = (closedBy: TestIssue.Closer) => ({ closedAt: now - Instant.day, closedBy })

const subject = (testName: string, parts: Partial<IssueDecision.Subject> = {}): IssueDecision.Subject => ({
  testId: TestId.of(testName),
  testName,
  fact: fact({ commit: testName }),
  failureRatio: 0.1,
  isDeleted: false,
  record: null,
  failsOnNewer: false,
  cause: null,
  ...parts
})

const cause = (parts: Partial<CauseOfTest.CauseOfTest> = {}): CauseOfTest.CauseOfTest => ({
  causeId: "c",
  name: "Timeout, 3 tests of net",
  tests: 3,
  state: "open",
  owner: null,
  ticket: null,
  closedAt: null,
  ...parts
})

const sharing = (parts: Partial<CauseOfTest.CauseOfTest> = {}, of: Partial<IssueDecision.Subject> = {}) =>
  ["a", "b", "c"].map((name) => subject(name, { cause: cause(parts), ...of }))

const decide = (subjects: ReadonlyArray<IssueDecision.Subject>, wanted: TestIssue.Wanted = "flaky_and_broken") =>
  IssueDecision.decide(subjects, now, { wanted, policy }).map((action) => `${action._tag} ${action.subject.testName}`)

describe("IssueDecision.decide", () => {
  it("a test that is unhealthy for a day gets an issue, and none before unless it is proven flaky", () => {
    assert.deepStrictEqual(decide([subject("a")]), ["Open a"])
    const young = { since: now - Instant.day + 1 }
    assert.deepStrictEqual(decide([subject("a", { fact: fact(young) })]), [])
    assert.deepStrictEqual(decide([subject("a", { fact: fact({ failedCommits: 1 }) })]), [])
    assert.deepStrictEqual(decide([subject("a", { fact: fact({ ...young, status: "flaky", failedCommits: 3 }) })]), [
      "Open a"
    ])
  })

  it("an issue is closed when its test has run a day after its recovery, and not when a flaky test passes", () => {
    const healthy = fact({ status: "healthy", since: now - 3 * Instant.day, lastAt: now - 2 * Instant.day })
    assert.deepStrictEqual(decide([subject("a", { record: record("a"), fact: healthy })]), ["Close a"])
    const early = { ...healthy, lastAt: healthy.lastAt - 1 }
    assert.deepStrictEqual(decide([subject("a", { record: record("a"), fact: early })]), [])
    assert.deepStrictEqual(decide([subject("a", { record: record("a"), fact: fact({ status: "flaky" }) })]), [])
    assert.deepStrictEqual(decide([subject("a", { record: record("a"), fact: fact({ status: null }) })]), ["Close a"])
  })

  it("an issue that a person closed or deleted needs a failure on a newer commit; one that we closed does not", () => {
    for (const [by, action] of [
      ["person", "Reopen a"],
      ["deleted", "Open a"]
    ] as const) {
      const held = { record: record("a", closed(by)) }
      assert.deepStrictEqual(decide([subject("a", held)]), [])
      assert.deepStrictEqual(decide([subject("a", { ...held, failsOnNewer: true })]), [action])
    }
    assert.deepStrictEqual(decide([subject("a", { record: record("a", closed("lazaret")) })]), ["Reopen a"])
  })

  it("300 tests that broke with one commit get one issue, which names the others", () => {
    const names = Array.from({ length: 300 }, (_, index) => `test ${index}`)
    const broken = names.map((name) => subject(name, { fact: fact({ commit: "merge" }) }))
    const [action, ...others] = IssueDecision.decide([...broken, subject("other")], now, {
      wanted: "flaky_and_broken",
      policy
    })
    assert.strictEqual(action?._tag === "Close" ? 0 : action?.group.length, 0)
    const [first] = others
    assert.strictEqual(first === undefined || first._tag === "Close" ? 0 : first.group.length, 299)
    assert.strictEqual(others.length, 1)
    for (const held of [record("test 5"), record("test 5", closed("person"))]) {
      const known = broken.map((each) => (each.testName === "test 5" ? { ...each, record: held } : each))
      assert.deepStrictEqual(decide(known), [])
    }
  })

  it("tests with one cause get one issue, which names the others, whatever their first failing commits are", () => {
    const [action, ...others] = IssueDecision.decide(
      [...sharing(), subject("d", { cause: cause({ causeId: "d" }) })],
      now,
      {
        wanted: "flaky_and_broken",
        policy
      }
    )
    assert.strictEqual(action?.subject.testName, "a")
    assert.deepStrictEqual(action?._tag === "Open" ? action.group.map(({ testName }) => testName) : [], ["b", "c"])
    assert.deepStrictEqual(
      others.map((each) => `${each._tag} ${each.subject.testName}`),
      ["Open d"]
    )
    const held = sharing().map((each) => (each.testName === "b" ? { ...each, record: record("b") } : each))
    assert.deepStrictEqual(decide(held), [])
  })

  it("a cause that is silenced, closed or has a ticket gets no issue, also where its tests broke with one commit", () => {
    for (const parts of [{ state: "silenced" }, { state: "closed" }, { ticket: "NET-1" }] as const) {
      assert.deepStrictEqual(decide(sharing(parts)), [])
      assert.deepStrictEqual(decide(sharing(parts, { record: record("x", closed("lazaret")) })), [])
      const merged = Array.from({ length: 9 }, (_, index) =>
        subject(`${index}`, {
          fact: fact({ commit: "merge" }),
          cause: index < 2 ? cause({ causeId: `${index}`, ...parts }) : null
        })
      )
      assert.deepStrictEqual(decide(merged), ["Open 2"])
    }
  })

  it("the closing of a cause closes the issues of its tests; when it is open again, they are reopened", () => {
    const [first, ...rest] = sharing({ state: "closed" })
    if (first === undefined) return assert.fail("three tests")
    assert.deepStrictEqual(decide([{ ...first, record: record("a") }, ...rest]), ["Close a"])
    const open = { ...first, cause: cause(), record: record("a", closed("lazaret")) }
    assert.deepStrictEqual(decide([open, ...sharing().slice(1)]), ["Reopen a"])
  })

  it("the issue of a cause stays open while one of its tests is due, and is closed when all have recovered", () => {
    const recovered = fact({ status: "healthy", since: now - 3 * Instant.day })
    const [first, ...rest] = sharing()
    if (first === undefined) return assert.fail("three tests")
    const held = { ...first, record: record("a"), fact: recovered }
    assert.deepStrictEqual(decide([held, ...rest]), [])
    assert.deepStrictEqual(decide([held, ...rest.map((each) => ({ ...each, fact: recovered }))]), ["Close a"])
  })

  it("issues of deleted tests are closed, also when no test gets an issue any more; others stay", () => {
    const gone = subject("a", { record: record("a", { testName: "" }), isDeleted: true })
    assert.deepStrictEqual(decide([gone, subject("b", { record: record("b"), fact: fact({ status: null }) })], "off"), [
      "Close a"
    ])
  })

  it("the issue of a deleted test is written again where it is closed already, so that its record ends", () => {
    for (const by of ["lazaret", "person", "deleted"] as const) {
      const gone = subject("a", { record: record("a", { testName: "", ...closed(by) }), isDeleted: true })
      assert.deepStrictEqual(decide([gone]), ["Close a"])
    }
  })
})

const causeOf = (kind: string): CauseOfTest.CauseOfTest =>
  cause({
    causeId: kind,
    state: kind === "silenced" || kind === "closed" ? kind : "open",
    ticket: kind === "ticket" ? "NET-1" : null
  })

const subjects = fc
  .uniqueArray(
    fc.record({
      name: fc.integer({ min: 0, max: 60 }),
      status: fc.constantFrom("broken" as const, "flaky" as const, "healthy" as const, null),
      since: fc.integer({ min: 0, max: 4 * 24 }),
      commit: fc.constantFrom("c1", "c2", null),
      failedCommits: fc.integer({ min: 0, max: 4 }),
      failureRatio: fc.double({ min: 0, max: 1, noNaN: true }),
      closedBy: fc.constantFrom("none" as const, null, "lazaret" as const, "person" as const, "deleted" as const),
      opened: fc.integer({ min: 0, max: 48 }),
      failsOnNewer: fc.boolean(),
      isDeleted: fc.boolean(),
      cause: fc.constantFrom("none", "shared", "silenced", "closed", "ticket")
    }),
    { selector: ({ name }) => name, maxLength: 40 }
  )
  .map((list) =>
    list.map(
      ({
        cause: kind,
        closedBy,
        commit,
        failedCommits,
        failsOnNewer,
        failureRatio,
        isDeleted,
        name,
        opened,
        since,
        status
      }) =>
        subject(`${name}`, {
          cause: kind === "none" ? null : causeOf(kind),
          fact: fact({ status, since: now - since * Instant.hour, commit, failedCommits }),
          failureRatio,
          failsOnNewer,
          isDeleted: isDeleted && closedBy !== "none",
          record:
            closedBy === "none"
              ? null
              : record(`${name}`, {
                  closedBy,
                  closedAt: closedBy === null ? null : now,
                  openedAt: now - opened * Instant.hour
                })
        })
    )
  )

const rules = fc.record({
  wanted: fc.constantFrom<TestIssue.Wanted>("off", "flaky", "broken", "flaky_and_broken"),
  policy: fc.record({ mostPerDay: fc.nat(12), groupSize: fc.integer({ min: 1, max: 6 }) }).map((parts) => ({
    ...policy,
    ...parts
  }))
})

/** The subjects after the actions were carried out; the record of a deleted test ends with its issue. */
const carriedOut = (all: ReadonlyArray<IssueDecision.Subject>, actions: ReadonlyArray<IssueDecision.Action>) => {
  const done = new Map(actions.map((action) => [action.subject.testId, action._tag]))
  return all.map((each): IssueDecision.Subject => {
    const tag = done.get(each.testId)
    if (tag === undefined) return each
    if (each.isDeleted) return { ...each, isDeleted: false, record: null, fact: { ...each.fact, status: null } }
    const held = each.record ?? record(each.testName)
    return tag === "Close"
      ? { ...each, record: { ...held, closedAt: now, closedBy: "lazaret" } }
      : { ...each, record: { ...held, openedAt: now, closedAt: null, closedBy: null } }
  })
}

describe("TestIssue.Label", () => {
  const isLabel = Schema.is(TestIssue.Label)

  it("a label is one that GitHub takes: no comma, no control character, no space around it", () => {
    for (const label of ["a", "flaky test", "ci \u{1f600}", "x".repeat(50)]) assert.isTrue(isLabel(label), label)
    for (const label of ["", " ", " a", "a ", "\u00a0a", "a,b", "a\nb", "x".repeat(51)]) {
      assert.isFalse(isLabel(label), JSON.stringify(label))
    }
  })
})

describe("laws of IssueDecision.decide", () => {
  const holds = (
    law: (
      all: ReadonlyArray<IssueDecision.Subject>,
      actions: ReadonlyArray<IssueDecision.Action>,
      rules: IssueDecision.Rules
    ) => void
  ) => fc.assert(fc.property(subjects, rules, (all, by) => law(all, IssueDecision.decide(all, now, by), by)))

  const isOpening = ({ _tag }: IssueDecision.Action) => _tag !== "Close"

  it("openings of 24 hours stay below the limit of a day, and only wanted tests get one", () => {
    holds((all, actions, { policy: { mostPerDay }, wanted }) => {
      const recent = all.filter(({ record: held }) => held !== null && held.openedAt > now - Instant.day).length
      const openings = actions.filter(isOpening)
      assert.isAtMost(openings.length, Math.max(0, mostPerDay - recent))
      for (const { subject: each } of openings) assert.isTrue(TestIssue.isWanted(wanted, each.fact.status))
    })
  })

  it("a decision that was carried out decides nothing more", () => {
    holds((all, actions, by) => {
      const again = IssueDecision.decide(carriedOut(all, actions), now, by)
      const ids = new Set(actions.map((each) => each.subject.testId))
      assert.deepStrictEqual(
        again.filter((each) => ids.has(each.subject.testId)),
        []
      )
      assert.deepStrictEqual(
        again.filter(({ _tag }) => _tag === "Close"),
        []
      )
    })
  })

  it("an issue that a person has ended is opened only after a newer failure, and an open one never", () => {
    holds((_, actions) => {
      for (const { subject: each } of actions.filter(isOpening)) {
        const by = each.record?.closedBy
        assert.isTrue(each.record === null || by === "lazaret" || each.failsOnNewer)
        assert.isFalse(each.record !== null && TestIssue.isOpen(each.record))
      }
    })
  })

  it("at most one issue is opened for tests of one cause, and for more due tests of one commit than the size of a group", () => {
    holds((all, actions, by) => {
      for (const { cause: shared, members } of IssueDecision.groupsOf(all, now, by)) {
        if (shared === null && members.length <= by.policy.groupSize) continue
        const ids = new Set(members.map(({ testId }) => testId))
        assert.isAtMost(actions.filter((each) => isOpening(each) && ids.has(each.subject.testId)).length, 1)
      }
    })
  })

  it("no issue is closed while its test is unhealthy, unless the test was deleted or its cause was closed", () => {
    holds((_, actions) => {
      const ended = actions
        .filter(({ _tag }) => _tag === "Close")
        .filter(({ subject: each }) => !each.isDeleted && each.cause?.state !== "closed")
      const statuses = ended.map(({ subject: each }) => each.fact.status)
      assert.isFalse(statuses.some((status) => status === "flaky" || status === "broken"))
    })
  })
})

describe("IssueDecision.factOf", () => {
  const state = (parts: Partial<Health.State>): Health.State => ({ ...Health.initial, ...parts })

  it("the fact about a test is the worst health of the identities that ran in the last 30 days, since the first failure", () => {
    const mark = (at: number, commit: string) => ({ id: `${at}`, at, commit })
    const broken = state({
      status: "broken",
      trigger: mark(9, "c9"),
      onset: mark(5, "c5"),
      commits: ["c4", "c5", "c9"],
      outcomes: [1, 2, 2]
    })
    const found = IssueDecision.factOf([
      { state: broken, lastAt: 9, active: true },
      { state: state({ trigger: mark(1, "c1") }), lastAt: 12, active: true },
      { state: state({ status: "flaky", onset: mark(2, "c2") }), lastAt: 20, active: false }
    ])
    assert.deepStrictEqual(found, { status: "broken", since: 5, commit: "c5", failedCommits: 2, lastAt: 12 })
  })

  it("a test has no status without an identity that ran in the last 30 days", () => {
    assert.isNull(IssueDecision.factOf([]).status)
  })
})

describe("TestIssue.isOutdated", () => {
  const content: TestIssue.Content = {
    status: "flaky",
    quarantine: null,
    owners: ["@acme/cart"],
    impact: "low",
    failureId: null,
    group: [],
    cause: null
  }
  const shown = { ...record("a"), ...TestIssue.keysOf(content), writtenAt: now - Instant.hour }

  it("an issue is outdated at once by another status, quarantine or owner, and later by another impact or failure", () => {
    const isOutdated = (parts: Partial<TestIssue.Content>, at = now) =>
      TestIssue.isOutdated(shown, { ...content, ...parts }, at, policy)
    assert.isFalse(isOutdated({}, now + 90 * Instant.day))
    for (const parts of [{ status: "broken" }, { quarantine: "known" }, { owners: [] }] as const) {
      assert.isTrue(isOutdated(parts))
    }
    for (const parts of [{ impact: "high" }, { failureId: "f" }, { group: ["b"] }] as const) {
      assert.isFalse(isOutdated(parts))
      assert.isTrue(isOutdated(parts, now + Instant.day))
    }
  })
})
