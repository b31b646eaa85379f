/** Generators of what a report can carry, for the round trips of the three formats. */
import type { Execution, Report } from "@lazaret/domain"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

/** Characters that formats escape, strip, normalise or split, and both sides of the UTF-16 surrogates. */
const characters = [
  ..."ab Z09_.:/\\<>&'\"[]{}%,;=!-?",
  "]]>",
  "&amp;",
  "<!--",
  "\u00e9",
  "e\u0301",
  "\u00a0",
  "\u2028",
  "\ufffd",
  "\u{1f600}"
]
const lineBreaking = [...characters, "\n", "\t", "\r"]

const texts = (parts: ReadonlyArray<string>): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(Arbitrary.schema(Schema.NonEmptyArray(Schema.Literals(parts))), (drawn) => drawn.join("").trim() || "x")

const exception: Arbitrary.Arbitrary<Execution.ExceptionReport> = Arbitrary.all({
  type: texts(characters),
  message: texts(lineBreaking),
  stacktrace: Arbitrary.map(texts(lineBreaking), (text) => text.replaceAll(/\r\n?/g, "\n").trim() || "x")
})

const parts = Arbitrary.all({
  name: texts(lineBreaking),
  conclusion: Arbitrary.schema(Schema.Literals(["passed", "failed", "skipped"])),
  flaky: Arbitrary.schema(Schema.Boolean),
  reruns: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))),
  microseconds: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7_200_000_000 }))),
  at: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: Date.UTC(2001, 0), maximum: Date.UTC(2100, 0) }))),
  filepath: Arbitrary.schema(Schema.Literals(["src/Cart.java", "a b/\u00e9.py", "C:/x.cs"])),
  exception
})

/** Cases as every format can say them; no name comes twice, a failed one says why. */
export const cases: Arbitrary.Arbitrary<ReadonlyArray<Report.Case>> = Arbitrary.map(Arbitrary.array(parts), (drawn) =>
  drawn.map((each, index) => {
    const { conclusion } = each
    const flaky = conclusion === "passed" && each.flaky
    return {
      testName: `${each.name} ${index}`,
      at: each.at,
      durationMs: conclusion === "skipped" ? 0 : each.microseconds / 1000,
      conclusion,
      flaky,
      reruns: conclusion === "skipped" || (conclusion === "passed" && !flaky) ? 0 : each.reruns + (flaky ? 1 : 0),
      exception: conclusion === "failed" || flaky ? each.exception : null,
      filepath: each.filepath,
      functionName: null
    }
  })
)
