import { Conformance } from "@lazaret/store-conformance"
import { describe, layer } from "@effect/vitest"
import { MemoryStores } from "@lazaret/store"

describe("the in-memory layer", () => {
  layer(MemoryStores.layer)((it) => {
    for (const each of Conformance.cases) {
      it.effect(`${each.port}: ${each.name}`, () => each.run)
    }
  })
})
