/** The feeds of merge queues on the wire: events, and the text of the configuration file (beyond the interface). */
import type { Schemas } from "@lazaret/api"
import type { QueueConfiguration } from "@lazaret/queue"
import { configurationPlace } from "../response/ServiceErrors.ts"

/** The answer to a configuration file with these faults. */
export const keptOf = (
  faults: ReadonlyArray<QueueConfiguration.Fault>
): typeof Schemas.KeptQueueConfiguration.Type => ({
  valid: faults.length === 0,
  errors: faults.map(({ line, message, path }) => ({ location: configurationPlace(path), line, message }))
})
