/** The port of slower tests, and its rules over a driver: what was found last, and when it is computed again. */
import { type Instant, type Repository, SlowerEvents, SlowerKnown, type TestId } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import * as Due from "../driver/Due.ts"
import * as RepositoryRounds from "../driver/RepositoryRounds.ts"
import type { StoreError } from "../StoreError.ts"
import { type SlowerRoundRow, slowerRounds, slowerTests } from "./SlowerRows.ts"

/** The slower tests of the last round, and when it was. */
export interface SlowerResult extends SlowerKnown.SlowerKnown {
  readonly computedAt: Instant.Instant
}

/**
 * The port of slower tests.
 *
 * **Laws**
 *
 * - *Rounds.* Those of {@link RepositoryRounds.RepositoryRounds}; a round ends with `replace`. The event of its news is in the log if and
 *   only if its result is stored (`SlowerEvents`).
 * - The removal of a test removes it from what is known, and requests a round.
 */
export class SlowerStore extends Context.Service<
  SlowerStore,
  RepositoryRounds.RepositoryRounds & {
    /** Stores what `compute` makes of what is known; `false`, and nothing stored, when the lease is not ours any more. */
    readonly replace: (
      leased: Due.LeasedRepository,
      times: RepositoryRounds.RoundTimes,
      compute: (before: Pick<SlowerKnown.SlowerKnown, "reported">) => SlowerKnown.Round
    ) => Effect.Effect<boolean, StoreError>
    /** The slower tests of the last round; none before the first one. */
    readonly known: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<SlowerResult>, StoreError>
  }
>()("@lazaret/store/SlowerStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): SlowerStore["Service"] => make(driver)

  /** Removes a deleted test from what is known, and requests a round. */
  static forget(transaction: Transaction, testId: TestId.TestId): Effect.Effect<void, StoreError> {
    return RepositoryRounds.again(transaction, kind, (row) =>
      Effect.gen(function* () {
        const known = yield* knownIn(transaction)
        if (known !== undefined) {
          yield* transaction.put(slowerTests, [{ known: SlowerKnown.withoutTest(known, testId) }])
        }
        return row
      })
    )
  }
}

const kind: RepositoryRounds.Kind<SlowerRoundRow> = {
  port: "SlowerStore",
  table: slowerRounds,
  blank: { ...Due.unrequested, computedAt: null }
}

const make = (driver: Driver["Service"]): SlowerStore["Service"] => {
  const { fail, lease, replace, request, rowIn } = RepositoryRounds.make(driver, kind)
  return SlowerStore.of({
    request,
    lease,
    fail,
    replace: (leased, { againAt, computedAt }, compute) =>
      replace(leased, (transaction, held) =>
        Effect.gen(function* () {
          const { known, news } = compute((yield* knownIn(transaction)) ?? { reported: [] })
          yield* transaction.put(slowerTests, [{ known }])
          yield* transaction.log(SlowerEvents.of(news, computedAt))
          return { ...held, ...RepositoryRounds.rested(held, leased, againAt), computedAt }
        })
      ),
    known: (ref) =>
      driver.read("SlowerStore.known", ref, (view) =>
        Effect.gen(function* () {
          const { computedAt } = yield* rowIn(view)
          const known = computedAt === null ? undefined : yield* knownIn(view)
          return known === undefined || computedAt === null ? Option.none() : Option.some({ ...known, computedAt })
        })
      )
  })
}

const knownIn = (view: Pick<View, "select">) =>
  Effect.map(view.select(slowerTests, { where: [], order: [] }), ([row]) => row?.known)
