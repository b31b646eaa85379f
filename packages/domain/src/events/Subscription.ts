/** Subscriptions: the addresses that outgoing webhooks deliver events to, and the delays between attempts. */
import { Schema } from "effect"
import { parse, v5 } from "uuid"
import * as Event from "./Event.ts"
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"

/**
 * Schema of where events are sent: an `http` or `https` URL of at most 2,000 characters, without a name, a
 * password or a control character in it (`URL` would drop line breaks in silence).
 */
export const Target = Text.between(1, 2000).check(
  Schema.makeFilter(
    (text: string) => isTarget(text) || "must be an http or https URL without a user name or a control character in it",
    { toJsonSchema: () => Text.webAddress }
  )
)

/** Schema of the secret that requests are signed with: 16 to 200 characters. `sealed:` begins what a store has encrypted. */
export const Secret = Text.between(16, 200).check(
  Schema.isPattern(/^(?!sealed:)/u, { expected: "a secret that does not begin with `sealed:`" })
)

/** A subscription to the events of one repository; no `types` stands for all of them. */
export interface Subscription {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly types: ReadonlyArray<Event.EventType>
  readonly createdAt: Instant.Instant
  readonly createdBy: string
}

/** An event that a receiver did not take, however often it was tried. */
export interface DeadLetter {
  readonly event: Event.Event
  readonly at: Instant.Instant
  readonly attempts: number
  readonly error: string
}

/** Whether a subscription is about an event. */
export const wants = (subscription: Pick<Subscription, "types">, event: Pick<Event.Event, "type">): boolean =>
  subscription.types.length === 0 || subscription.types.includes(event.type)

/**
 * The delay after this many failed attempts, null when no attempt follows: ten seconds to six hours, nine hours in all.
 *
 * Long enough to repair a receiver within a working day. Later events of the subscription wait until then.
 *
 * @example
 * ```ts
 * import { Subscription } from "@lazaret/domain"
 *
 * Subscription.waitAfter(1) // => 10000
 * Subscription.waitAfter(7) // => null
 * ```
 */
export const waitAfter = (attempts: number): number | null => waits[attempts - 1] ?? null

const waits: ReadonlyArray<number> = [
  10 * Instant.second,
  Instant.minute,
  5 * Instant.minute,
  30 * Instant.minute,
  2 * Instant.hour,
  6 * Instant.hour
]

/** The id of the delivery of an event: the same for every attempt, so that a receiver can tell repetitions. */
export const deliveryId = (subscriptionId: string, eventId: string): string =>
  v5(`${subscriptionId} ${eventId}`, namespace)

const namespace = parse("0f1d8a0c-53c5-5e38-9d55-2b6a8d0c9e31")

/**
 * The address of a receiver as people see it: the values of its query are hidden, because programs accept tokens there.
 *
 * @example
 * ```ts
 * import { Subscription } from "@lazaret/domain"
 *
 * Subscription.shownTarget("https://example.com/hook?token=secret") // => "https://example.com/hook?token=…"
 * ```
 */
export const shownTarget = (target: string): string => {
  const [address = ""] = target.split("#", 1)
  const at = address.indexOf("?")
  if (at < 0) return address
  const pairs = address.slice(at + 1).split("&")
  return `${address.slice(0, at)}?${pairs.map((pair) => `${/^[^=]*=/u.exec(pair)?.[0] ?? ""}…`).join("&")}`
}

const isTarget = (text: string): boolean => {
  if (!URL.canParse(text) || /\p{Cc}/u.test(text)) return false
  const { password, protocol, username } = new URL(text)
  return (protocol === "http:" || protocol === "https:") && username === "" && password === ""
}
