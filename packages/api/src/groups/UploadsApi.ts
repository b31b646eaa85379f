/**
 * The routes of CI jobs: they take test reports, and tell reporters and gates what they need (beyond the interface).
 */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { FlakyDetectionContext } from "../wire/FlakyDetection.ts"
import * as MediaType from "../wire/MediaType.ts"
import * as Parameter from "../wire/Parameter.ts"
import { CheckedQuarantines, CheckQuarantines } from "../wire/Quarantine.ts"
import { TracesProtobuf, TracesReceipt } from "../wire/Traces.ts"
import { Receipt, ReportQuery } from "../wire/Upload.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const prefix = "/v1/ci/:owner/repositories/:repository"

const bodyErrors = [
  Problem.ContentTooLarge,
  Problem.UnsupportedMediaType,
  Problem.Unprocessable,
  Problem.Unavailable
] as const

const uploadReport = HttpApiEndpoint.post("uploadReport", `${prefix}/reports`, {
  params: Parameter.repository,
  query: ReportQuery,
  payload: HttpApiSchema.StreamUint8Array({ contentType: MediaType.reports }),
  success: Receipt.pipe(HttpApiSchema.status(201)),
  error: [Problem.Conflict, ...bodyErrors]
}).annotateMerge(
  described(
    "Upload a test report",
    "Takes JUnit XML or CTRF, as it is or with `Content-Encoding: gzip`. What the query says about the run wins over " +
      "what the report says. The same report again changes nothing and answers as " +
      "the first time, with `duplicates`."
  )
)

const traces = {
  params: Parameter.repository,
  payload: HttpApiSchema.StreamUint8Array({ contentType: MediaType.traces }),
  success: [TracesReceipt.pipe(HttpApiSchema.status(201)), TracesProtobuf.pipe(HttpApiSchema.status(201))],
  error: [Problem.Conflict, ...bodyErrors]
}

const aboutTraces =
  "Takes an OTLP/HTTP `ExportTraceServiceRequest`, as it is or with `Content-Encoding: gzip`, and records the spans " +
  "that are test cases (`test.scope` is `case`); all others are ignored. The same request again changes nothing."

const uploadTraces = HttpApiEndpoint.post("uploadTraces", `${prefix}/traces`, traces).annotateMerge(
  described("Upload test spans", aboutTraces)
)

const uploadTracesByOldPath = HttpApiEndpoint.post(
  "uploadTracesByOldPath",
  "/v1/repos/:owner/:repository/ci/traces",
  traces
).annotateMerge(
  OpenApi.annotations({ summary: "Upload test spans (older path)", description: aboutTraces, deprecated: true })
)

const checkQuarantines = HttpApiEndpoint.post("checkQuarantines", `${prefix}/quarantines/check`, {
  params: Parameter.repository,
  payload: CheckQuarantines,
  success: CheckedQuarantines,
  error: [Problem.NotFound, ...bodyErrors]
}).annotateMerge(
  described(
    "Tell which tests are quarantined",
    "Splits names into those that are quarantined on a branch and the others."
  )
)

const getFlakyDetectionContext = HttpApiEndpoint.get("getFlakyDetectionContext", `${prefix}/flaky-detection-context`, {
  params: Parameter.repository,
  success: FlakyDetectionContext,
  error: [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]
}).annotateMerge(
  described(
    "Get what reporters need to find flaky tests",
    "Names the known, flaky and broken tests, and how much time reruns may take. Not found when flaky detection is off."
  )
)

/** The group of the routes of CI jobs. */
export class UploadsApi extends HttpApiGroup.make("uploads", { topLevel: true })
  .add(uploadReport, uploadTraces, uploadTracesByOldPath, checkQuarantines, getFlakyDetectionContext)
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "What CI jobs send and ask." })) {}
