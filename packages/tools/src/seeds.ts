/**
 * The seeds of properties in tests: one seed for all of them, so that no change is blamed for an older fault. `PROPERTY_SEED` is another
 * number, or `drawn`: then every property draws its own, and its failure prints it.
 */
import { createHash } from "node:crypto"
import { Effect, Random } from "effect"
import * as fc from "fast-check"
import { beforeEach, expect } from "vitest"

const given = process.env["PROPERTY_SEED"] ?? "1"

/** The properties of Effect draw their seed from a service. Its default becomes a sequence that depends on the test alone. */
const fix = (): void => {
  let name = expect.getState().testPath ?? ""
  let drawn = 0
  const next = () => createHash("sha256").update(`${given} ${name} ${++drawn}`).digest().readUIntBE(0, 6)
  Object.assign(Effect.runSync(Random.Random), { nextIntUnsafe: next })
  beforeEach(({ task }) => {
    name = task.fullName
    drawn = 0
  })
}

if (given !== "drawn") {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) })
  fix()
}
