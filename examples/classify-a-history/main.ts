import { type Execution, Explanation, Health, HealthPolicy, Instant } from "@lazaret/domain"

/** The executions of one test as your own database may know them: when it ran, on which commit, and how it ended. */
const rows = [
  ["2026-03-02T09:00:00Z", "4f1c", "passed"],
  ["2026-03-02T15:00:00Z", "a90d", "failed"],
  ["2026-03-02T15:20:00Z", "a90d", "passed"],
  ["2026-03-03T09:00:00Z", "77be", "passed"]
] as const

const history = rows.map(([finishedAt, commit, conclusion], index): Execution.Observation => ({
  id: `run ${index + 1}`,
  at: Date.parse(finishedAt),
  commit,
  conclusion,
  flaky: false,
  reruns: 0,
  excused: false
}))

let state = Health.initial
for (const execution of history) {
  state = Health.step(state, execution, HealthPolicy.defaults)
  console.log(`${Instant.toIso(execution.at)}  ${execution.commit}  ${execution.conclusion}  ${state.status}`)
}

const why = Explanation.explain(Health.initial, history, HealthPolicy.defaults)
console.log(`\n${why.status} by the rule "${why.rule}", because of ${why.evidence.map(({ id }) => id).join(", ")}`)
if (why.recovery !== null) console.log(Explanation.sentenceOf(why.recovery))
