import type { Report } from "@lazaret/domain"
import protobuf from "protobufjs"

/** The part of opentelemetry-proto 1.x that a test span needs, as its authors write it. */
const proto = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message InstrumentationScope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; fixed32 flags = 16;
  string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10; Status status = 15;
}
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; bytes bytes_value = 7;
  }
}`
const Request = protobuf.parse(proto).root.lookupType("ExportTraceServiceRequest")

type Value = string | boolean | number

const anyValue = (value: Value): Readonly<Record<string, Value>> => {
  if (typeof value === "string") return { stringValue: value }
  return typeof value === "boolean" ? { boolValue: value } : { intValue: String(value) }
}

const attributes = (values: Readonly<Record<string, Value | null | undefined>>) =>
  Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValue(value) }]
  )

const span = (each: Report.Case) => {
  const end = BigInt(each.at ?? 0) * 1_000_000n
  return {
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: "eee19b7ec3c1b174",
    name: each.testName,
    kind: 1,
    startTimeUnixNano: String(end - BigInt(Math.round(each.durationMs * 1000)) * 1000n),
    endTimeUnixNano: String(end),
    attributes: attributes({
      "test.scope": "case",
      "test.case.name": each.testName,
      "test.case.result.status": each.conclusion,
      "cicd.test.retry_count": each.reruns,
      "cicd.test.flaky": each.flaky,
      "exception.type": each.exception?.type,
      "exception.message": each.exception?.message,
      "exception.stacktrace": each.exception?.stacktrace,
      "code.filepath": each.filepath
    })
  }
}

/** A request of one resource with bare spans, of which only name, scope and attributes matter. */
export const bare = (
  resource: Readonly<Record<string, Value>>,
  spans: ReadonlyArray<Readonly<Record<string, Value>>>,
  scope = "writer"
) => ({
  resourceSpans: [
    {
      resource: { attributes: attributes(resource) },
      scopeSpans: [
        {
          scope: { name: scope },
          spans: spans.map(({ name = "t", ...values }) => ({
            name,
            startTimeUnixNano: "1700000000000000000",
            endTimeUnixNano: "1700000000050000000",
            attributes: attributes({ "test.scope": "case", "test.case.result.status": "passed", ...values })
          }))
        }
      ]
    }
  ]
})

/** A request in the JSON form of OTLP. */
export const request = (cases: ReadonlyArray<Report.Case>) => ({
  resourceSpans: [{ scopeSpans: [{ scope: { name: "writer" }, spans: cases.map(span) }] }]
})

export const writeJson = (cases: ReadonlyArray<Report.Case>): string => JSON.stringify(request(cases))

export const writeProtobuf = (cases: ReadonlyArray<Report.Case>): Uint8Array => encode(request(cases))

/** The bytes of any request in its JSON form. */
export const encode = (json: Readonly<Record<string, unknown>>): Uint8Array =>
  Request.encode(Request.fromObject(json)).finish()
