/**
 * The routes that take test reports from CI (beyond the interface).
 *
 * @since 0.1.0
 */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Faults } from "./Faults.ts"
import * as Problem from "./Problem.ts"
import * as Parameter from "./wire/Parameter.ts"
import { Receipt, ReportQuery } from "./wire/Upload.ts"

/**
 * The group of the routes that take test reports.
 *
 * @category groups
 * @since 0.1.0
 */
export class UploadsApi extends HttpApiGroup.make("uploads", { topLevel: true })
  .add(
    HttpApiEndpoint.post("uploadReport", "/v1/ci/:owner/repositories/:repository/reports", {
      params: Parameter.repository,
      query: ReportQuery,
      payload: HttpApiSchema.StreamUint8Array({ contentType: ["application/xml", "text/xml"] }),
      success: Receipt.pipe(HttpApiSchema.status(201)),
      error: [
        Problem.Conflict,
        Problem.ContentTooLarge,
        Problem.UnsupportedMediaType,
        Problem.Unprocessable,
        Problem.Unavailable
      ]
    }).annotateMerge(OpenApi.annotations({ summary: "Upload a test report" }))
  )
  .middleware(Faults)
  .middleware(Authentication) {}
