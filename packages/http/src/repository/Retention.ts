/** Retention on the wire (beyond the interface). */
import type { Schemas } from "@lazaret/api"
import type { Retained as Done } from "@lazaret/services"

/** A run of retention as the wire shows it. */
export const of = ({ allocated, compacted, freed, ...done }: Done): typeof Schemas.Retained.Type => ({
  ...done,
  weeks_prepared: allocated,
  weeks_released: freed,
  weeks_rewritten: compacted
})
