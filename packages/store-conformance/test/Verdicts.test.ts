import { Health, HealthPolicy, HealthSeries } from "@lazaret/domain"
import { histories } from "@lazaret/domain/testing"
import { Law, Policy } from "@lazaret/store-conformance"
import { describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Verdicts from "./recomputation/Verdicts.ts"

const stories = Arbitrary.all({
  history: histories({ length: 120, failures: 15 }),
  choice: Arbitrary.schema(Policy.Choice)
})

describe("the definitions of health", () => {
  it.effect("the domain's fold moves every history as the definitions do, and names the same episodes", () =>
    Law.forAll(
      stories,
      ({ choice, history }) => {
        const policy = { ...HealthPolicy.defaults, ...Policy.settingsOf(choice).health }
        const concluded = history
          .filter(({ conclusion }) => conclusion !== "skipped")
          .map((execution) => ({
            id: execution.id,
            at: execution.at,
            commit: execution.commit,
            isFailed: execution.conclusion === "failed",
            isInJobFlaky: execution.flaky,
            isExcused: execution.excused,
            isInOutage: execution.outage === true,
            isAmongMany: execution.many === true
          }))
        const moves: Array<readonly [string, Health.Rule, string | null]> = []
        for (const { mover, rule, status } of Verdicts.verdicts(concluded, policy)) {
          if (rule === "start" || moves.at(-1)?.[0] === mover.id) continue
          const until = concluded.slice(0, concluded.findIndex(({ id }) => id === mover.id) + 1)
          moves.push([mover.id, rule, status === "healthy" ? null : (Verdicts.episodeOf(until)?.id ?? null)])
        }
        const changes = HealthSeries.changes(Health.initial, history, policy)
          .filter(({ rule }) => rule !== "start")
          .map(({ episode, mover, rule }) => [mover.id, rule, episode?.id ?? null] as const)
        return Law.equal(changes, moves)
      },
      { runs: 300 }
    )
  )
})
