/** Notifiers on the wire (beyond the interface). */
import { Channel, Event, Notifier as Domain, Subscription } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

const hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 }))

const timeZone = Domain.TimeZone.annotate({
  description: "A time zone of the IANA database.",
  examples: ["Europe/Paris"]
})

const Schedule = Schema.Union([
  Schema.Struct({ every: Schema.Literal("at_once") }),
  Schema.Struct({ every: Schema.Literal("day"), hour, time_zone: timeZone }),
  Schema.Struct({
    every: Schema.Literal("week"),
    weekday: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })).annotate({
      description: "1 is Monday, 7 is Sunday."
    }),
    hour,
    time_zone: timeZone
  })
]).annotate({ description: "When it writes: at once, or a digest at an hour of the day in a time zone." })

const url = Subscription.Target.annotate({
  description: "The address of an incoming webhook, which is a secret; never shown again.",
  examples: ["https://example.com"]
})

const wanted = {
  // A member for each kind: a wrong kind is answered with all of them.
  channel: Schema.Union([
    ...Channel.webhookKinds.map((kind) => Schema.Struct({ kind: Schema.Literal(kind), url })),
    Schema.Struct({ kind: Schema.Literal("email"), to: Channel.Mailboxes })
  ]),
  events: Schema.optionalKey(
    Schema.Array(Event.EventType).annotate({ description: "The types of events that it reports; all unless given." })
  ),
  owners: Schema.optionalKey(
    Domain.Owners.annotate({
      description:
        "Only events about tests of these owners, as CODEOWNERS names them, and events about no test; all unless given.",
      examples: [["@acme/web"]]
    })
  ),
  schedule: Schema.optionalKey(Schedule)
}

/** The body that creates a notifier. */
export const CreateNotifier = Schema.Struct(wanted).annotate({ identifier: "CreateNotifier" })

const repositories = Domain.RepositoryPatterns.annotate({
  description:
    "The repositories that it is about: names, or patterns in which `*` stands for any text and `?` for one character. The owner is a " +
    "name or `*`. Repositories that are created later belong to it, too.",
  examples: [["acme/*"]]
})

/** The body that creates a wide notifier. */
export const CreateWideNotifier = Schema.Struct({ repositories, ...wanted }).annotate({
  identifier: "CreateWideNotifier"
})

const shown = {
  id: Schema.String.check(Schema.isUUID()),
  channel: Schema.Union([
    Schema.Struct({ kind: Schema.Literals(Channel.webhookKinds), host: Schema.String }),
    Schema.Struct({ kind: Schema.Literal("email"), to: Schema.Array(Schema.String) })
  ]),
  events: Schema.Array(Event.EventType),
  owners: Schema.Array(Schema.String),
  schedule: Schedule,
  created_at: Timestamp,
  created_by: Schema.String,
  sent_at: Schema.NullOr(Timestamp).annotate({ description: "When its last message was accepted." }),
  failure: Schema.NullOr(Schema.String).annotate({
    description:
      "Why the last attempt failed, or why none can succeed with the settings of the server; null after a success."
  }),
  attempts: Schema.Int.annotate({ description: "How often the message that is due has failed." }),
  next_at: Schema.NullOr(Timestamp).annotate({ description: "When it writes next, if there is something to send." })
}

/** A notifier with its progress; the address of an incoming webhook is shown without its secret part. */
export const Notifier = Schema.Struct(shown).annotate({
  identifier: "Notifier",
  description: "Where people learn what has happened, of what, and when."
})

/** A notifier of several repositories with its progress. */
export const WideNotifier = Schema.Struct({ repositories, ...shown }).annotate({
  identifier: "WideNotifier",
  description: "Where people learn what has happened in several repositories, of what, and when."
})

/** The notifiers of a repository. */
export const NotifierList = Schema.Struct({ notifiers: Schema.Array(Notifier) }).annotate({
  identifier: "NotifierList",
  description: "The notifiers of the repository, the oldest first."
})

/** The wide notifiers within reach. */
export const WideNotifierList = Schema.Struct({ notifiers: Schema.Array(WideNotifier) }).annotate({
  identifier: "WideNotifierList",
  description: "The notifiers of several repositories, the oldest first."
})
