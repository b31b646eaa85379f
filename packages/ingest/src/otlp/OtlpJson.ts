/** OTLP trace requests in JSON, span by span. */
import { Predicate, Result } from "effect"
import type { Limits } from "../text/Limits.ts"
import * as OtlpSpan from "./OtlpSpan.ts"
import * as ParseError from "../text/ParseError.ts"
import { type Refusal, toError, tooManySpans } from "../text/Refusal.ts"

type Json = Readonly<Record<string, unknown>>

/**
 * Calls `visit` with every span of an `ExportTraceServiceRequest`; a refusal that `visit` returns refuses the body.
 *
 * **Details**
 *
 * Reads keys in camel case and in snake case, ignores unknown keys, and accepts 64-bit numbers as text or numbers. A
 * body with another value in the place of a list is refused.
 */
export const forEachSpan = (
  json: unknown,
  limits: Limits,
  visit: (span: OtlpSpan.OtlpSpan) => Refusal | undefined
): Result.Result<void, ParseError.ParseError> => {
  if (!isJson(json)) return Result.fail(notOtlp("is not an object"))
  if (!has(json, "resourceSpans") && Object.keys(json).length > 0) return Result.fail(notOtlp("has no resourceSpans"))
  let spans = 0
  return each(json, "resourceSpans", (resourceSpans) => {
    const resource = attributesOf(member(resourceSpans, "resource"))
    return each(resourceSpans, "scopeSpans", (scopeSpans) => {
      const scopeName = string(member(scopeSpans, "scope"), "name")
      return each(scopeSpans, "spans", (span) => {
        spans += 1
        const refusal = spans > limits.spans ? tooManySpans(limits.spans) : visit(spanOf(span, scopeName, resource))
        return refusal === undefined ? Result.void : Result.fail(toError(refusal))
      })
    })
  })
}

const isJson = (value: unknown): value is Json => Predicate.isObject(value)

const snakeCase: Readonly<Record<string, string>> = {
  resourceSpans: "resource_spans",
  scopeSpans: "scope_spans",
  startTimeUnixNano: "start_time_unix_nano",
  endTimeUnixNano: "end_time_unix_nano"
}

const has = (object: Json, key: string): boolean => key in object || (snakeCase[key] ?? key) in object

const member = (object: unknown, key: string): unknown =>
  isJson(object) ? (object[key] ?? object[snakeCase[key] ?? key]) : undefined

const string = (object: unknown, key: string): string => {
  const value = member(object, key)
  return typeof value === "string" ? value : ""
}

const each = (
  object: unknown,
  key: string,
  visit: (item: Json) => Result.Result<void, ParseError.ParseError>
): Result.Result<void, ParseError.ParseError> => {
  const list = member(object, key) ?? []
  if (!Array.isArray(list)) return Result.fail(notOtlp(`has a ${key} that is not a list`))
  for (const item of list) {
    if (!isJson(item)) return Result.fail(notOtlp(`has an item of ${key} that is not an object`))
    const outcome = visit(item)
    if (Result.isFailure(outcome)) return outcome
  }
  return Result.void
}

const attributesOf = (object: unknown): OtlpSpan.Attributes => OtlpSpan.attributesOf(member(object, "attributes"))

const spanOf = (span: Json, scopeName: string, resource: OtlpSpan.Attributes): OtlpSpan.OtlpSpan => {
  const status = member(span, "status")
  const events = member(span, "events")
  const exception: unknown = Array.isArray(events)
    ? events.find((event) => string(event, "name") === "exception")
    : undefined
  return {
    name: string(span, "name"),
    scopeName,
    start: OtlpSpan.nanoseconds(member(span, "startTimeUnixNano")),
    end: OtlpSpan.nanoseconds(member(span, "endTimeUnixNano")),
    status: statusOf(member(status, "code")),
    statusMessage: string(status, "message"),
    attributes: attributesOf(span),
    resource,
    exception: exception === undefined ? undefined : attributesOf(exception)
  }
}

/** Enumerations are numbers in OTLP, but the common JSON form of protobuf writes their names. */
const statusOf = (code: unknown): number => (code === "STATUS_CODE_ERROR" ? 2 : typeof code === "number" ? code : 0)

const notOtlp = (fault: string): ParseError.ParseError =>
  ParseError.whole("unsupported", `The JSON is not an OTLP ExportTraceServiceRequest: it ${fault}.`)
