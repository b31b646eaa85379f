/** Retention on the wire (beyond the interface). */
import type { Schemas } from "@lazaret/api"
import type { Retained as Done } from "@lazaret/services"

/** A run of retention as the wire shows it. */
export const of = ({ prepared, released, rewritten, ...done }: Done): typeof Schemas.Retained.Type => ({
  ...done,
  weeks_prepared: prepared,
  weeks_released: released,
  weeks_rewritten: rewritten
})
