/** The computation of cost in the background: after reports, at most every few minutes for one repository, and once a week. */
import {
  CostCommit,
  CostFacts,
  CostLedger,
  CostOfWeek,
  CostRun,
  Event,
  FailureGate,
  Instant,
  Repository,
  Week
} from "@lazaret/domain"
import {
  CauseStore,
  CostStore,
  type LeasedCost,
  RepositoryStore,
  Slices,
  type StoreError,
  VerdictStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import * as Rounds from "../background/Rounds.ts"
import * as QueueCost from "./QueueCost.ts"
import { TestOwners } from "./TestOwners.ts"

/**
 * The pace of cost, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time for which reports of one repository are collected.
 * - `rest`: how many times as long as a round took the next one waits, so that a large repository does not occupy the server.
 * - `every`: the time between two searches for repositories that are due.
 */
export const CostPace: Context.Reference<{ readonly pause: number; readonly rest: number; readonly every: number }> =
  Context.Reference<{ readonly pause: number; readonly rest: number; readonly every: number }>(
    "@lazaret/services/CostPace",
    { defaultValue: () => ({ pause: 10 * Instant.minute, rest: 60, every: 10 * Instant.second }) }
  )

/**
 * Computes the cost of flaky tests.
 *
 * **Laws**
 *
 * - *One at a time.* At any time at most one process computes the cost of a repository.
 * - *Nothing is lost.* A round that fails is repeated; a request during a round leads to another one.
 * - *Equal everywhere.* The same stored job runs, verdicts and causes give the same cost in every process.
 */
export class CostRounds extends Context.Service<
  CostRounds,
  {
    /** Requests a round after a report. Never fails. */
    readonly request: (ref: Repository.RepositoryRef) => Effect.Effect<void>
    /** Computes the cost of the repositories that are due, and yields how many it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/CostRounds") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    CostRounds,
    Effect.gen(function* () {
      const store = yield* CostStore
      const causes = yield* CauseStore
      const verdicts = yield* VerdictStore
      const repositories = yield* RepositoryStore
      const owners = yield* TestOwners
      const queue = yield* QueueCost.make
      const { pause, rest } = yield* CostPace

      const request = yield* Rounds.requests({
        pause,
        request: store.request,
        failure: "A computation of costs was not requested"
      })

      /** The first verdicts on the failures of a commit; a green commit has none. */
      const opinionsOf = (ref: Repository.RepositoryRef, runs: ReadonlyArray<CostFacts.CostRun>) => {
        const [first] = runs
        return first === undefined || runs.every(({ failed }) => failed === 0)
          ? Effect.succeed(CostRun.opinionsOf([]))
          : Effect.map(verdicts.ofCommit(ref, first.commit), CostRun.opinionsOf)
      }

      const knownOf = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        { cost: policy }: Repository.Policies,
        now: Instant.Instant
      ) {
        const since = CostLedger.startOf(now)
        const { from, runs } = yield* store.facts(ref, since)
        const causeOf = yield* causesOf(causes, ref)
        const ledger = CostLedger.make(now)
        let weight = 0
        for (const ofCommit of CostFacts.byCommit(runs)) {
          const opinionOf = yield* opinionsOf(ref, ofCommit)
          const context = {
            opinionOf,
            causeOf: (testName: string) => causeOf(testName)?.causeId ?? null,
            gate: FailureGate.recommended,
            policy
          }
          CostLedger.add(ledger, CostCommit.of(ofCommit, context))
          weight += ofCommit.reduce((sum, { tests }) => sum + 1 + tests.length, 0)
          if (weight < weightAtOnce) continue
          weight = 0
          yield* Effect.yieldNow
        }
        return CostLedger.close(ledger, { from, causeOf, queue: yield* queue(ref, since) })
      })

      const compute = Effect.fnUntraced(function* (leased: LeasedCost) {
        const { ref } = leased
        const start = yield* Clock.currentTimeMillis
        const repository = yield* repositories.get(ref)
        const settings = Option.match(repository, {
          onNone: () => Repository.defaultSettings,
          onSome: (found) => found.settings
        })
        const policies = Repository.policies(settings)
        const known = yield* knownOf(ref, policies, start)
        const ended = CostOfWeek.of(known, { policy: policies.cost, ownersOf: yield* owners.of(ref, known) })
        const end = yield* Clock.currentTimeMillis
        const isQuiet = known.weeks.every(({ runs }) => runs.all === 0)
        yield* store.replace(leased, {
          known,
          computedAt: start,
          againAt: end + Math.max(pause, rest * (end - start)),
          atLatest: isQuiet ? null : Week.startOf(start) + Week.length + afterWeek,
          events: ended === null ? [] : [Event.costsOfWeek(ended, start)]
        })
      })

      const work = (leased: LeasedCost) =>
        compute(leased).pipe(
          Effect.catch((error) =>
            Effect.gen(function* () {
              yield* Effect.logWarning("The cost of flaky tests could not be computed", error)
              const now = yield* Clock.currentTimeMillis
              yield* store.fail(leased, now + Math.max(Instant.minute, Rounds.pauseAfter(leased.attempts)))
            })
          )
        )

      const round = yield* Rounds.ofLeases({
        lease: store.lease,
        leaseTime,
        atOnce: 1,
        work,
        failure: "The cost of flaky tests could not be computed",
        about: ({ ref }) => ({ repository: Repository.key(ref) })
      })

      return CostRounds.of({ request, round })
    })
  ).pipe(Layer.provide(TestOwners.layer))

  /** Computes in rounds. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Effect.all([CostRounds, CostPace]), ([{ round }, { every }]) =>
      Rounds.fork({ round, every, failure: "The cost of flaky tests could not be computed" })
    )
  )
}

/** The cause of each test that has one, outages left out. */
const causesOf = Effect.fnUntraced(function* (store: CauseStore["Service"], ref: Repository.RepositoryRef) {
  const byTest = new Map<string, { readonly causeId: string; readonly name: string }>()
  yield* Slices.visit(yield* store.list(ref), causesAtOnce, ({ causeId, goneAt, known: { kind, name, tests } }) => {
    if (kind === "outage" || goneAt !== null) return
    for (const { testName } of tests) byTest.set(testName, { causeId, name })
  })
  return (testName: string) => byTest.get(testName) ?? null
})

const causesAtOnce = 20

/** Job runs and tests that are summed up before other fibers run: some milliseconds. */
const weightAtOnce = 1000

/** A lease outlives the slowest round. */
const leaseTime = 15 * Instant.minute

/** Reports of the last jobs of a week arrive in its first minutes. */
const afterWeek = 15 * Instant.minute
