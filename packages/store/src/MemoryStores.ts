/**
 * Every storage port in memory: the reference that other adapters are compared with, and enough for embedding with up
 * to some hundred thousand executions. Everything is gone when the process ends.
 */
import { Layer } from "effect"
import * as MemoryDriver from "./memory/MemoryDriver.ts"
import * as Stores from "./Stores.ts"

/** All storage ports over one new, empty memory. */
export const layer: Layer.Layer<Stores.Stores> = Layer.provide(Stores.layer, MemoryDriver.layer)
