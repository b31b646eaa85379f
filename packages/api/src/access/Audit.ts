/** The audit log on the wire (beyond the interface). */
import { AuditEntry as Domain, Repository, Text } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { parameter, Timestamp } from "../definition/Timestamp.ts"

const Fields = Schema.Record(Schema.String, Schema.Json)

/** The conditions on entries. */
export const AuditFilterQuery = {
  owner: Schema.optionalKey(Repository.Owner.annotate({ description: "Only actions that concern this owner." })),
  repository: Schema.optionalKey(
    Repository.RepositoryName.annotate({
      description: "Only actions in the repository of this name; it needs `owner`."
    })
  ),
  action: Schema.optionalKey(
    Text.between(1, 100).annotate({
      description: "Only this action: the id of an operation, such as `createApplicationKey`."
    })
  ),
  actor: Schema.optionalKey(Text.between(1, 255).annotate({ description: "Only actions of the actor of this name." })),
  start: Schema.optionalKey(parameter("The first instant of the entries.", "2026-01-30T12:00:00Z")),
  end: Schema.optionalKey(parameter("The first instant after the entries.", "2026-01-31T12:00:00Z"))
}

/** The parameters of the list. */
export const AuditQuery = { ...AuditFilterQuery, ...Parameter.page }

/** An entry. */
export const AuditEntry = Schema.Struct({
  id: Schema.String,
  at: Timestamp,
  actor: Schema.Struct({
    kind: Domain.ActorKind,
    id: Schema.String,
    name: Schema.String.annotate({ description: "The name of the key, or the login of the person." })
  }),
  address: Schema.NullOr(Schema.String).annotate({ description: "Where the request came from." }),
  action: Schema.String,
  owner: Schema.NullOr(Schema.String),
  repository: Schema.NullOr(Schema.String),
  target: Fields.annotate({ description: "The names in the path of the operation, such as the id of a key." }),
  outcome: Domain.Outcome.annotate({
    description: "`started`: the outcome was never written, because the server or its storage ended in between."
  }),
  before: Schema.NullOr(Fields),
  after: Schema.NullOr(Fields)
}).annotate({ identifier: "AuditEntry", description: "An administrative action." })

/** A page of entries. */
export const AuditPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  entries: Schema.Array(AuditEntry),
  total: Schema.Int
}).annotate({ identifier: "AuditPage", description: "A page of the audit log, the newest entries first." })

/** An entry as one line of JSON. */
export const auditLine = (entry: typeof AuditEntry.Type): string => `${JSON.stringify(encode(entry))}\n`

const encode = Schema.encodeSync(AuditEntry)
