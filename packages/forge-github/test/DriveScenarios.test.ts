/** Scenarios of the design of a merge queue that is driven, by their numbers, over the stores and a platform without its network. */
import { describe, it } from "@effect/vitest"
import { scenarios } from "./drive/index.ts"

describe("scenarios of a driven queue", () => {
  for (const { name, play } of scenarios) it.effect(name, () => play())
})
