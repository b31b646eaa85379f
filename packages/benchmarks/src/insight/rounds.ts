/** The rounds of insight: how long each takes, and the longest stretch in which nothing else in the process had its turn. */
import { CauseRounds, CostRounds, MissingRounds, SlowerRounds } from "@lazaret/services"
import { CauseStore, CostStore, MissingStore, SlowerStore } from "@lazaret/store"
import { Effect } from "effect"
import { busy } from "../postgres/data.ts"
import type { Database } from "../postgres/Database.ts"
import * as Sampler from "../stretch/Sampler.ts"

/** A line for each kind of rounds, in an order in which later ones read what earlier ones found. */
export async function* measure(database: Database): AsyncGenerator<string> {
  const sampler = Sampler.start()
  for (const { name, request, round } of kinds) {
    await database.run(request)
    await new Promise((resolve) => setTimeout(resolve, 50))
    sampler.take()
    const start = performance.now()
    const taken = await database.run(round)
    const seconds = (performance.now() - start) / 1000
    const { cpu, major, minor, wall } = sampler.take()
    yield (
      `  round of ${name}: ${seconds.toFixed(1)} s, ${taken} repository; longest stretch ${wall.toFixed(0)} ms, ` +
        `by processor time ${cpu.toFixed(0)} ms (collections ${major.toFixed(0)} and ${minor.toFixed(0)} ms)`
    )
  }
}

const now = Date.now() - 1

const kinds = [
  {
    name: "causes",
    request: Effect.flatMap(CauseStore, (store) => store.request(busy, now)),
    round: Effect.flatMap(CauseRounds, ({ round }) => round)
  },
  {
    name: "missing",
    request: Effect.flatMap(MissingStore, (store) => store.request(busy, now)),
    round: Effect.flatMap(MissingRounds, ({ round }) => round)
  },
  {
    name: "cost",
    request: Effect.flatMap(CostStore, (store) => store.request(busy, now)),
    round: Effect.flatMap(CostRounds, ({ round }) => round)
  },
  {
    name: "slower",
    request: Effect.flatMap(SlowerStore, (store) => store.request(busy, now)),
    round: Effect.flatMap(SlowerRounds, ({ round }) => round)
  }
]
