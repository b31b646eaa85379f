/** What the dropped executions of single tests led to. */
import { Health, type HealthSeries } from "@lazaret/domain"
import { Effect } from "effect"
import type { Sql } from "../append/Session.ts"
import * as Bases from "../retention/Bases.ts"
import type { KnownTest, KnownTests } from "./KnownTests.ts"
import * as Names from "./Names.ts"

/** Finds the base of a test; null when nothing of it was dropped. Ids and commits are surrogates. */
export interface TestBases {
  (test: KnownTest): HealthSeries.Base | null
}

/** The bases of tests as they count under the default branch. */
export const select = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, { settings, tests }: KnownTests) {
  const reduced = tests.filter(({ isReduced }) => isReduced)
  if (reduced.length === 0) return none
  const found = yield* Bases.select({ sql, repositoryId }, [...new Set(reduced.map(({ blockNo }) => blockNo))])
  const { defaultBranch } = settings
  const of: TestBases = ({ blockNo, slot }) => {
    const base = found.get(blockNo)
    return base === undefined ? null : Bases.seriesOf(Bases.under(base, defaultBranch), slot)
  }
  return of
})

const none: TestBases = () => null

/** The state before the first kept execution. */
export const stateOf = (base: HealthSeries.Base | null): Health.State => base?.state ?? Health.initial

/** The surrogates in bases. */
export const namesIn = (bases: ReadonlyArray<HealthSeries.Base | null>) => Names.ofStates(bases.map(stateOf))
