/** The media types of request bodies that the server reads piece by piece. */

/** The media types of test reports; the content of `application/octet-stream` is recognised. */
export const reports = [
  "application/xml",
  "text/xml",
  "application/json",
  "application/x-ndjson",
  "application/octet-stream"
] as const

/** The media types of requests with test spans (OTLP/HTTP). */
export const traces = ["application/x-protobuf", "application/json"] as const
