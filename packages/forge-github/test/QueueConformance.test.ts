import { describe, it } from "@effect/vitest"
import { QueueConformance, QueuePlatform } from "@lazaret/forge-conformance"
import { Effect, Layer } from "effect"
import { asApp, layer, started } from "./connection.ts"
import { needed, platform } from "./platform.ts"

describe("GitHub keeps the laws of a merge queue", () => {
  for (const { name, run } of QueueConformance.cases) {
    it.effect(name, () =>
      Effect.flatMap(started, (all) => {
        all.repository.queue = []
        all.github.grant({ contents: "write" })
        all.repository.branchRules?.push(needed)
        const ports = Layer.merge(layer(all.github, asApp(all.github)), Layer.succeed(QueuePlatform, platform(all)))
        return Effect.provide(run, ports)
      })
    )
  }
})
