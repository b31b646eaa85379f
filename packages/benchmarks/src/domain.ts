/** The health fold against the same loop that only sums durations. */
import { Health, HealthPolicy } from "@lazaret/domain"
import { history } from "./histories.ts"
import type { Pairs } from "./Section.ts"

const length = 400_000

/** Domain benchmarks. Aim: at least 6 million executions per second and core. */
export const domain: Pairs = {
  name: "domain",
  pairs: () =>
    [0.01, 0.1].map((failureRate) => {
      const executions = history(length, failureRate)
      return {
        name: `health fold, ${failureRate * 100} % failing, against summing durations`,
        rounds: 15,
        reference: () => {
          let sum = 0
          for (const execution of executions) sum += execution.durationMs
          return sum
        },
        subject: () => Health.fold(Health.initial, executions, HealthPolicy.defaults)
      }
    }),
  note: ({ processor }) => `${(length / processor / 1000).toFixed(1)} million executions per second of processor time`
}
