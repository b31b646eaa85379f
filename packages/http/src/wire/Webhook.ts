/** Deliveries of webhooks on the wire (beyond the interface). */
import type { Schemas } from "@lazaret/api"
import type { WebhookReceipt } from "@lazaret/services"

/** The answer to a delivery that is not used. */
export const ignoredFor = (reason: string): typeof Schemas.WebhookAnswer.Type => ({ accepted: false, reason })

/** The answer to a delivery that was received. */
export const acceptedOf = ({ notes, outcomes }: WebhookReceipt): typeof Schemas.WebhookAnswer.Type => ({
  accepted: true,
  outcomes,
  notes
})
