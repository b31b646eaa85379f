/** The wire form of feeds of merge queues: events, and the text of the configuration file (beyond the interface). */
import { Instant, Text } from "@lazaret/domain"
import { QueueEvent as Event, QueueOutcome as Outcome } from "@lazaret/queue"
import { Option, Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Fault } from "../definition/Problem.ts"
import * as Timestamp from "../definition/Timestamp.ts"

/**
 * The most events in one batch: what a feed that was cut off for a day catches up with in a few requests, and what fits
 * into a body of 1 MiB.
 */
export const mostEvents = 1000

/** Checked as text already, so that its faults are listed together with those of all other fields. */
const At = Schema.String.check(
  Schema.makeFilter((text: string) => (Option.isSome(Timestamp.parse(text)) ? undefined : Timestamp.rule), {
    toJsonSchema: () => ({ format: "date-time" })
  })
).pipe(
  Schema.decodeTo(
    Instant.Instant,
    SchemaTransformation.transform({
      decode: (text) => Option.getOrElse(Timestamp.parse(text), () => Number.NaN),
      encode: Instant.toIso
    })
  )
)

/**
 * A queue event. The members are those of the domain in one union, so that a fault names the field of the kind that was
 * meant, and not every kind there is.
 */
export const QueueEvent = Schema.Union([...Event.knownWithTime(At).members, Event.unknownWithTime(At)]).annotate({
  identifier: "QueueEvent",
  message: "must be an object with the fields of a queue event"
})

/** A batch of events. */
export const QueueEvents = Schema.Struct({
  events: Schema.Array(QueueEvent).check(
    Schema.isMaxLength(mostEvents, {
      message: `must hold at most ${mostEvents} events: send the others in a batch of their own`
    })
  )
}).annotate({ identifier: "QueueEvents" })

/** The outcome of an event. */
export const QueueOutcome = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["applied", "ignored"]),
  reason: Schema.optionalKey(Outcome.Reason),
  detail: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "QueueOutcome" })

/** The outcomes of the events of a batch, in their order. */
export const QueueOutcomes = Schema.Struct({ outcomes: Schema.Array(QueueOutcome) }).annotate({
  identifier: "QueueOutcomes",
  description: "The outcome of each event."
})

/** The media types that are in use for YAML. */
export const yamlTypes = ["application/yaml", "text/yaml", "application/x-yaml", "text/plain"] as const

/** The text of a configuration file, under each of its media types. */
export const QueueConfigurationText = yamlTypes.map((contentType) =>
  Text.Storable.pipe(HttpApiSchema.asText({ contentType }))
)

/** A fault of a configuration file; its line counts from 1. */
const ConfigurationFault = Schema.Struct({ ...Fault.fields, line: Schema.Int })

/** The outcome of a configuration file; it is kept in any case. */
export const KeptQueueConfiguration = Schema.Struct({
  valid: Schema.Boolean,
  errors: Schema.Array(ConfigurationFault)
}).annotate({ identifier: "KeptQueueConfiguration", description: "What is wrong with the file, which is kept." })
