/** JUnit XML in short words, for tests. */
import { assert } from "@effect/vitest"
import { JUnit, type Limits, type ParseError, type Parsed } from "@lazaret/ingest"
import { Result } from "effect"

/** The report in a JUnit file. */
export const parse = (input: string | Uint8Array, limits: Partial<Limits.Limits> = {}): Parsed.Parsed =>
  Result.getOrThrow(JUnit.parse(input, { limits }))

/** The refusal of a JUnit file. */
export const refusal = (input: string | Uint8Array, limits: Partial<Limits.Limits> = {}): ParseError.ParseError =>
  Result.getOrThrow(Result.flip(JUnit.parse(input, { limits })))

/** A suite around cases. */
export const suite = (cases: string, attributes = "") => `<testsuite name="s"${attributes}>${cases}</testsuite>`

/** The case with some attributes and content. */
export const one = (attributes: string, content = "") => {
  const [first] = parse(suite(`<testcase name="t" ${attributes}>${content}</testcase>`)).cases
  assert.isDefined(first)
  return first
}

/** The names of the tests in a JUnit file. */
export const names = (input: string | Uint8Array) => parse(input).cases.map((each) => each.testName)

/** The bytes of a text. */
export const utf8 = (text: string) => new TextEncoder().encode(text)
