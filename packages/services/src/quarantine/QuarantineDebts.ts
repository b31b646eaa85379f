/** The use case of the debt report: what the active quarantines of a repository cost. */
import { Instant, Page, Quarantine, QuarantineDebt, QuarantineLife, Repository, TestDetails } from "@lazaret/domain"
import {
  ExecutionStore,
  FailureStore,
  QuarantineStore,
  RepositoryStore,
  type StoreError,
  TestStore,
  TriageStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import { Owners } from "../health/Owners.ts"
import type { RepositoryNotFound } from "../answer/ServiceError.ts"

/** The debt of the oldest quarantines, of each owner of them, and how many quarantines are active in all. */
export interface Debt {
  readonly items: ReadonlyArray<QuarantineDebt.Item>
  readonly owners: ReadonlyArray<QuarantineDebt.OwnerDebt>
  readonly total: number
}

/**
 * Reports the debt of quarantines.
 *
 * **Details**
 *
 * At most 500 quarantines are reported, the oldest ones. A quarantine would have blocked the runs of the default
 * branch of the last 30 days in which its test failed: what other branches asked for is not kept.
 */
export class QuarantineDebts extends Context.Service<
  QuarantineDebts,
  {
    /** The debt of a repository now. */
    readonly report: (ref: Repository.RepositoryRef) => Effect.Effect<Debt, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/QuarantineDebts") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    QuarantineDebts,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const quarantines = yield* QuarantineStore
      const executions = yield* ExecutionStore
      const tests = yield* TestStore
      const failures = yield* FailureStore
      const triage = yield* TriageStore
      const { ofFiles } = yield* Owners

      const recorded = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        rows: ReadonlyArray<Quarantine.Quarantine>,
        now: Instant.Instant
      ) {
        const ids = [...new Set(rows.map(Quarantine.testIdOf))]
        const window = { start: Instant.startOfLastDays(now, 30), end: now + 1 }
        const found = new Map<string, ReadonlyArray<QuarantineDebt.Run>>()
        for (let start = 0; start < ids.length; start += testsAtOnce) {
          const some = yield* executions.within(ref, ids.slice(start, start + testsAtOnce), window)
          for (const [testId, identities] of some) {
            found.set(
              testId,
              identities.flatMap((identity) => identity.executions)
            )
          }
        }
        return found
      })

      /** The facts on the test of a quarantine. */
      const known = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        quarantine: Quarantine.Quarantine,
        now: Instant.Instant
      ) {
        const testId = Quarantine.testIdOf(quarantine)
        const details = Option.map(yield* tests.get(ref, testId, now), TestDetails.of)
        const groups = Option.getOrElse(yield* failures.list(ref, testId), () => [])
        const { createdAt, testName } = quarantine
        const [before = [], all = []] = yield* triage.signatures(ref, [
          { testName, until: createdAt },
          { testName, until: now }
        ])
        const since = all.filter((each) => !before.includes(each))
        const latest = groups.find(({ firstFailureAt }) => firstFailureAt >= quarantine.createdAt)
        return {
          quarantine,
          file: Option.match(details, { onNone: () => null, onSome: ({ filepath }) => filepath }),
          status: Option.match(details, { onNone: () => null, onSome: ({ healthStatus }) => healthStatus }),
          newFailures: since.length,
          latestFailure: latest === undefined ? null : `${latest.exceptionType}: ${latest.exceptionMessage}`
        }
      })

      const report = Effect.fn("QuarantineDebts.report")(function* (ref: Repository.RepositoryRef) {
        const { settings } = yield* Lookup.repository(repositories)(ref)
        const now = yield* Clock.currentTimeMillis
        const { rows, total } = yield* quarantines.page(ref, {
          branch: null,
          testId: null,
          source: null,
          from: Page.start,
          limit: mostItems,
          now
        })
        const runs = yield* recorded(ref, rows, now)
        const all = yield* Effect.forEach(rows, (row) => known(ref, row, now))
        const owners = yield* ofFiles(
          ref,
          all.map(({ file }) => file)
        )
        const items = all.map(({ file, ...facts }) =>
          QuarantineDebt.itemOf(
            {
              ...facts,
              executions: holdsOnDefaultBranch(facts.quarantine, settings)
                ? (runs.get(Quarantine.testIdOf(facts.quarantine)) ?? [])
                : [],
              owners: facts.quarantine.owner === null ? (owners.get(file ?? "") ?? []) : [facts.quarantine.owner]
            },
            now
          )
        )
        return { items: items.sort(QuarantineDebt.order), owners: QuarantineDebt.byOwner(items), total }
      })

      return QuarantineDebts.of({ report })
    })
  )
}

/** The most quarantines of a report: each takes four reads. */
const mostItems = 500

/** The number of tests whose executions are read at once. */
const testsAtOnce = 100

/** Without a setting the default branch is `main` or `master`. */
const holdsOnDefaultBranch = (
  quarantine: Quarantine.Quarantine,
  { defaultBranch }: Repository.RepositorySettings
): boolean =>
  (defaultBranch === null ? ["main", "master"] : [defaultBranch]).some((branch) =>
    QuarantineLife.holdsAt(quarantine, Repository.placeOf(branch))
  )
