/** The port of cost, and its rules over a driver: the facts that it is computed from, what was computed last, and when it is computed again. */
import type { CostFacts, CostKnown, Event, Instant, Repository } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import * as Due from "../driver/Due.ts"
import * as RepositoryRounds from "../driver/RepositoryRounds.ts"
import type { StoreError } from "../StoreError.ts"
import { type CostRoundRow, costRounds, costs } from "./CostRows.ts"

/**
 * The result of a round, when it was computed, and the events that it leads to.
 *
 * **Details**
 *
 * `againAt`: the earliest time of a round that is requested. `atLatest`: when the next one is without a request; null for never.
 */
export interface CostResult extends RepositoryRounds.RoundTimes {
  readonly known: CostKnown.CostKnown
  readonly atLatest: Instant.Instant | null
  readonly events: ReadonlyArray<Event.Event>
}

/**
 * The port of cost.
 *
 * **Laws**
 *
 * - *Facts.* The latest job runs of every branch but those of forks that finished at an instant or later, within `CostFacts.bounds`;
 *   the same reports give the same facts whatever their order of arrival, and however a job run is split into reports.
 * - *Rounds.* Those of {@link RepositoryRounds.RepositoryRounds}; a round ends with `replace`. Its events are in the log if and only if its
 *   result is stored; one whose id is in the log is left out.
 */
export class CostStore extends Context.Service<
  CostStore,
  RepositoryRounds.RepositoryRounds & {
    /** The facts from which cost is computed. One read, at one moment. */
    readonly facts: (
      ref: Repository.RepositoryRef,
      since: Instant.Instant
    ) => Effect.Effect<CostFacts.CostFacts, StoreError>
    /** Stores a result in the place of the one before; `false`, and nothing stored, when the lease is not ours any more. */
    readonly replace: (leased: Due.LeasedRepository, result: CostResult) => Effect.Effect<boolean, StoreError>
    /** When the last round was; null before the first one. */
    readonly computedAt: (ref: Repository.RepositoryRef) => Effect.Effect<Instant.Instant | null, StoreError>
    /** The last result; none before the first round. */
    readonly known: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<CostKnown.CostKnown>, StoreError>
  }
>()("@lazaret/store/CostStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): CostStore["Service"] => make(driver)
}

const kind: RepositoryRounds.Kind<CostRoundRow> = {
  port: "CostStore",
  table: costRounds,
  blank: { computedAt: null, restUntil: 0, ...Due.unrequested },
  // A request moves a round that was planned without one to the earliest time.
  requestedAt: ({ attempts, nextAt, requests, restUntil }, at) => {
    const earliest = Math.max(restUntil, at)
    return requests === 0 || (attempts === 0 && earliest < nextAt) ? earliest : nextAt
  }
}

const make = (driver: Driver["Service"]): CostStore["Service"] => {
  const { fail, lease, replace, request, rowIn } = RepositoryRounds.make(driver, kind)
  return CostStore.of({
    request,
    lease,
    fail,
    facts: driver.costFacts,
    replace: (leased, { againAt, atLatest, computedAt, events, known }) =>
      replace(leased, (transaction, held) =>
        Effect.gen(function* () {
          yield* transaction.put(costs, [{ known }])
          yield* transaction.log(events)
          const asked = RepositoryRounds.rested(held, leased, againAt)
          const next = asked.requests > 0 || atLatest === null ? asked : { requests: 1, nextAt: atLatest }
          return { ...held, ...next, computedAt, restUntil: againAt }
        })
      ),
    computedAt: (ref) =>
      driver.read("CostStore.computedAt", ref, (view) => Effect.map(rowIn(view), ({ computedAt }) => computedAt)),
    known: (ref) =>
      driver.read("CostStore.known", ref, (view) =>
        Effect.map(view.select(costs, { where: [], order: [] }), ([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ known }) => known)
        )
      )
  })
}
