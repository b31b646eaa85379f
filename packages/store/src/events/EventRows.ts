/** The tables of the log of events, of subscriptions to it and of notifiers. */
import { Channel, Event, Notifier, type Subscription, TestId } from "@lazaret/domain"
import { Schema } from "effect"
import type { LoggedEvent } from "./EventStore.ts"
import type { Table } from "../driver/Table.ts"
import type { LogPlace } from "./WideNotifierStore.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

const StoredEvent = Schema.Struct({
  id: Str,
  at: Num,
  type: Event.EventType,
  actor: Str,
  testId: Schema.NullOr(TestId.TestId),
  testName: Schema.NullOr(Str),
  branch: Schema.NullOr(Str),
  summary: Str,
  detail: Schema.Record(Str, Schema.Json)
})

/** An event with its place in the log, and the fields that it is found by. */
export interface EventRow extends Pick<LoggedEvent, "id" | "position" | "type" | "at"> {
  readonly event: Event.Event
}

/** The log of events. It is written by `Transaction.log` alone. */
export const events: Table<EventRow> = {
  name: "events",
  scope: "repository",
  columns: { id: "uuid", position: "integer", type: "text", at: "instant", event: "json" },
  key: ["id"],
  ...rowsOf(Schema.Struct({ id: Str, position: Num, type: Event.EventType, at: Num, event: StoredEvent }))
}

/** A subscription with its progress, and the holder and end of its lease. */
export interface SubscriptionRow extends Subscription.Subscription {
  readonly position: number
  readonly attempts: number
  readonly nextAt: number
  readonly lease: string | null
  readonly leasedUntil: number
}

/** Subscriptions. */
export const subscriptions: Table<SubscriptionRow> = {
  name: "subscriptions",
  scope: "repository",
  columns: {
    id: "text",
    url: "text",
    secret: "text",
    types: "json",
    createdAt: "instant",
    createdBy: "text",
    position: "integer",
    attempts: "integer",
    nextAt: "instant",
    lease: "text",
    leasedUntil: "instant"
  },
  key: ["id"],
  // An address may hold a token.
  secrets: (row, change) => ({ ...row, url: change(row.url, "url"), secret: change(row.secret, "secret") }),
  ...rowsOf(
    Schema.Struct({
      id: Str,
      url: Str,
      secret: Str,
      types: Schema.Array(Event.EventType),
      createdAt: Num,
      createdBy: Str,
      position: Num,
      attempts: Num,
      nextAt: Num,
      lease: Schema.NullOr(Str),
      leasedUntil: Num
    })
  )
}

/** An event that a subscription did not take. */
export interface DeadLetterRow extends Subscription.DeadLetter {
  readonly subscriptionId: string
  readonly eventId: string
}

/** Dead letters. */
export const deadLetters: Table<DeadLetterRow> = {
  name: "dead_letters",
  scope: "repository",
  columns: {
    subscriptionId: "text",
    eventId: "uuid",
    at: "instant",
    attempts: "integer",
    error: "text",
    event: "json"
  },
  key: ["subscriptionId", "eventId"],
  ...rowsOf(
    Schema.Struct({
      subscriptionId: Str,
      eventId: Str,
      at: Num,
      attempts: Num,
      error: Str,
      event: StoredEvent
    })
  )
}

/** The fields of the rows of both kinds of notifiers: the progress, and the holder and end of the lease. */
interface NotifierFields extends Notifier.Notifier {
  readonly attempts: number
  readonly nextAt: number
  readonly failure: string | null
  readonly sentAt: number | null
  readonly lease: string | null
  readonly leasedUntil: number
}

/** A notifier with its progress, and the holder and end of its lease. */
export interface NotifierRow extends NotifierFields {
  readonly position: number
  readonly until: number | null
}

/** A wide notifier with its progress, and the holder and end of its lease. */
export interface WideNotifierRow extends NotifierFields {
  readonly repositories: ReadonlyArray<string>
  readonly places: ReadonlyArray<LogPlace>
  readonly staged: ReadonlyArray<LogPlace> | null
}

const notifierColumns = {
  id: "text",
  channel: "json",
  types: "json",
  owners: "json",
  schedule: "json",
  createdAt: "instant",
  createdBy: "text",
  attempts: "integer",
  nextAt: "instant",
  failure: "text",
  sentAt: "instant",
  lease: "text",
  leasedUntil: "instant"
} as const

/** A channel whose address may be sealed. */
const StoredChannel = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(Channel.webhookTags), url: Str }),
  Schema.TaggedStruct("Email", { to: Schema.Array(Str) })
])

const notifierFields = {
  id: Str,
  channel: StoredChannel,
  types: Schema.Array(Event.EventType),
  owners: Schema.Array(Str),
  schedule: Notifier.Schedule,
  createdAt: Num,
  createdBy: Str,
  attempts: Num,
  nextAt: Num,
  failure: Schema.NullOr(Str),
  sentAt: Schema.NullOr(Num),
  lease: Schema.NullOr(Str),
  leasedUntil: Num
}

/** The address of an incoming webhook is its password. */
const channelSecret = <Row extends NotifierFields>(
  { channel, ...row }: Row,
  change: (text: string, field: string) => string
) => ({
  ...row,
  channel: channel._tag === "Email" ? channel : { ...channel, url: change(channel.url, "channel.url") }
})

/** Notifiers. */
export const notifiers: Table<NotifierRow> = {
  name: "notifiers",
  scope: "repository",
  columns: { ...notifierColumns, position: "integer", until: "integer" },
  key: ["id"],
  secrets: channelSecret,
  ...rowsOf(Schema.Struct({ ...notifierFields, position: Num, until: Schema.NullOr(Num) }))
}

const Places = Schema.Array(Schema.Struct({ key: Str, createdAt: Num, position: Num }))

/** Wide notifiers. */
export const wideNotifiers: Table<WideNotifierRow> = {
  name: "wide_notifiers",
  scope: "store",
  columns: { ...notifierColumns, repositories: "json", places: "json", staged: "json" },
  key: ["id"],
  secrets: channelSecret,
  ...rowsOf(
    Schema.Struct({
      ...notifierFields,
      repositories: Schema.Array(Str),
      places: Places,
      staged: Schema.NullOr(Places)
    })
  )
}
