/** Deliveries of GitLab. */
import { Option, Redacted } from "effect"

/** The token that GitLab and the servers of a test share. */
export const secret = "0123456789abcdef"

/** The settings of a server that takes deliveries about one project. */
export const takesDeliveries = {
  gitLab: Option.some({
    webhookSecret: Redacted.make(secret),
    refOf: (project: string) =>
      project === "acme/widgets" ? Option.some({ owner: "acme", repository: "widgets" }) : Option.none()
  })
}
