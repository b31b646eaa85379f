/** Channels: where a notifier writes to. */
import { Schema } from "effect"
import * as Subscription from "./Subscription.ts"
import * as Text from "../text/Text.ts"

/**
 * The chat services with incoming webhooks: for each its `kind` on the wire and its name for people. The stored tag is the key.
 *
 * **Details**
 *
 * Another one is an entry here and the form of its messages, `WebhookMessage.forms` of the services.
 */
export const webhooks = {
  Slack: { kind: "slack", name: "Slack" },
  Teams: { kind: "teams", name: "Microsoft Teams" }
} as const

/** The tag of a channel that is an incoming webhook. */
export type WebhookTag = keyof typeof webhooks

/** The kind of an incoming webhook on the wire. */
export type WebhookKind = (typeof webhooks)[WebhookTag]["kind"]

/** The tags of all incoming webhooks. */
export const webhookTags = Object.keys(webhooks) as ReadonlyArray<WebhookTag>

/** The kinds of all incoming webhooks. */
export const webhookKinds: ReadonlyArray<WebhookKind> = webhookTags.map((tag) => webhooks[tag].kind)

/** The tag of a kind of incoming webhook. */
export const tagOf = (kind: WebhookKind): WebhookTag => tags[kind]

/** Each kind is that of one tag. */
const tags = Object.fromEntries(webhookTags.map((tag) => [webhooks[tag].kind, tag])) as Record<WebhookKind, WebhookTag>

/** Schema of the address of a mailbox: something before and after an `@`, without a space or a character of a mail header. */
export const Mailbox = Text.between(3, 254).check(
  Schema.isPattern(/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/u, { expected: "an e-mail address" })
)

/** Schema of the mailboxes of a channel: 1 to 20. */
export const Mailboxes = Schema.Array(Mailbox).check(Schema.isMinLength(1), Schema.isMaxLength(20))

/** Schema of a channel whose address, `url`, is an incoming webhook. The address is a secret: everybody who knows it can write there. */
export const Webhook = Schema.Struct({ _tag: Schema.Literals(webhookTags), url: Subscription.Target })

/** A channel that is an incoming webhook. */
export type Webhook = typeof Webhook.Type

/** Schema of a channel: an incoming webhook, or mailboxes. */
export const Channel = Schema.Union([Webhook, Schema.TaggedStruct("Email", { to: Mailboxes })])

/** A channel that a notifier writes to. */
export type Channel = typeof Channel.Type

/** The public part of a channel: the host of an incoming webhook, or the mailboxes. */
export const targets = (channel: Channel): ReadonlyArray<string> =>
  channel._tag === "Email" ? channel.to : [new URL(channel.url).host]
