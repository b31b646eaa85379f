import { type Execution, Health, HealthPolicy, Instant } from "@lazaret/domain"
import { histories } from "@lazaret/domain/testing"
import { Effect } from "effect"
import * as Arbitrary from "effect/Arbitrary"

type History = ReadonlyArray<Execution.Observation>

/** A team that wants a broken test to prove itself longer than three passes. */
const patient: HealthPolicy.HealthPolicy = { ...HealthPolicy.defaults, recoveryPasses: 5 }

/** A history, and then this many passes an hour apart, each on a commit of its own. */
const afterPasses = (history: History, count: number): History => [
  ...history,
  ...Array.from({ length: count }, (_, index) => ({
    id: `pass ${index}`,
    at: (history.at(-1)?.at ?? 0) + (index + 1) * Instant.hour,
    commit: `new ${index}`,
    conclusion: "passed" as const,
    flaky: false,
    reruns: 0,
    excused: false
  }))
]

const statusOf = (history: History) => Health.fold(Health.initial, history, patient).status

const laws: Readonly<Record<string, (history: History) => boolean>> = {
  "five passes end what is broken": (history) =>
    statusOf(history) !== "broken" || statusOf(afterPasses(history, 5)) !== "broken",
  "a pass never makes a test broken": (history) =>
    statusOf(history) === "broken" || statusOf(afterPasses(history, 1)) !== "broken",
  "five passes mend everything": (history) => statusOf(afterPasses(history, 5)) === "healthy"
}

for (const [sentence, law] of Object.entries(laws)) {
  const checked = await Effect.runPromise(
    Arbitrary.checkEffect(histories({ failures: 50 }), law, { runs: 500, seed: "an example" })
  )
  console.log(`${checked._tag === "Passed" ? "holds " : "BREAKS"} ${sentence}`)
  if (checked._tag !== "Falsified") continue
  for (const { commit, conclusion, flaky } of checked.shrunkInput) {
    console.log(`         commit ${commit} ${conclusion}${flaky ? " after a failed attempt" : ""}`)
  }
  console.log(`         then five passes: ${statusOf(afterPasses(checked.shrunkInput, 5))}`)
}
