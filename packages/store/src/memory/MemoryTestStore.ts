/** Tests in memory. */
import {
  Instant,
  type Quarantine,
  Repository,
  Rollup,
  RunDay,
  TestFile,
  TestFilter,
  TestIdentity,
  TestList,
  TestSort
} from "@lazaret/domain"
import { Option } from "effect"
import * as Outages from "../health/Outages.ts"
import { jobsAtMost, jobUrlsOf, mostOutages, type OutageRun, TestStore } from "../health/TestStore.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as MemoryState from "./MemoryState.ts"
import * as OtherBranches from "./OtherBranches.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"
import * as RunIndex from "./RunIndex.ts"

/** The test port over a memory state. */
export const make = (state: MemoryState.MemoryState): TestStore["Service"] =>
  TestStore.of({
    page: (ref, query) =>
      MemoryState.read(state, ref, (repository) => {
        const matching = matchingRows(repository, query.filter, query.now)
        const page = TestSort.page(matching, query)
        return { ...page, rows: page.rows.map(plainRow) }
      }),
    list: (ref, query, now) =>
      MemoryState.read(state, ref, (repository) => {
        const rows = matchingRows(repository, TestFilter.all, now)
        const found = TestList.find(rows, columns, query)
        return { ...found, rows: found.rows.map((row) => TestList.entryOf(row, columns)) }
      }),
    get: (ref, testId, now) =>
      MemoryState.read(state, ref, (repository) => {
        const policy = MemoryState.policiesOf(repository).health
        const records = MemoryState.identitiesOf(repository, testId)
          .map(([entry, first]) => IdentityEntry.recordOf(entry, first, now, policy))
          .toSorted((a, b) => TestIdentity.IdentityOrder(a.identity, b.identity))
        const [first, ...others] = records
        return first === undefined ? Option.none() : Option.some([first, ...others] as const)
      }),
    health: (ref, testIds, now) =>
      MemoryState.read(state, ref, (repository) => {
        return new Map(
          testIds.flatMap((testId) => {
            const identities = healthOf(repository, testId, now)
            return identities.length === 0 ? [] : [[testId, identities] as const]
          })
        )
      }),
    files: (ref, quarantined, now) =>
      MemoryState.read(state, ref, (repository) =>
        TestFile.count(matchingRows(repository, TestFilter.all, now), columns, quarantined)
      ),
    active: (ref, now) =>
      MemoryState.read(state, ref, (repository) => {
        const policy = MemoryState.policiesOf(repository).health
        return matchingRows(repository, TestFilter.all, now).map(({ entry, healthStatus, testName }) => {
          const { durationUs, failed, passed } = IdentityEntry.recent(entry, now, policy)
          return { testName, healthStatus, concluded: passed + failed, durationUs }
        })
      }),
    count: (ref, { filter, status, now }) =>
      MemoryState.read(state, ref, (repository) => {
        const { activeDays } = MemoryState.policiesOf(repository).health
        const failedPerDay = Array.from({ length: activeDays }, () => 0)
        const byStatus = { healthy: 0, flaky: 0, broken: 0 }
        let tests = 0
        let concluded = 0
        for (const { entry, healthStatus, rollup } of matchingRows(repository, filter, now)) {
          byStatus[healthStatus] += 1
          if (status !== null && healthStatus !== status) continue
          tests += 1
          concluded += rollup.passed + rollup.failed
          if (rollup.failed > 0) addFailures(failedPerDay, repository, entry, now)
        }
        return { tests, byStatus, concluded, failedPerDay }
      }),
    runs: (ref, now) =>
      MemoryState.read(state, ref, (repository) => {
        const { activeDays } = MemoryState.policiesOf(repository).health
        const last = Instant.utcDay(now)
        return RunDay.count(repository === undefined ? [] : runsIn(repository), { first: last - activeDays + 1, last })
      }),
    elsewhere: (ref, testId, since) =>
      MemoryState.read(state, ref, (repository) =>
        repository === undefined
          ? []
          : (RepositoryEntry.testById(repository, testId) ?? []).flatMap((identity) =>
              OtherBranches.ofIdentity(repository, identity, since)
            )
      ),
    onlyElsewhere: (ref, since) =>
      MemoryState.read(state, ref, (repository) =>
        repository === undefined ? [] : OtherBranches.only(repository, since)
      ),
    outages: (ref) =>
      MemoryState.read(state, ref, (repository) => (repository === undefined ? [] : outagesIn(repository))),
    lastUpload: (ref) =>
      MemoryState.read(state, ref, (repository) => {
        const latest = [...(repository?.uploads.values() ?? [])].slice(-jobsAtMost).toReversed()
        return Option.map(Option.fromUndefinedOr(latest[0]), ({ receivedAt }) => ({
          receivedAt,
          jobUrls: jobUrlsOf(latest.map(({ jobUrl }) => jobUrl))
        }))
      })
  })

const outagesIn = (repository: RepositoryEntry.RepositoryEntry): ReadonlyArray<OutageRun> =>
  [...repository.runs.byJob.values()]
    .flatMap((job) => RepositoryEntry.judgedRuns(repository, job, repository.horizon))
    .filter(({ run }) => run.judgement.outage)
    .map(({ at, run: { context, judgement } }) => ({
      pipelineName: context.pipelineName,
      jobName: context.jobName,
      runId: context.runId,
      runAttempt: context.runAttempt,
      commit: context.commit,
      at,
      failed: judgement.hit,
      passedBefore: judgement.passedBefore,
      excused: judgement.excused
    }))
    .sort(Outages.order)
    .slice(0, mostOutages)

const matchingRows = (
  repository: RepositoryEntry.RepositoryEntry | undefined,
  filter: TestFilter.TestFilter,
  now: Instant.Instant
): ReadonlyArray<IdentityEntry.IdentityRow> => {
  const active = repository === undefined ? [] : RepositoryEntry.activeAt(repository, now)
  return TestFilter.isAll(filter) ? active : active.filter(TestFilter.matcher(filter))
}

/** The row without the way back to its identity. */
const plainRow = (row: IdentityEntry.IdentityRow): TestSort.Row => ({
  testName: row.testName,
  pipelineName: row.pipelineName,
  jobName: row.jobName,
  executionsCount: row.executionsCount,
  healthStatus: row.healthStatus,
  healthConfidence: row.healthConfidence,
  failedExecutionsImpact: row.failedExecutionsImpact,
  failedExecutionsRatio: row.failedExecutionsRatio
})

const columns: TestList.Columns<IdentityEntry.IdentityRow> = {
  testName: (row) => row.testName,
  pipelineName: (row) => row.pipelineName,
  jobName: (row) => row.jobName,
  file: (row) => row.file,
  executionsCount: (row) => row.executionsCount,
  healthStatus: (row) => row.healthStatus,
  healthConfidence: (row) => row.healthConfidence,
  failedExecutionsImpact: (row) => row.failedExecutionsImpact,
  failedExecutionsRatio: (row) => row.failedExecutionsRatio,
  failedCount: ({ rollup }) => rollup.failed,
  meanDuration: ({ rollup }) => (rollup.durationUs === 0 ? null : Rollup.meanDurationSeconds(rollup)),
  firstSeenAt: ({ entry }) => IdentityEntry.firstSeenAt(entry),
  lastFailureAt: ({ entry }) => IdentityEntry.lastFailureAt(entry),
  since: (row) => row.since,
  failuresInARow: (row) => row.failuresInARow
}

/** The kept runs of the default branch. */
function* runsIn(repository: RepositoryEntry.RepositoryEntry): Generator<RunDay.Run> {
  const { defaultBranch, horizon, policies, runs } = repository
  for (const run of [...runs.byJob.values()].flatMap((job) => RunIndex.since(job, horizon))) {
    if (!Repository.isDefaultBranch(run.context, defaultBranch)) continue
    const isOutage = run.judgement.outage
    const statuses = run.executions.flatMap(({ conclusion }, index) => {
      const identity = run.identities[index]
      return isOutage || conclusion !== "failed" || identity === undefined
        ? []
        : [IdentityEntry.stateOf(identity, policies.health).status]
    })
    const { at, durationUs, failed } = run.totals
    yield { at, failed, durationUs, isOutage, statuses }
  }
}

const healthOf = (
  repository: RepositoryEntry.RepositoryEntry | undefined,
  testId: string,
  now: Instant.Instant
): ReadonlyArray<Quarantine.IdentityHealth> => {
  const policy = MemoryState.policiesOf(repository).health
  return MemoryState.identitiesOf(repository, testId).map(([entry]) => ({
    state: IdentityEntry.stateOf(entry, policy),
    lastAt: IdentityEntry.lastConcludedAt(entry),
    active: IdentityEntry.rowOf(entry, now, policy).executionsCount > 0
  }))
}

const addFailures = (
  failedPerDay: Array<number>,
  repository: RepositoryEntry.RepositoryEntry | undefined,
  entry: IdentityEntry.IdentityEntry,
  now: Instant.Instant
): void => {
  const policy = MemoryState.policiesOf(repository).health
  const today = Instant.utcDay(now)
  for (const execution of IdentityEntry.recentExecutions(entry, now, policy)) {
    if (execution.conclusion !== "failed") continue
    const index = failedPerDay.length - 1 - (today - Instant.utcDay(execution.at))
    failedPerDay[index] = (failedPerDay[index] ?? 0) + 1
  }
}
