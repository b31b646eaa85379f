import { QueueEvent } from "@lazaret/domain"
import { Schema, SchemaIssue, Result } from "effect"
import { Timestamp } from "../src/wire/Timestamp.ts"
const E = Schema.Union([
  ...QueueEvent.knownWithTime(Timestamp).members,
  QueueEvent.unknownWithTime(Timestamp)
]).annotate({ identifier: "QueueEvent", expected: "a queue event", message: "must be an object" } as any)
const S = Schema.Struct({ events: Schema.Array(E) })
const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "is required" : SchemaIssue.defaultLeafHook(issue))
})
const show = (x: unknown) => {
  const r = Schema.decodeUnknownResult(S, { errors: "all" })({ events: [x] })
  if (Result.isSuccess(r)) console.log(JSON.stringify(x), "OK", JSON.stringify(r.success))
  else
    console.log(
      JSON.stringify(x),
      "\n   ",
      format((r.failure as any).issue ?? r.failure)
        .issues.map((i) => (i.path ?? []).join(".") + ": " + i.message)
        .join("\n    ")
    )
}
const c = { id: "e", at: "2026-01-31T12:00:00Z", branch: "main", pull_request: 1 }
show({ ...c, kind: "queued" })
show({ ...c, kind: "queued", priority: "hi" })
show({ ...c, kind: "queued", at: "x", pull_request: 9007199254740992 })
show({ ...c, kind: "frozen", at: "x" })
show({ ...c, kind: "frozen" })
show({ ...c })
show({ ...c, kind: 3 })
show(null)
show("x")
show({ ...c, kind: "checks_started" })
show({ ...c, kind: "checks_started", check_type: "x", check_pull_request: -1 })
show({ ...c, kind: "check_updated", check: { name: "a", url: "javascript:x", state: "x" } })
show({ ...c, kind: "merged", extra: 1 })
show({ ...c, kind: "" })
show({ ...c, unknownKind: "x" })
