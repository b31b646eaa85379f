/**
 * The metrics of the subject: what each repository adds up to (docs/reference/metrics.md). Off by default, because their labels
 * hold the names of repositories, and because they read every repository into memory.
 */
import { CauseRecord, Cost, CostPolicy, HealthStatus, Instant, Page, Repository, TestFilter } from "@lazaret/domain"
import { CauseStore, CostStore, QuarantineStore, RepositoryStore, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Metric, Option, Schedule } from "effect"

/** Whether the metrics of repositories are measured. */
export const RepositoryMetrics: Context.Reference<boolean> = Context.Reference<boolean>(
  "@lazaret/services/RepositoryMetrics",
  { defaultValue: () => false }
)

/** The milliseconds between two measurements of all repositories. */
export const RepositoryMetricsPause: Context.Reference<number> = Context.Reference<number>(
  "@lazaret/services/RepositoryMetricsPause",
  { defaultValue: () => Instant.minute }
)

const tests = Metric.gauge("lazaret_tests", {
  description: "Tests of a repository that ran in the last 30 days, one per pipeline and job, by health."
})

const quarantined = Metric.gauge("lazaret_quarantined_tests", { description: "Quarantined tests of a repository." })

const lastUpload = Metric.gauge("lazaret_last_upload_timestamp_seconds", {
  description: "When the last report of a repository arrived (Unix time)."
})

const causesGauge = Metric.gauge("lazaret_open_causes", {
  description:
    "Causes of failures of a repository that are neither gone, closed nor silenced, without those of one branch alone."
})

const cost = Metric.gauge("lazaret_flaky_minutes", {
  description: "Minutes of machines and of waiting that flaky tests of a repository cost in the last four weeks."
})

/** The weeks of the cost, this one included. */
const weeks = 4

const labelOf = (ref: Repository.RepositoryRef) => ({ repository: Repository.key(ref) })

/**
 * Measures every repository once a minute ({@link RepositoryMetricsPause}), where the metrics of repositories are on. A failure is logged, and the next round tries
 * again. A repository is named as `Repository.key` writes it, in lower case.
 */
export const layerRounds = Layer.effectDiscard(
  Effect.gen(function* () {
    if (!(yield* RepositoryMetrics)) return
    const repositories = yield* RepositoryStore
    const store = yield* TestStore
    const quarantines = yield* QuarantineStore
    const causes = yield* CauseStore
    const costs = yield* CostStore

    const measureInsight = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, now: Instant.Instant) {
      const label = labelOf(ref)
      const open = (yield* causes.list(ref)).filter(
        (record) => record.known.kind !== "change" && CauseRecord.stateOf(record, now) === "open"
      )
      yield* Metric.update(Metric.withAttributes(causesGauge, label), open.length)
      const known = yield* costs.known(ref)
      if (Option.isNone(known)) return
      const policy = CostPolicy.defaults
      const { missingRuns, total } = Cost.of(known.value, { by: "week", weeks, policy, ownersOf: () => [] })
      if (missingRuns > 0) return
      const machine = Cost.minutesOf(total.failed + total.repeated + total.retried)
      yield* Metric.update(Metric.withAttributes(cost, { ...label, of: "machines" }), machine)
      yield* Metric.update(Metric.withAttributes(cost, { ...label, of: "waiting" }), Cost.minutesOf(total.waiting))
    })

    const measure = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
      const now = yield* Clock.currentTimeMillis
      const label = labelOf(ref)
      const { byStatus } = yield* store.count(ref, { filter: TestFilter.all, status: null, now })
      yield* Effect.forEach(HealthStatus.HealthStatus.literals, (health) =>
        Metric.update(Metric.withAttributes(tests, { ...label, health }), byStatus[health])
      )
      const { total } = yield* quarantines.page(ref, {
        branch: null,
        testId: null,
        source: null,
        from: Page.start,
        limit: 1,
        now
      })
      yield* Metric.update(Metric.withAttributes(quarantined, label), total)
      const upload = yield* store.lastUpload(ref)
      if (Option.isSome(upload)) {
        yield* Metric.update(Metric.withAttributes(lastUpload, label), upload.value.receivedAt / 1000)
      }
      yield* measureInsight(ref, now)
    })

    const round = Effect.flatMap(repositories.list, (all) => Effect.forEach(all, measure, { discard: true })).pipe(
      Effect.catchTag("StoreError", (error) =>
        Effect.logWarning(`The metrics of repositories could not be measured: ${error.operation} (${error.reason})`)
      )
    )
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(yield* RepositoryMetricsPause)))
  })
)
