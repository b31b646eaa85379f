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
import type * as ReadFormat from "../report/ReadFormat.ts"

/** The content of a report. */
export const parse = (
  input: string | Uint8Array,
  options: Options = {}
): Result.Result<Parsed, ParseError.ParseError> => {
  const limits = { ...Limits.standard, ...options.limits }
  return Result.flatMap(JsonText.parse(input, limits, options.onDecoded), ({ value, warnings }) =>
    Result.map(ofJson(value, limits, Checkout.make(options.checkout)), (parsed) => JsonText.warned(parsed, warnings))
  )
}

/** The reader of a format, and whether a value with these keys is of it. */
interface Handler {
  readonly isOf: (has: (key: string) => boolean) => boolean
  readonly ofJson: (
    json: unknown,
    limits: Limits.Limits,
    relative: Checkout.Relative
  ) => Result.Result<Parsed, ParseError.ParseError>
}

const jest: Handler = { isOf: (has) => has("testResults"), ofJson: Jest.ofJson }

const handlerOf: Readonly<Record<ReadFormat.KeyOf<"json">, Handler>> = {
  ctrf: { isOf: (has) => has("results") && !has("stats"), ofJson: Ctrf.ofJson },
  jest,
  playwright: {
    isOf: (has) => has("suites") && (has("config") || has("errors") || has("stats")),
    ofJson: Playwright.ofJson
  },
  // Vitest writes what Jest writes.
  vitest: jest
}

const handlers = Object.values(handlerOf)

const ofJson: Handler["ofJson"] = (json, limits, relative) => {
  const has = (key: string): boolean => Predicate.isObject(json) && Object.hasOwn(json, key)
  const handler = handlers.find(({ isOf }) => isOf(has))
  if (handler !== undefined) return handler.ofJson(json, limits, relative)
  const otherwise = "The JSON is not a known test report."
  return Result.fail(toError(KnownFormat.refusal(KnownFormat.ofJson(json), otherwise)))
}
