/**
 * The use case of retention: data older than the configured number of days is deleted daily (see `docs/how-to/retention.md`).
 */
import { Instant, Repository, Retention as Rules } from "@lazaret/domain"
import { EventStore, RepositoryStore, RetentionStore, type StoreError, type StorageChanges } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { Audits } from "../access/Audits.ts"
import { Sessions } from "../access/Sessions.ts"

/** The number of days for which executions are kept: 90 by default. */
export const RetentionDays: Context.Reference<number> = Context.Reference<number>("@lazaret/services/RetentionDays", {
  defaultValue: () => Rules.defaultDays
})

/**
 * The result of a run of retention.
 *
 * **Details**
 *
 * `horizon`: results that finished before it are deleted and no longer accepted. `failed` counts the repositories that could
 * not be processed; the log says why, and the next run tries again.
 */
export interface Retained extends StorageChanges {
  readonly days: number
  readonly horizon: Instant.Instant
  readonly repositories: number
  readonly failed: number
  readonly reports: number
  readonly identities: number
  readonly events: number
}

/** Deletes data older than the retention period in every repository. */
export class Retention extends Context.Service<
  Retention,
  {
    /**
     * Deletes the old data now. A repository whose search reaches back further (`activeDays`) keeps that much. Running it
     * twice, or in several processes, changes nothing more.
     */
    readonly run: Effect.Effect<Retained, StoreError>
  }
>()("@lazaret/services/Retention") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const stores = { retention: yield* RetentionStore, events: yield* EventStore }
      const repositories = yield* RepositoryStore
      const days = yield* RetentionDays
      const audits = yield* Audits
      const sessions = yield* Sessions

      const run = Effect.fn("Retention.run")(function* () {
        const now = yield* Clock.currentTimeMillis
        const all = yield* repositories.list
        const done = yield* Effect.forEach(all, (repository) => safely(repository, drop(stores, repository, days, now)))
        const tidied = yield* stores.retention.tidy(now)
        const horizon = Rules.horizon(now, days)
        const retained = { days, horizon, repositories: all.length, ...sumOf(done), ...tidied }
        yield* Effect.logInfo("Deleted old data").pipe(
          Effect.annotateLogs({
            ...retained,
            horizon: Instant.toIso(horizon),
            auditEntries: yield* audits.prune,
            sessions: yield* sessions.prune
          })
        )
        return retained
      })

      return Retention.of({ run: run() })
    })
  )

  /**
   * Runs a minute after the start and then every day. A failure is logged, and the next run tries again.
   */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Retention, ({ run }) => {
      const round = Effect.catchCause(run, (cause) => Effect.logWarning("Retention failed", cause))
      return round.pipe(Effect.repeat(Schedule.spaced("1 day")), Effect.delay("1 minute"), Effect.forkScoped)
    })
  )
}

interface Stores {
  readonly retention: RetentionStore["Service"]
  readonly events: EventStore["Service"]
}

interface Done {
  readonly failed: number
  readonly reports: number
  readonly identities: number
  readonly events: number
}

const drop = Effect.fnUntraced(function* (
  { events, retention }: Stores,
  repository: Repository.Repository,
  days: number,
  now: Instant.Instant
) {
  const { activeDays } = Repository.policies(repository.settings).health
  const horizon = Rules.horizon(now, Math.max(days, activeDays))
  const dropped = yield* retention.drop(repository, horizon)
  const done: Done = { ...dropped, failed: 0, events: yield* events.prune(repository, horizon) }
  return done
})

const safely = (repository: Repository.Repository, work: Effect.Effect<Done, StoreError>): Effect.Effect<Done> =>
  work.pipe(
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("Retention of a repository failed", cause), failure)),
    Effect.annotateLogs({ repository: Repository.key(repository) })
  )

const failure: Done = { failed: 1, reports: 0, identities: 0, events: 0 }

const sumOf = (all: ReadonlyArray<Done>): Done =>
  all.reduce(
    (sum, each) => ({
      failed: sum.failed + each.failed,
      reports: sum.reports + each.reports,
      identities: sum.identities + each.identities,
      events: sum.events + each.events
    }),
    { failed: 0, reports: 0, identities: 0, events: 0 }
  )
