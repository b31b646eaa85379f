/** The operations that read the audit log (beyond the interface). */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Schema } from "effect"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import * as Problem from "../definition/Problem.ts"
import { AuditFilterQuery, AuditPage, AuditQuery } from "./Audit.ts"

const about =
  "An admin key of one owner reads the entries that concern this owner; those that concern the whole server need a key for all owners."

const listAudit = HttpApiEndpoint.get("listAudit", "/v1/audit", {
  query: AuditQuery,
  success: linked(AuditPage),
  error: [Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.adminKey("read")),
  Operation.documented({
    summary: "List the audit log",
    description: `Lists administrative actions, newest first, with the actor, the time, the address and the changes. ${about}`
  })
)

const exportAudit = HttpApiEndpoint.get("exportAudit", "/v1/audit/export", {
  query: AuditFilterQuery,
  success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" })),
  error: [Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.adminKey("read")),
  Operation.documented({
    summary: "Export the audit log",
    description: `Sends every entry as a line of JSON, newest first. ${about}`
  })
)

/** The group of the audit log. */
export class AuditApi extends Operation.guarded(
  "audit",
  { description: "The audit log: administrative actions and their actors." },
  listAudit,
  exportAudit
) {}
