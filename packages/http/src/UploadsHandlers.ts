/**
 * The handlers of the routes that take test reports.
 *
 * @since 0.1.0
 */
import { JUnit } from "@lazaret/ingest"
import { Ingestion } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Problem from "./Problem.ts"
import * as UploadBody from "./UploadBody.ts"
import * as Upload from "./wire/Upload.ts"

/**
 * The handlers over the service.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const ingestion = yield* Ingestion

    return handlers.handle(
      "uploadReport",
      Effect.fnUntraced(function* ({ params, query }) {
        const { digest, parsed } = yield* UploadBody.read(JUnit.make())
        const receipt = yield* Problem.fromService(
          ingestion.record(params, {
            idempotencyKey: query.idempotency_key ?? null,
            digest,
            finishedAt: query.finished_at ?? parsed.finishedAt,
            run: Upload.runOf(query, parsed.context),
            cases: parsed.cases,
            warnings: [...Upload.warningsOf(query), ...parsed.warnings]
          })
        )
        return Upload.receiptOf(receipt)
      })
    )
  })
)
