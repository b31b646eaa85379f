/** The use cases over a new, empty memory. */
import { HostingPlatform, type Ingestion, Services } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { type Effect, Layer, ManagedRuntime } from "effect"

const memory = Services.layer.pipe(Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, HostingPlatform.layerOff)))

/** Runs a program over a memory that is forgotten afterwards. */
export const withMemory = async <A, E>(program: Effect.Effect<A, E, Ingestion>): Promise<A> => {
  const runtime = ManagedRuntime.make(memory)
  const result = await runtime.runPromise(program)
  await runtime.dispose()
  return result
}
