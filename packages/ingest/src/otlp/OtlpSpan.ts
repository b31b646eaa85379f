/** OTLP spans and their attributes, whichever encoding they came in. */
import * as Attempt from "../report/Attempt.ts"
import { Predicate } from "effect"

/**
 * The fields of a span that test reports need.
 *
 * **Details**
 *
 * - `start`, `end`: nanoseconds since the epoch.
 * - `status`: the OTLP code: 0 unset, 1 ok, 2 error.
 * - `attributes`: those of the span; where one is missing, that of the resource counts (see {@link text}).
 * - `exception`: the attributes of the span's `exception` event, undefined when it has none.
 */
export interface OtlpSpan {
  readonly name: string
  readonly scopeName: string
  readonly start: bigint
  readonly end: bigint
  readonly status: number
  readonly statusMessage: string
  readonly attributes: Attributes
  readonly resource: Attributes
  readonly exception: Attributes | undefined
}

/** Attribute values by key, not yet decoded. */
export type Attributes = ReadonlyMap<string, unknown>

/** No attributes. */
export const none: Attributes = new Map()

/** The attributes of a list of keys and values; empty for any other value. */
export const attributesOf = (list: unknown): Attributes => {
  const attributes = new Map<string, unknown>()
  for (const each of Array.isArray(list) ? list : []) {
    if (Predicate.isObject(each) && "key" in each && typeof each.key === "string" && "value" in each) {
      attributes.set(each.key, each.value)
    }
  }
  return attributes
}

/**
 * The text of the first of the keys that the span, or else its resource, has; numbers are written out.
 *
 * **Details**
 *
 * Blank text is undefined: reporters send it for a missing value. A blank attribute of the span hides that of the
 * resource.
 */
export const text = (span: OtlpSpan, ...keys: ReadonlyArray<string>): string | undefined => {
  for (const key of keys) {
    const value = textOf(span.attributes.get(key) ?? span.resource.get(key))
    if (value !== undefined) return value
  }
  return undefined
}

/** The text of an attribute value; undefined for blank text, truth values, lists and maps. */
export const textOf = (value: unknown): string | undefined => {
  const scalar = scalarOf(value)
  return typeof scalar === "string" && scalar.trim() !== "" ? scalar : undefined
}

/** Whether an attribute of the span is true. */
export const flag = (span: OtlpSpan, key: string): boolean => {
  const scalar = scalarOf(span.attributes.get(key))
  return scalar === true || (typeof scalar === "string" && scalar.toLowerCase() === "true")
}

/** The number of runs in an attribute of the span; 0 when it is missing, negative, or not a number. */
export const count = (span: OtlpSpan, key: string): number => {
  const scalar = scalarOf(span.attributes.get(key))
  const value = typeof scalar === "string" ? Math.floor(Number(scalar)) : 0
  return value > 0 ? Math.min(value, Attempt.mostRuns) : 0
}

/** A 64-bit number of either encoding: text, number, or the `Long` of the protobuf library; 0 for anything else. */
export const nanoseconds = (value: unknown): bigint => {
  if (typeof value === "string") return /^\d{1,20}$/.test(value) ? BigInt(value) : 0n
  if (typeof value === "number") return Number.isFinite(value) && value > 0 ? BigInt(Math.trunc(value)) : 0n
  if (!isLong(value)) return 0n
  return (BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0)
}

const isLong = (value: unknown): value is { readonly low: number; readonly high: number } =>
  Predicate.isObject(value) &&
  "low" in value &&
  typeof value.low === "number" &&
  "high" in value &&
  typeof value.high === "number"

/** The members of an `AnyValue`, as protobuf declares them and as some reporters spell them in JSON. */
interface AnyValue {
  readonly stringValue?: unknown
  readonly string_value?: unknown
  readonly boolValue?: unknown
  readonly bool_value?: unknown
  readonly intValue?: unknown
  readonly int_value?: unknown
  readonly doubleValue?: unknown
  readonly double_value?: unknown
}

/**
 * The member that is set. Numbers become text, so that 64 bits survive. Blank text, false and zero are taken for unset:
 * in protobuf they look the same, and no attribute of ours means anything by them.
 */
const scalarOf = (value: unknown): string | true | undefined => {
  if (!Predicate.isObject(value)) return undefined
  const any = value as AnyValue // every member is optional and unknown
  const set = any.stringValue ?? any.string_value
  if (typeof set === "string" && set !== "") return set
  if ((any.boolValue ?? any.bool_value) === true) return true
  return digitsOf(any.intValue ?? any.int_value) ?? digitsOf(any.doubleValue ?? any.double_value)
}

const digitsOf = (value: unknown): string | undefined => {
  const digits = isLong(value) ? BigInt.asIntN(64, nanoseconds(value)).toString() : value
  if (typeof digits === "number") return digits === 0 ? undefined : String(digits)
  return typeof digits === "string" && digits !== "" && digits !== "0" ? digits : undefined
}
