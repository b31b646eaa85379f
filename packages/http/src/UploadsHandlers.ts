/**
 * The handlers of the routes of CI jobs: one use case each.
 *
 * @since 0.1.0
 */
import { JUnit } from "@lazaret/ingest"
import { FlakyDetection, Ingestion, Quarantines } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Problem from "./Problem.ts"
import * as UploadBody from "./UploadBody.ts"
import * as FlakyDetectionContext from "./wire/FlakyDetection.ts"
import * as Quarantine from "./wire/Quarantine.ts"
import * as Upload from "./wire/Upload.ts"

/**
 * The handlers over the services.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const ingestion = yield* Ingestion
    const quarantines = yield* Quarantines
    const flakyDetection = yield* FlakyDetection

    return handlers.handleAll({
      uploadReport: ({ params, query }) =>
        UploadBody.read(JUnit.make()).pipe(
          Effect.flatMap((content) => Problem.fromService(ingestion.record(params, Upload.uploadOf(query, content)))),
          Effect.map(Upload.receiptOf)
        ),
      checkQuarantines: ({ params, payload }) =>
        quarantines
          .check(params, payload.tests_names, payload.branch ?? null)
          .pipe(Effect.map(Quarantine.checkedOf), Problem.fromService),
      getFlakyDetectionContext: ({ params }) =>
        flakyDetection.context(params).pipe(Effect.map(FlakyDetectionContext.of), Problem.fromService)
    })
  })
)
