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
  JobTime,
  Repository,
  Week
} from "@lazaret/domain"
import { CauseStore, CostStore, ReadingStore, RepositoryStore, Slices, VerdictStore } from "@lazaret/store"
import { Context, Effect, Layer, Option } from "effect"
import * as RepositoryRounds from "../background/RepositoryRounds.ts"
import * as Rounds from "../background/Rounds.ts"
import * as QueueCost from "./QueueCost.ts"
import { TestOwners } from "./TestOwners.ts"

/** The pace of cost. */
export const CostPace = RepositoryRounds.pace("@lazaret/services/CostPace", 10 * Instant.minute)

const failure = "The cost of flaky tests could not be computed"

/**
 * Computes the cost of flaky tests.
 *
 * **Laws**
 *
 * Those of {@link RepositoryRounds.RepositoryRounds}, and:
 *
 * - *Equal everywhere.* The same stored job runs, verdicts and causes give the same cost in every process.
 */
export class CostRounds extends Context.Service<CostRounds, RepositoryRounds.RepositoryRounds>()(
  "@lazaret/services/CostRounds"
) {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    CostRounds,
    Effect.gen(function* () {
      const store = yield* CostStore
      const causes = yield* CauseStore
      const verdicts = yield* VerdictStore
      const readings = yield* ReadingStore
      const repositories = yield* RepositoryStore
      const owners = yield* TestOwners
      const queue = yield* QueueCost.make

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
        const facts = yield* store.facts(ref, since)
        const { from, runs } = JobTime.timed(facts, yield* readings.times(ref, since))
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
          const cost = yield* Slices.steps(CostCommit.steps(ofCommit, context))
          yield* Slices.steps(CostLedger.adding(ledger, cost))
          weight += ofCommit.length
          if (weight < runsAtOnce) continue
          weight = 0
          yield* Effect.yieldNow
        }
        const ofQueue = yield* queue(ref, since)
        return yield* Slices.steps(CostLedger.closed(ledger, { from, causeOf, queue: ofQueue }))
      })

      return yield* RepositoryRounds.make({
        store,
        pace: yield* CostPace,
        unrequested: "A computation of costs was not requested",
        failure,
        compute: Effect.fnUntraced(function* (ref, now) {
          const settings = Option.match(yield* repositories.get(ref), {
            onNone: () => Repository.defaultSettings,
            onSome: (found) => found.settings
          })
          const policies = Repository.policies(settings)
          const known = yield* knownOf(ref, policies, now)
          const ended = CostOfWeek.of(known, { policy: policies.cost, ownersOf: yield* owners.of(ref, known) })
          const isQuiet = known.weeks.every(({ runs }) => runs.all === 0)
          const atLatest = isQuiet ? null : Week.startOf(now) + Week.length + afterWeek
          const events = ended === null ? [] : [Event.costsOfWeek(ended, now)]
          return (leased, times) => store.replace(leased, { ...times, known, atLatest, events })
        })
      })
    })
  ).pipe(Layer.provide(TestOwners.layer))

  /** Computes in rounds. */
  static readonly layerRounds = Rounds.layer(CostRounds, CostPace, failure)
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

/** Job runs of small commits that are summed up before other fibers run: some milliseconds. */
const runsAtOnce = 500

/** Reports of the last jobs of a week arrive in its first minutes. */
const afterWeek = 15 * Instant.minute
