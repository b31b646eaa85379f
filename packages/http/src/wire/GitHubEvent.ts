/** Answers to events from GitHub. */
import type { Schemas } from "@lazaret/api"
import type { GitHubReceipt } from "@lazaret/services"

/** The answer to a delivery that is not used. */
export const ignoredFor = (reason: string): typeof Schemas.GitHubEventAnswer.Type => ({ accepted: false, reason })

/** The answer to a delivery that was received. */
export const acceptedOf = ({ notes, outcomes }: GitHubReceipt): typeof Schemas.GitHubEventAnswer.Type => ({
  accepted: true,
  outcomes,
  notes
})
