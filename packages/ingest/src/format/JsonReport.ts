/** Test reports in JSON, by the keys that they have. */
import { Predicate, Result } from "effect"
import * as Checkout from "../text/Checkout.ts"
import * as Ctrf from "../ctrf/Ctrf.ts"
import * as JsonText from "../json/JsonText.ts"
import * as Limits from "../text/Limits.ts"
import type * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import { toError } from "../text/Refusal.ts"
import type { Options } from "../junit/JUnit.ts"
import * as Jest from "../jest/Jest.ts"
import * as KnownFormat from "../report/KnownFormat.ts"
import * as Playwright from "../playwright/Playwright.ts"

/** The content of a report: CTRF, or what Playwright, Jest or Vitest write. */
export const parse = (
  input: string | Uint8Array,
  options: Options = {}
): Result.Result<Parsed, ParseError.ParseError> => {
  const limits = { ...Limits.standard, ...options.limits }
  return Result.flatMap(JsonText.parse(input, limits, options.onDecoded), ({ value, warnings }) =>
    Result.map(ofJson(value, limits, Checkout.make(options.checkout)), (parsed) => JsonText.warned(parsed, warnings))
  )
}

const ofJson = (
  json: unknown,
  limits: Limits.Limits,
  relative: Checkout.Relative
): Result.Result<Parsed, ParseError.ParseError> => {
  const has = (key: string): boolean => Predicate.isObject(json) && Object.hasOwn(json, key)
  if (has("results") && !has("stats")) return Ctrf.ofJson(json, limits, relative)
  if (has("testResults")) return Jest.ofJson(json, limits, relative)
  if (has("suites") && (has("config") || has("errors") || has("stats")))
    return Playwright.ofJson(json, limits, relative)
  const otherwise = "The JSON is not a known test report."
  return Result.fail(toError(KnownFormat.refusal(KnownFormat.ofJson(json), otherwise)))
}
