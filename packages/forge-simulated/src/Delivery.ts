/** Deliveries on their way to a receiver: signed, and lost, doubled or late as a test wants it. */
import { createHmac } from "node:crypto"

/** The fate of a delivery: it arrives, is lost, arrives twice, or arrives after N later ones. */
export type Fate = "arrives" | "lost" | "doubled" | { readonly after: number }

/**
 * The deliveries in the order of their arrival. A delivery without a fate arrives.
 *
 * @example
 * ```ts
 * import { Delivery } from "@lazaret/forge-simulated"
 *
 * Delivery.arrivals(["a", "b", "c", "d"], ["lost", "doubled", { after: 1 }]) // => ["b", "b", "d", "c"]
 * ```
 */
export const arrivals = <A>(sent: ReadonlyArray<A>, fates: ReadonlyArray<Fate>): ReadonlyArray<A> =>
  sent
    .flatMap((delivery, index) => {
      const fate = fates[index] ?? "arrives"
      if (fate === "lost") return []
      const place = typeof fate === "object" ? index + fate.after + 0.5 : index
      return fate === "doubled"
        ? [
            { delivery, place },
            { delivery, place }
          ]
        : [{ delivery, place }]
    })
    .sort((a, b) => a.place - b.place)
    .map(({ delivery }) => delivery)

/** A delivery as it is sent. */
export interface Envelope {
  readonly event: string
  readonly guid: string
  readonly payload: unknown
}

/** The app that a delivery is for, and the secret of its webhook. */
export interface Receiver {
  readonly id: number
  readonly webhookSecret: string
}

/** The request of a delivery: GitHub's headers, and the signature of the body under the secret. */
export const request = ({ event, guid, payload }: Envelope, { id, webhookSecret }: Receiver) => {
  const body = JSON.stringify(payload)
  return {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "GitHub-Hookshot/0000000",
      "x-github-delivery": guid,
      "x-github-event": event,
      "x-github-hook-installation-target-id": String(id),
      "x-github-hook-installation-target-type": "integration",
      "x-hub-signature-256": `sha256=${createHmac("sha256", webhookSecret).update(body).digest("hex")}`
    }
  }
}
