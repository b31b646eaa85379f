/** Sending one report to a server. */
import type { Repository } from "@lazaret/domain"
import { Effect, Schema, type Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Api from "./Api.ts"
import type { CommandFailure } from "./CommandFailure.ts"
import type { Connection } from "./Connection.ts"
import type { Format } from "./ReportFile.ts"

/** A report on its way: a name for messages, its context as query parameters, and its bytes; XML unless it is said. */
export interface Upload {
  readonly label: string
  readonly ref: Repository.RepositoryRef
  readonly query: Readonly<Record<string, string>>
  readonly format?: Format
  readonly body: Stream.Stream<Uint8Array, CommandFailure>
}

/** What a server answers to an upload. */
export const Receipt = Schema.Struct({
  report_id: Schema.NullOr(Schema.String),
  executions: Schema.Struct({
    received: Schema.Int,
    recorded: Schema.Int,
    duplicates: Schema.Int,
    skipped: Schema.Int
  }),
  identities: Schema.Int,
  warnings: Schema.Array(Schema.String)
})

/** What a server answers to an upload. */
export type Receipt = typeof Receipt.Type

/** Sends a report, compressed, and yields the receipt. Reasons that may pass are waited out (see `Api.call`). */
export const send = Effect.fnUntraced(function* (
  connection: Connection,
  { body, format = "junit", label, query, ref }: Upload,
  onRetry: (reason: string) => Effect.Effect<void>
) {
  const { contentType, route } = routes[format]
  const path = `/v1/ci/${ref.owner}/repositories/${ref.repository}/${route}`
  const request = yield* HttpClientRequest.post(path, { urlParams: query }).pipe(
    HttpClientRequest.bodyStream(body, { contentType }),
    HttpClientRequest.compressBody("gzip")
  )
  return yield* Api.call(connection, { request, answer: Receipt, subject: label, isFirst: false }, onRetry)
})

const routes: { readonly [F in Format]: { readonly route: string; readonly contentType: string } } = {
  junit: { route: "reports", contentType: "application/xml" },
  ctrf: { route: "reports", contentType: "application/json" },
  otlp: { route: "traces", contentType: "application/json" }
}
