/** The cases of a certification on the simulated GitHub over git, which starts a process for every object. */
import { describe } from "@effect/vitest"
import { certifies } from "./certified.ts"

describe("the certification of a platform over git", () => {
  certifies("git")
})
