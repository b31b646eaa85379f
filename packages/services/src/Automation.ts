/**
 * The use case of automatic quarantine: which tests the service quarantines and releases by itself (see
 * `docs/how-to/auto-quarantine.md`).
 */
import {
  AutoQuarantine,
  Contradiction,
  Event,
  HealthStatus,
  Instant,
  Page,
  Quarantine,
  Repository,
  TestFilter,
  TestId,
  TestSort,
  Text,
  ClockSkew
} from "@lazaret/domain"
import {
  ExecutionStore,
  type IdentityHistory,
  type Proposal,
  QuarantineStore,
  RepositoryStore,
  Slices,
  type StoreError,
  TestStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result, Schedule } from "effect"
import { type ChangeNotice, CommitNotice } from "./CommitNotice.ts"
import { NewId } from "./NewId.ts"

/** The changes of one evaluation of a repository. */
export interface Actions {
  readonly quarantined: ReadonlyArray<Quarantine.Quarantine>
  readonly released: ReadonlyArray<Quarantine.Quarantine>
}

/** Names of tests. */
export type Names = Iterable<string>

/**
 * Quarantines flaky tests and releases recovered ones, where the settings of a repository say so.
 *
 * **Laws**
 *
 * - In 24 hours at most the budget of quarantines starts, however many processes evaluate concurrently.
 * - A test that a person has released is not quarantined again before the rest period of the policy ends.
 * - Only quarantines of the automation itself are released.
 * - A repeated evaluation changes nothing.
 * - The event of every action holds the facts that decided it.
 */
export class Automation extends Context.Service<
  Automation,
  {
    /** Evaluates one repository: all tests, or only those with these names. */
    readonly evaluate: (ref: Repository.RepositoryRef, testNames?: Names) => Effect.Effect<Actions, StoreError>
    /** Evaluates all repositories. A repository that fails is logged and skipped. */
    readonly evaluateAll: Effect.Effect<void, StoreError>
    /**
     * Schedules an evaluation of the tests of an upload in the background, after a running evaluation of the
     * repository. A failure is logged, and the next round tries again.
     */
    readonly notice: (ref: Repository.RepositoryRef, testNames: Names) => Effect.Effect<void>
  }
>()("@lazaret/services/Automation") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Automation,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const quarantines = yield* QuarantineStore
      const ports: Ports = {
        tests: yield* TestStore,
        executions: yield* ExecutionStore,
        quarantines,
        newId: yield* NewId,
        changed: (yield* CommitNotice).changed
      }
      const scope = yield* Effect.scope

      const evaluate = Effect.fn("Automation.evaluate")(function* (ref: Repository.RepositoryRef, testNames?: Names) {
        const found = yield* repositories.get(ref)
        if (Option.isNone(found)) return none
        const { settings } = found.value
        if (!removes(settings) && settings.autoQuarantine === "off") return none
        const names = testNames === undefined ? null : yield* distinct(testNames)
        const evaluation: Evaluation = {
          ref,
          settings,
          policies: Repository.policies(settings),
          now: yield* Clock.currentTimeMillis,
          isSelected: (testName) => names === null || names.has(testName),
          automatic: yield* automatic(ports, ref)
        }
        const released = removes(settings) ? yield* release(ports, evaluation) : []
        const quarantined =
          settings.autoQuarantine === "off" ? [] : yield* quarantine(ports, evaluation, settings.autoQuarantine)
        return { quarantined, released }
      })

      const safely = (ref: Repository.RepositoryRef, testNames?: Names) =>
        evaluate(ref, testNames).pipe(
          Effect.catchCause((cause) => Effect.logWarning("The automation failed to evaluate a repository", cause)),
          Effect.annotateLogs({ repository: Repository.key(ref) })
        )

      const evaluateAll = Effect.flatMap(repositories.list, (all) =>
        Effect.forEach(all, ({ owner, repository }) => safely({ owner, repository }), { discard: true })
      )

      /** The names that wait for the running evaluation, by repository; a repository without one is absent. */
      const waiting = new Map<string, Array<Names>>()
      const drain = (ref: Repository.RepositoryRef, key: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          const lists = waiting.get(key)
          if (lists === undefined || lists.length === 0) return Effect.sync(() => waiting.delete(key))
          waiting.set(key, [])
          return Effect.andThen(safely(ref, allOf(lists)), drain(ref, key))
        }).pipe(Effect.asVoid)

      const notice = (ref: Repository.RepositoryRef, testNames: Names): Effect.Effect<void> =>
        Effect.suspend(() => {
          const key = Repository.key(ref)
          const running = waiting.get(key)
          if (running === undefined) waiting.set(key, [testNames])
          else running.push(testNames)
          return running === undefined ? Effect.asVoid(Effect.forkIn(drain(ref, key), scope)) : Effect.void
        })

      return Automation.of({ evaluate, evaluateAll, notice })
    })
  )

  /**
   * Evaluates every test of every repository soon after the start and then each hour. Without an upload, a test may
   * have been recovered for long enough or become old enough, and budget may be free again. Also covers uploads whose
   * evaluation was lost when a process died.
   */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Automation, ({ evaluateAll }) => {
      const round = Effect.catchCause(evaluateAll, (cause) => Effect.logWarning("The automation failed", cause))
      return round.pipe(Effect.repeat(Schedule.spaced("1 hour")), Effect.delay("1 minute"), Effect.forkScoped)
    })
  )
}

function* allOf(lists: ReadonlyArray<Names>): Generator<string> {
  for (const names of lists) yield* names
}

const distinct = Effect.fnUntraced(function* (names: Names) {
  const found = new Set<string>()
  yield* Slices.visit(names, 16_384, (name) => found.add(name))
  return found
})

interface Ports {
  readonly tests: TestStore["Service"]
  readonly executions: ExecutionStore["Service"]
  readonly quarantines: QuarantineStore["Service"]
  readonly newId: Effect.Effect<string>
  readonly changed: ChangeNotice
}

interface Evaluation {
  readonly ref: Repository.RepositoryRef
  readonly settings: Repository.RepositorySettings
  readonly policies: Repository.Policies
  readonly now: Instant.Instant
  readonly isSelected: (testName: string) => boolean
  /** The active quarantines of the automation. */
  readonly automatic: ReadonlyArray<Quarantine.Quarantine>
}

const none: Actions = { quarantined: [], released: [] }

const removes = ({ autoQuarantine, autoRemoval }: Repository.RepositorySettings): boolean =>
  autoRemoval ?? autoQuarantine !== "off"

const automatic = ({ quarantines }: Ports, ref: Repository.RepositoryRef) =>
  Effect.map(
    quarantines.page(ref, { branch: null, testId: null, source: "auto", from: Page.start, limit: null }),
    ({ rows }) => rows
  )

// --- quarantine --------------------------------------------------------------------------------------------------

type Setting = "flaky" | "flaky_and_broken"

const quarantine = Effect.fnUntraced(function* (ports: Ports, evaluation: Evaluation, setting: Setting) {
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
  const held = yield* ports.quarantines.among(evaluation.ref, names, null)
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
    .map((test): Eligible => ({ ...test, ...AutoQuarantine.numbersOf(found.get(test.testId) ?? []) }))
    .filter((test) => {
      const candidate = { ...test, firstSeenAt: 0, passedCleanly: true, removedAt: null }
      return Result.isSuccess(AutoQuarantine.judge(candidate, setting, now, policy))
    })
})

/** Checks that read the store per test run only for the tests that are about to be quarantined. */
const judged = Effect.fnUntraced(function* (
  { executions, newId, quarantines }: Ports,
  { now, policies, ref }: Evaluation,
  { each, setting }: { readonly setting: Setting; readonly each: Eligible }
) {
  const { testId, testName } = each
  const past = Option.getOrElse(yield* executions.history(ref, testId), () => [])
  const records = yield* quarantines.past(ref, testId)
  const candidate = { ...each, ...beginningOf(past), removedAt: Quarantine.endedByHandAt(records, Event.auto) }
  const verdict = AutoQuarantine.judge(candidate, setting, now, policies.autoQuarantine)
  if (Result.isFailure(verdict)) return null
  return proposalOf(candidate, { id: yield* newId, testName, reason: verdict.success, now })
})

/** When a test was first seen, and whether it ever passed cleanly, over all stored executions. */
const beginningOf = (past: ReadonlyArray<IdentityHistory>) => ({
  firstSeenAt: Math.min(...past.map(({ base, executions }) => base.mover?.at ?? executions[0]?.at ?? Infinity)),
  passedCleanly: past.some(
    ({ base, executions }) => base.cleanPasses > 0 || executions.some(AutoQuarantine.isCleanPass)
  )
})

const proposalOf = (
  candidate: AutoQuarantine.Candidate,
  {
    id,
    now,
    reason,
    testName
  }: Pick<Quarantine.Quarantine, "id" | "reason" | "testName"> & { readonly now: Instant.Instant }
): Proposal => ({
  quarantine: {
    id,
    testName,
    reason,
    branch: null,
    createdAt: now,
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

// --- release -----------------------------------------------------------------------------------------------------

const release = Effect.fnUntraced(function* (ports: Ports, evaluation: Evaluation) {
  const { now, policies, ref } = evaluation
  const rows = evaluation.automatic.filter(({ testName }) => evaluation.isSelected(testName))
  const health = yield* ports.tests.health(ref, [...new Set(rows.map(Quarantine.testIdOf))], now)
  const released: Array<Quarantine.Quarantine> = []
  for (const row of rows) {
    const identities = health.get(Quarantine.testIdOf(row)) ?? []
    if (!Quarantine.isRecovered(row, identities, now, policies.quarantine)) continue
    if (yield* releaseOne(ports, evaluation, row)) released.push(row)
  }
  return released
})

const releaseOne = Effect.fnUntraced(function* (
  { changed, executions, quarantines }: Ports,
  { now, policies, ref }: Evaluation,
  row: Quarantine.Quarantine
) {
  const histories = Option.getOrElse(yield* executions.history(ref, Quarantine.testIdOf(row)), () => [])
  const past = histories.map(({ base, contradictions, executions: list }) => ({
    base,
    items: Contradiction.merged(list, contradictions)
  }))
  const since = now - policies.autoQuarantine.removalDays * Instant.day
  const recoveredSince = Quarantine.recoveredSince(row, past, { since, now }, policies)
  if (!AutoQuarantine.isToBeRemoved({ source: row.source, recoveredSince }, now, policies.autoQuarantine)) return false
  const evidence = {
    recoveredForDays: policies.autoQuarantine.removalDays,
    recoveredSinceOrBefore: Instant.toIso(since)
  }
  yield* changed(ref)
  return yield* quarantines.remove(ref, row.id, { at: now, by: Event.auto, evidence })
})
