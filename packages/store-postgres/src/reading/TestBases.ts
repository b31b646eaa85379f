/** The bases of single tests: their state after the dropped executions. */
import { Health } from "@lazaret/domain"
import { Effect } from "effect"
import type { Sql } from "../repository/Session.ts"
import type * as Surrogate from "../codec/Surrogate.ts"
import * as Bases from "../blocks/RetainedBases.ts"
import type { KnownTest, KnownTests } from "./KnownTests.ts"
import * as Names from "../blocks/Names.ts"

/** Finds the base of a test; null when none of its executions were dropped. Ids and commits are surrogates. */
export interface TestBases {
  (test: KnownTest): Surrogate.SeriesBase | null
}

/** The bases of tests for the current default branch. */
export const select = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, { settings, tests }: KnownTests) {
  const reduced = tests.filter(({ isReduced }) => isReduced)
  if (reduced.length === 0) return none
  const found = yield* Bases.selectIntact({ sql, repositoryId }, [...new Set(reduced.map(({ blockNo }) => blockNo))])
  const { defaultBranch } = settings
  const of: TestBases = ({ blockNo, slot }) => {
    const base = found.get(blockNo)
    return base === undefined ? null : Bases.seriesOf(Bases.under(base, defaultBranch), slot)
  }
  return of
})

const none: TestBases = () => null

/** The state before the first kept execution. */
export const stateOf = (base: Surrogate.SeriesBase | null): Surrogate.State => base?.state ?? Health.initialOf()

/** The surrogates in bases. */
export const namesIn = (bases: ReadonlyArray<Surrogate.SeriesBase | null>) => Names.ofStates(bases.map(stateOf))
