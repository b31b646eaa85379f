/** What feeds of merge queues send: events, and the text of the configuration file (beyond the interface). */
import type { Problem, Schemas } from "@lazaret/api"

/** What became of a configuration file with these faults. */
export const keptOf = (faults: ReadonlyArray<Problem.Fault>): typeof Schemas.KeptQueueConfiguration.Type => ({
  valid: faults.length === 0,
  errors: faults
})
