/** The driver in memory: maps and arrays. It is the reference that other drivers are compared with. */
import { Effect, Layer } from "effect"
import { Driver } from "../Driver.ts"
import * as MemoryFacts from "./MemoryFacts.ts"
import * as MemoryRows from "./MemoryRows.ts"

/** A driver over one new, empty memory. Everything is gone when the process ends. */
export const layer: Layer.Layer<Driver> = Layer.effect(
  Driver,
  Effect.suspend(() => MemoryFacts.driver(MemoryRows.make(), MemoryFacts.noJournal))
)
