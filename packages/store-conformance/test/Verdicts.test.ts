import { Contradiction, Health, HealthPolicy, HealthSeries } from "@lazaret/domain"
import { items } from "@lazaret/domain/testing"
import { Law, Policy } from "@lazaret/store-conformance"
import { describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Verdicts from "./recomputation/Verdicts.ts"

const stories = Arbitrary.all({
  history: items({ length: 120, failures: 15 }),
  choice: Arbitrary.schema(Policy.Choice)
})

describe("the definitions of health", () => {
  it.effect(
    "the domain's fold moves every history as the definitions do, with contradictions on other branches, and names the same episodes",
    () =>
      Law.forAll(
        stories,
        ({ choice, history }) => {
          const policy = { ...HealthPolicy.defaults, ...Policy.settingsOf(choice).health }
          const concluded = Verdicts.concluded(Contradiction.executionsIn(history))
          const onBranches = history.filter(Contradiction.isContradiction)
          // The first execution starts health, also a skipped one.
          const first = Contradiction.executionsIn(history)[0]
          const known = onBranches.filter(
            (each) => first !== undefined && history.indexOf(first) < history.indexOf(each)
          )
          const moves: Array<readonly [string, Health.Rule, string | null]> = []
          for (const { trigger, onset, rule, status } of Verdicts.verdicts(concluded, policy, known)) {
            if (rule === "start" || moves.at(-1)?.[0] === trigger.id) continue
            const until = concluded.filter(({ at, id }) => at < trigger.at || (at === trigger.at && id <= trigger.id))
            const hasEpisode = status !== "healthy" && onset !== null
            moves.push([trigger.id, rule, hasEpisode ? (Verdicts.episodeOf(until)?.id ?? null) : null])
          }
          const changes = HealthSeries.changes(Health.initial, history, policy)
            .filter(({ rule }) => rule !== "start")
            .map(({ episode, trigger, rule }) => [trigger.id, rule, episode?.id ?? null] as const)
          return Law.equal(changes, moves)
        },
        { runs: 300 }
      )
  )
})
