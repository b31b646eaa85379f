/** The part of an evaluation that quarantines tests. */
import {
  AutoQuarantine,
  ClockSkew,
  Event,
  HealthStatus,
  Instant,
  Page,
  Quarantine,
  QuarantineLife,
  TestFilter,
  TestId,
  TestSort,
  Text
} from "@lazaret/domain"
import type { IdentityHistory, Proposal } from "@lazaret/store"
import { Effect, Option, Result } from "effect"
import type { Evaluation, Ports } from "./Evaluation.ts"
import { proofOf } from "./StressProofs.ts"

/** The tests that the automation quarantines. */
type Setting = "flaky" | "flaky_and_broken"

/** Quarantines the tests that the policy allows, within the remaining budget, and yields the records. */
export const quarantine = Effect.fnUntraced(function* (ports: Ports, evaluation: Evaluation, setting: Setting) {
  const suspects = yield* suspected(ports, evaluation, setting)
  if (suspects.length === 0) return []
  const { automatic: active, now, policies, ref } = evaluation
  const policy = policies.autoQuarantine
  const { tests: activeTests } = yield* ports.tests.count(ref, { filter: TestFilter.all, status: null, now })
  const since = now - Instant.day
  const most = AutoQuarantine.remaining({ activeTests, createdLastDay: 0 }, policy)
  // The store counts exactly. The active quarantines are a cheap first check, which ends most evaluations with a full
  // budget.
  const room = most - active.filter(({ createdAt }) => createdAt > since).length
  const proposals = room > 0 ? yield* proposed(ports, evaluation, { setting, suspects, room }) : []
  if (proposals.length === 0) return []
  const restSince = now - policy.restDays * Instant.day + 1
  yield* ports.changed(ref)
  return yield* ports.quarantines.insertAutomatic(ref, proposals, { since, most, restSince })
})

interface Selection {
  readonly setting: Setting
  readonly suspects: ReadonlyArray<Suspect>
  readonly room: number
}

/** The suspects within the remaining budget; those that flake most often come first. */
const proposed = Effect.fnUntraced(function* (
  ports: Ports,
  evaluation: Evaluation,
  { room, setting, suspects }: Selection
) {
  const found: Array<Eligible> = []
  for (let start = 0; start < suspects.length; start += testsAtOnce) {
    found.push(
      ...(yield* eligible(ports, evaluation, { setting, suspects: suspects.slice(start, start + testsAtOnce) }))
    )
  }
  const proposals: Array<Proposal> = []
  for (const each of found.sort(worstFirst)) {
    if (proposals.length === room) break
    const proposal = yield* judged(ports, evaluation, { setting, each })
    if (proposal !== null) proposals.push(proposal)
  }
  return proposals
})

/** The number of tests whose executions are read at once. */
const testsAtOnce = 100

interface Suspect {
  readonly testName: string
  readonly status: HealthStatus.HealthStatus
}

/** The unhealthy tests that are not quarantined. */
const suspected = Effect.fnUntraced(function* (ports: Ports, evaluation: Evaluation, setting: Setting) {
  const known = new Map<string, HealthStatus.HealthStatus>()
  for (const { healthStatus, testName } of yield* unhealthy(ports, evaluation)) {
    if (!evaluation.isSelected(testName)) continue
    known.set(testName, HealthStatus.worst(known.get(testName) ?? healthStatus, healthStatus))
  }
  const suspects = [...known]
    .map(([testName, status]): Suspect => ({ testName, status }))
    .filter(({ status }) => status === "flaky" || setting === "flaky_and_broken")
  const names = suspects.map(({ testName }) => testName)
  const held = yield* ports.quarantines.among(evaluation.ref, {
    testNames: names,
    branch: null,
    now: evaluation.now
  })
  return suspects.filter(({ testName }) => !held.has(testName))
})

const unhealthy = Effect.fnUntraced(function* ({ tests }: Ports, { now, ref }: Evaluation) {
  const filter = TestFilter.make({ healthStatus: { include: ["flaky", "broken"] } })
  const sort = "test_name"
  const rows: Array<TestSort.Row> = []
  let from: Page.From<TestSort.Position> = Page.start
  for (;;) {
    const page: Page.Page<TestSort.Row> = yield* tests.page(ref, {
      filter,
      sort,
      direction: "asc",
      from,
      limit: 1000,
      now
    })
    rows.push(...page.rows)
    const next = Page.next(page, (row) => TestSort.position(row, sort))
    if (next === null) return rows
    from = next
  }
})

interface Eligible extends Suspect, AutoQuarantine.Numbers {
  readonly testId: TestId.TestId
}

/** The suspects that their recent executions do not rule out. */
const eligible = Effect.fnUntraced(function* (
  { executions }: Ports,
  { now, policies, ref }: Evaluation,
  { setting, suspects }: Pick<Selection, "setting" | "suspects">
) {
  const policy = policies.autoQuarantine
  const window = ClockSkew.reach({ start: now - policy.days * Instant.day, end: now }, now)
  const tests = suspects.map((suspect) => ({ ...suspect, testId: TestId.of(suspect.testName) }))
  const ids = tests.map(({ testId }) => testId)
  const found = yield* executions.within(ref, ids, window)
  return tests
    .map((test): Eligible => {
      const identities = found.get(test.testId) ?? []
      return { ...test, ...AutoQuarantine.numbersOf(identities.map((identity) => identity.executions)) }
    })
    .filter((test) => {
      const candidate = { ...test, firstSeenAt: 0, passedCleanly: true, removedAt: null }
      return Result.isSuccess(AutoQuarantine.judge(candidate, setting, now, policy))
    })
})

/** Checks that read the store per test run only for the tests that are about to be quarantined. */
const judged = Effect.fnUntraced(function* (
  ports: Ports,
  evaluation: Evaluation,
  { each, setting }: { readonly setting: Setting; readonly each: Eligible }
) {
  const { executions, newId, quarantines } = ports
  const { now, policies, ref } = evaluation
  const { testId, testName } = each
  const past = Option.getOrElse(yield* executions.history(ref, testId), () => [])
  const records = yield* quarantines.past(ref, testId)
  const candidate = { ...each, ...beginningOf(past), removedAt: Quarantine.endedByHandAt(records, Event.auto) }
  const verdict = AutoQuarantine.judge(candidate, setting, now, policies.autoQuarantine)
  if (Result.isFailure(verdict)) return null
  // What a stress run released stays released until the test fails again.
  if ((yield* proofOf(ports, evaluation, { testId, histories: past })) !== null) return null
  return proposalOf(candidate, {
    id: yield* newId,
    testName,
    reason: verdict.success,
    createdAt: now,
    ...QuarantineLife.initial(now, policies.quarantine)
  })
})

/** When a test was first seen, and whether it ever passed cleanly, over all stored executions. */
const beginningOf = (past: ReadonlyArray<IdentityHistory>) => ({
  firstSeenAt: Math.min(...past.map(({ base, executions }) => base.trigger?.at ?? executions[0]?.at ?? Infinity)),
  passedCleanly: past.some(
    ({ base, executions }) => base.cleanPasses > 0 || executions.some(AutoQuarantine.isCleanPass)
  )
})

const proposalOf = (
  candidate: AutoQuarantine.Candidate,
  record: QuarantineLife.Life & Pick<Quarantine.Quarantine, "id" | "reason" | "testName" | "createdAt">
): Proposal => ({
  quarantine: {
    ...record,
    branch: null,
    createdBy: Event.auto,
    source: "auto",
    removedAt: null,
    removedBy: null
  },
  evidence: {
    healthStatus: candidate.status,
    executions: candidate.executions,
    commits: candidate.commits,
    flakyCommits: candidate.flakyCommits,
    firstSeenAt: Instant.toIso(candidate.firstSeenAt)
  }
})

/** The tests that flake most often come first. */
const worstFirst = (a: Eligible, b: Eligible): number =>
  flakyShare(b) - flakyShare(a) || Text.compare(a.testName, b.testName)

const flakyShare = ({ commits, flakyCommits }: Eligible): number => flakyCommits / commits
