/** The signatures of the failures of tests. */
import { TestId, Text } from "@lazaret/domain"
import type { FailuresUntil } from "@lazaret/store"
import { Effect } from "effect"
import * as Facts from "./Facts.ts"
import * as FailedExecutions from "./FailedExecutions.ts"
import type * as TriageRuns from "./TriageRuns.ts"

/** The signatures of each test's failures up to an instant, each once, in code-point order. */
export const until = Effect.fnUntraced(function* (place: TriageRuns.Place, wanted: ReadonlyArray<FailuresUntil>) {
  const ids = wanted.map(({ testName }) => TestId.of(testName))
  const tests = Map.groupBy(yield* Facts.testsOf(place, [...new Set(ids)]), ({ testId }) => testId)
  const places = wanted.flatMap(({ until: at }, index) => {
    const ofName = ids[index] === undefined ? [] : (tests.get(ids[index]) ?? [])
    return ofName.map(({ testNo }) => ({ index, testNo, until: at }))
  })
  const rows = places.length === 0 ? [] : yield* FailedExecutions.signatures(place, places)
  const found = wanted.map(() => new Set<string>())
  for (const { index, signature } of rows) {
    if (signature !== null) found[places[index - 1]?.index ?? -1]?.add(signature)
  }
  return found.map((signatures) => [...signatures].sort(Text.compare))
})
