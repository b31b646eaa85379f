/** Sends one report to a server. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Effect, type Stream } from "effect"
import type { CommandFailure } from "../terminal/CommandFailure.ts"
import { both, MediaType } from "../connection/Request.ts"
import type * as Session from "../connection/Session.ts"

/** The answer to a report. */
export type Receipt = Omit<typeof Schemas.TracesReceipt.Type, "reports">

/** Sends one report, and yields its receipt and the receipt as the server sent it. */
export type Sent = Effect.Effect<{ readonly value: Receipt; readonly body: unknown }, CommandFailure>

/** A report to send: the subject of its failures, and its bytes. */
export interface Upload {
  readonly label: string | null
  readonly params: Repository.RepositoryRef
  readonly body: Stream.Stream<Uint8Array, CommandFailure>
}

/** Sends a report of a run, whose content the server recognises. A repetition has no other effect: the server counts a report once. */
export const send = (session: Session.Session, { body, label, params }: Upload, query: Schemas.ReportQuery): Sent =>
  session
    .call(label, (api) => api.uploadReport({ params, query, payload: body, ...both }))
    .pipe(Effect.provideService(MediaType, "application/octet-stream"))

/** Sends test spans (OTLP JSON), which name their runs. */
export const sendTraces = (session: Session.Session, { body, label, params }: Upload): Sent =>
  session
    .call(label, (api) => api.uploadTraces({ params, payload: body, ...both }))
    .pipe(
      Effect.provideService(MediaType, "application/json"),
      // The server answers JSON with JSON.
      Effect.map(({ body: json, value }) => ({ body: json, value: value as typeof Schemas.TracesReceipt.Type }))
    )
