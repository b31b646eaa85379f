/** The largest part of the model has a file of its own, so that the laws run on two cores. */
import { describe } from "@effect/vitest"
import { part } from "./support/Exhaustive.ts"

describe("exhaustive model of the engine whose base branch others push to", () => {
  part("base")
})
