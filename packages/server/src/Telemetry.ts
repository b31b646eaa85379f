/** Export of traces and metrics by OTLP over HTTP. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer, Option, Redacted } from "effect"
import { HttpClient, HttpMiddleware } from "effect/http"
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { Settings } from "./Settings.ts"
import { version } from "./Version.ts"

type OtlpSettings = Pick<Settings, "otlpEndpoint" | "otlpProtocol" | "otlpHeaders" | "serviceName">

/**
 * Sends traces and metrics to the endpoint of the settings; without an endpoint, nothing is recorded or sent.
 *
 * **Details**
 *
 * The remaining spans and metrics are sent when the layer is released. When the endpoint does not answer, only telemetry is lost.
 * `RequestMetrics` of `@lazaret/http` makes the spans of requests, named by route. Requests to other servers have no span,
 * because the address of a webhook can be a secret.
 */
export const layer = (settings: OtlpSettings): Layer.Layer<never> => {
  const quiet = Layer.mergeAll(
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
    Layer.succeed(HttpClient.TracerDisabledWhen, () => true)
  )
  return settings.otlpEndpoint === null ? quiet : Layer.merge(quiet, exporters(settings, settings.otlpEndpoint))
}

const exporters = ({ otlpHeaders, otlpProtocol, serviceName }: OtlpSettings, endpoint: string) => {
  const options = {
    resource: { serviceName, serviceVersion: version },
    headers: Option.match(Option.fromNullOr(otlpHeaders), { onNone: () => ({}), onSome: Redacted.value })
  }
  return Layer.mergeAll(
    OtlpTracer.layer({ ...options, url: `${endpoint}/v1/traces` }),
    OtlpMetrics.layer({ ...options, url: `${endpoint}/v1/metrics`, exportInterval: "1 minute" })
  ).pipe(
    Layer.provide(otlpProtocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(NodeHttpClient.layerNodeHttp)
  )
}
