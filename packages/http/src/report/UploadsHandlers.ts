/** The handlers of uploads. */
import { Api, Problem } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Ingestion } from "@lazaret/services"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as BoundUpload from "./BoundUpload.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import { UploadBody } from "./UploadBody.ts"
import * as UploadFormat from "./UploadFormat.ts"
import * as Traces from "./Traces.ts"
import * as Upload from "./Upload.ts"

/** The handlers over the services. */
export const layer = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const ingestion = yield* Ingestion
    const { receive } = yield* UploadBody

    const recordTraces = Effect.fnUntraced(function* (
      ref: Repository.RepositoryRef,
      request: HttpServerRequest.HttpServerRequest,
      content: Parameters<typeof Traces.uploadsOf>[0]
    ) {
      const parsed = yield* Effect.fromResult(Traces.uploadsOf(content)).pipe(Effect.mapError(Problem.unprocessable))
      const uploads = yield* Effect.forEach(parsed, BoundUpload.of)
      const receipts = yield* Effect.forEach(uploads, (upload) =>
        ServiceErrors.toProblem(ingestion.record(ref, upload))
      )
      return Traces.answerOf(UploadFormat.mediaType(request), receipts)
    })

    const uploadTraces = (ref: Repository.RepositoryRef, request: HttpServerRequest.HttpServerRequest) =>
      receive(UploadFormat.traces, (content) => recordTraces(ref, request, content))

    // The framework refuses a body of an undocumented type without a word of what to send instead.
    const withReports = handlers.handleRaw("uploadReport", ({ params, query }) =>
      receive(UploadFormat.reports(query.checkout), (content) =>
        BoundUpload.of(Upload.uploadOf(query, content)).pipe(
          Effect.flatMap((upload) => ServiceErrors.toProblem(ingestion.record(params, upload))),
          Effect.map(Upload.receiptOf)
        )
      )
    )

    return withReports.handleAll({
      uploadTraces: ({ params, request }) => uploadTraces(params, request),
      uploadTracesByOldPath: ({ params, request }) => uploadTraces(params, request)
    })
  })
)
