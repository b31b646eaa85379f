/**
 * OTLP trace requests in protobuf, span by span.
 *
 * The messages are declared here and read by the library. Lists of spans are walked instead of decoded as a whole: a body
 * of 256 MiB of empty spans costs time, not memory.
 */
import { Result } from "effect"
import protobuf from "protobufjs/light.js"
import type { Limits } from "../text/Limits.ts"
import * as OtlpSpan from "./OtlpSpan.ts"
import * as ParseError from "../text/ParseError.ts"
import { type Refusal, Refused, toError, tooManySpans } from "../text/Refusal.ts"

/** The fields of `opentelemetry/proto` (version 1) that are read; the library skips every other. */
const messages = protobuf.Root.fromJSON({
  nested: {
    Resource: { fields: { attributes: { rule: "repeated", type: "KeyValue", id: 1 } } },
    InstrumentationScope: { fields: { name: { type: "string", id: 1 } } },
    Span: {
      fields: {
        name: { type: "string", id: 5 },
        startTimeUnixNano: { type: "fixed64", id: 7 },
        endTimeUnixNano: { type: "fixed64", id: 8 },
        attributes: { rule: "repeated", type: "KeyValue", id: 9 },
        events: { rule: "repeated", type: "Event", id: 11 },
        status: { type: "Status", id: 15 }
      }
    },
    Event: {
      fields: {
        name: { type: "string", id: 2 },
        attributes: { rule: "repeated", type: "KeyValue", id: 3 }
      }
    },
    Status: { fields: { message: { type: "string", id: 2 }, code: { type: "int32", id: 3 } } },
    KeyValue: { fields: { key: { type: "string", id: 1 }, value: { type: "AnyValue", id: 2 } } },
    AnyValue: {
      oneofs: { value: { oneof: ["stringValue", "boolValue", "intValue", "doubleValue"] } },
      fields: {
        stringValue: { type: "string", id: 1 },
        boolValue: { type: "bool", id: 2 },
        intValue: { type: "int64", id: 3 },
        doubleValue: { type: "double", id: 4 }
      }
    }
  }
})
const Resource = messages.lookupType("Resource")
const InstrumentationScope = messages.lookupType("InstrumentationScope")
const Span = messages.lookupType("Span")

/** The result of decoding the declaration of `Span` above. */
interface SpanMessage {
  readonly name: string
  readonly startTimeUnixNano: unknown
  readonly endTimeUnixNano: unknown
  readonly attributes: ReadonlyArray<unknown>
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: ReadonlyArray<unknown> }>
  readonly status: { readonly code: number; readonly message: string } | null
}

/** Calls `visit` with every span of an `ExportTraceServiceRequest`; a refusal that `visit` returns refuses the body. */
export const forEachSpan = (
  bytes: Uint8Array,
  limits: Limits,
  visit: (span: OtlpSpan.OtlpSpan) => Refusal | undefined
): Result.Result<void, ParseError.ParseError> =>
  Result.try({
    try: () => {
      let spans = 0
      walk(bytes, 1, (resourceSpans) => {
        let resource = OtlpSpan.none
        walk(resourceSpans, 1, (each) => {
          resource = OtlpSpan.attributesOf(decoded(Resource, each, limits).attributes)
        })
        walk(resourceSpans, 2, (scopeSpans) => {
          const scopeName = scopeNameOf(scopeSpans, limits)
          walk(scopeSpans, 2, (each) => {
            spans += 1
            if (spans > limits.spans) throw new Refused(tooManySpans(limits.spans))
            const refusal = visit(spanOf(each, scopeName, resource, limits))
            if (refusal !== undefined) throw new Refused(refusal)
          })
        })
      })
    },
    catch: (thrown) => (thrown instanceof Refused ? toError(thrown.refusal) : notOtlp)
  })

const notOtlp = ParseError.whole(
  "malformed",
  'The body is not an OTLP ExportTraceServiceRequest in protobuf, or is cut off. JSON needs the header "Content-Type: application/json".'
)

/** Visits the content of every length-delimited field with that number, in order, without a copy. */
const walk = (bytes: Uint8Array, field: number, visit: (content: Uint8Array) => void): void => {
  const reader = protobuf.Reader.create(bytes)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag !== ((field << 3) | 2)) {
      reader.skipType(tag & 7)
      continue
    }
    const length = reader.uint32()
    const start = reader.pos
    reader.skip(length)
    visit(bytes.subarray(start, start + length))
  }
}

const decoded = (type: typeof Span, bytes: Uint8Array, limits: Limits): Readonly<Record<string, unknown>> => {
  if (bytes.length > limits.spanBytes) throw new Refused(tooLarge(limits))
  const reader = protobuf.Reader.create(bytes)
  reader.discardUnknown = true
  // A message is an object with a property for each declared field.
  return type.decode(reader) as unknown as Readonly<Record<string, unknown>>
}

const tooLarge = (limits: Limits): Refusal => ({
  reason: "too_large",
  message: `A span or a resource is larger than ${limits.spanBytes / 1_048_576} MiB.`
})

const scopeNameOf = (scopeSpans: Uint8Array, limits: Limits): string => {
  let name = ""
  walk(scopeSpans, 1, (scope) => {
    name = String(decoded(InstrumentationScope, scope, limits)["name"])
  })
  return name
}

const spanOf = (
  bytes: Uint8Array,
  scopeName: string,
  resource: OtlpSpan.Attributes,
  limits: Limits
): OtlpSpan.OtlpSpan => {
  // The declaration of `Span` is the proof: a missing field has the default of its type.
  const span = decoded(Span, bytes, limits) as unknown as SpanMessage
  const exception = span.events.find((each) => each.name === "exception")
  return {
    name: span.name,
    scopeName,
    start: OtlpSpan.nanoseconds(span.startTimeUnixNano),
    end: OtlpSpan.nanoseconds(span.endTimeUnixNano),
    status: span.status?.code ?? 0,
    statusMessage: span.status?.message ?? "",
    attributes: OtlpSpan.attributesOf(span.attributes),
    resource,
    exception: exception === undefined ? undefined : OtlpSpan.attributesOf(exception.attributes)
  }
}
