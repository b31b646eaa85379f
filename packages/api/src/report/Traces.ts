/** Requests with test spans on the wire: the runs in them, and the answer. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Receipt } from "./Upload.ts"

/**
 * The answer to a request in JSON: the receipt over all job runs in it, and one for each.
 *
 * `report_id` is that of the first job run, null when no span was a test case. Readers of OTLP see an
 * `ExportTraceServiceResponse` without a partial success: all spans were taken.
 */
export const TracesReceipt = Schema.Struct({
  ...Receipt.fields,
  report_id: Schema.NullOr(Receipt.fields.report_id),
  reports: Schema.Array(Receipt)
}).annotate({
  identifier: "TracesReceipt",
  description: "The outcome for the report of each job run in the request."
})

/** The answer to a request in protobuf: an empty `ExportTraceServiceResponse`, which says that all spans were taken. */
export const TracesProtobuf = Schema.Uint8Array.pipe(
  HttpApiSchema.asUint8Array({ contentType: "application/x-protobuf" })
)
