/** The media types of request bodies that the server reads piece by piece. */

/** The media types of test reports. */
export const reports = ["application/xml", "text/xml", "application/json"] as const

/** The media types of requests with test spans (OTLP/HTTP). */
export const traces = ["application/x-protobuf", "application/json"] as const
