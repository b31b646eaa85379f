/** Events on the wire (our choice: the interface has no such route). */
import { Event } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

/** The parameters of the list. */
export const EventsQuery = {
  type: Schema.optionalKey(Event.EventType.annotate({ description: "Only events of this type." })),
  ...Parameter.page
}

/** An event; its type decides what `detail` holds. */
export const EventBody = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  at: Timestamp,
  type: Event.EventType,
  actor: Schema.String,
  test_id: Schema.NullOr(Schema.String.check(Schema.isUUID(5))),
  test_name: Schema.NullOr(Schema.String),
  branch: Schema.NullOr(Schema.String),
  summary: Schema.String,
  owners: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description:
      "The owners of the file of its test by CODEOWNERS as it is now, or `no-owner`, or `no-file`. Null of an event about no test, in " +
      "a repository without CODEOWNERS, and in a list of dead letters."
  }),
  detail: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "Event", description: "Something that has happened in a repository." })

/** A page of events. */
export const EventsPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  events: Schema.Array(EventBody),
  total: Schema.Int
}).annotate({ identifier: "EventsPage", description: "A page of events, the newest first." })

/** An event with the owners of its test. */
type Owned = Event.Event & { readonly owners: ReadonlyArray<string> | null }

/** The document of an event: the same in the list of events and in the body of a webhook. */
export const eventOf = (event: Owned): typeof EventBody.Type => ({
  id: event.id,
  at: event.at,
  type: event.type,
  actor: event.actor,
  test_id: event.testId,
  test_name: event.testName,
  branch: event.branch,
  summary: event.summary,
  owners: event.owners,
  detail: wireNames(event.detail)
})

/** The fields of a detail by their names on the wire: `pipelineName` becomes `pipeline_name`. */
const wireNames = (detail: Event.Detail): Event.Detail =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [wireName(name), withWireNames(value)]))

const withWireNames = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map(withWireNames)
  return typeof value === "object" && value !== null ? wireNames(value as Event.Detail) : value
}

const wireName = (name: string): string => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** The document of an event as JSON text. */
export const eventJson = (event: Owned): string => JSON.stringify(encodeEvent(eventOf(event)))

const encodeEvent = Schema.encodeSync(EventBody)
