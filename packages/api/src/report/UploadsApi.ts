/** The uploads of CI jobs: test reports and test spans (beyond the interface). */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { uploadExamples } from "./UploadExamples.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as MediaType from "../definition/MediaType.ts"
import * as Parameter from "../definition/Parameter.ts"
import { TracesProtobuf, TracesReceipt } from "./Traces.ts"
import { Receipt, ReportQuery } from "./Upload.ts"

const upload = Operation.demands(Access.uploads)

/** Reports are data of CI jobs and no administrative action. */
const isData = Operation.audited(false)

const uploadReport = HttpApiEndpoint.post("uploadReport", `${repositoryPath}/reports`, {
  params: Parameter.repository,
  query: ReportQuery,
  payload: HttpApiSchema.StreamUint8Array({ contentType: MediaType.reports }),
  success: Receipt.pipe(HttpApiSchema.status(201)),
  error: Problem.ofRepositoryBody
}).pipe(
  upload,
  isData,
  Operation.documented({
    summary: "Upload a test report",
    description:
      "Accepts JUnit XML or TRX (`application/xml`), CTRF or the JSON report of Playwright, Jest or Vitest " +
      "(`application/json`), or the stream of `go test -json` (`application/x-ndjson`), plain or with " +
      "`Content-Encoding: gzip`. The server recognises the format by the content; `application/octet-stream` is accepted for all. " +
      "Query parameters about the run take precedence over the report. The same report again changes nothing: the response is that of the first upload, with `duplicates`."
  })
)

const traces = {
  params: Parameter.repository,
  payload: HttpApiSchema.StreamUint8Array({ contentType: MediaType.traces }),
  success: [TracesReceipt.pipe(HttpApiSchema.status(201)), TracesProtobuf.pipe(HttpApiSchema.status(201))],
  error: Problem.ofRepositoryBody
}

const aboutTraces =
  "Accepts an OTLP/HTTP `ExportTraceServiceRequest`, plain or with `Content-Encoding: gzip`, and records the spans that are " +
  "test cases (`test.scope` is `case`); other spans are ignored. The same request again changes nothing."

const uploadTraces = HttpApiEndpoint.post("uploadTraces", `${repositoryPath}/traces`, traces).pipe(
  upload,
  isData,
  Operation.documented({ summary: "Upload test spans", description: aboutTraces })
)

const uploadTracesByOldPath = HttpApiEndpoint.post(
  "uploadTracesByOldPath",
  "/v1/repos/:owner/:repository/ci/traces",
  traces
).pipe(
  upload,
  isData,
  Operation.documented({
    summary: "Upload test spans (older path)",
    description: aboutTraces,
    deprecated: true,
    example: uploadExamples.uploadTraces
  })
)

/** The group of the operations of CI jobs. */
export class UploadsApi extends Operation.guarded(
  "uploads",
  { description: "Uploads of CI jobs." },
  uploadReport,
  uploadTraces,
  uploadTracesByOldPath
) {}
