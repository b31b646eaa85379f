import type { Report } from "@lazaret/domain"
import { Execution } from "@lazaret/domain"
import { Ctrf, JUnit, Otlp } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { cases } from "./writers/cases.ts"
import * as ctrf from "./writers/ctrf.ts"
import * as junit from "./writers/junit.ts"
import * as otlp from "./writers/otlp.ts"

const fromOtlp = (reports: ReadonlyArray<Otlp.OtlpReport>) => reports.flatMap((report) => report.cases)

describe("round trip", () => {
  it.prop("what is written as JUnit XML is read again", [cases], ([written]) => {
    const parsed = Result.getOrThrow(JUnit.parse(junit.write(written)))
    assert.deepStrictEqual(parsed.cases, written)
    assert.strictEqual(parsed.listed, written.length)
  })

  it.prop(
    "what is written as CTRF is read again, but for the type of an exception and the file, which is part of the name",
    [cases],
    ([written]) => {
      const withoutType = (each: Report.Case) => ({
        ...each,
        filepath: null,
        exception: each.exception && { ...each.exception, type: "" }
      })
      const parsed = Result.getOrThrow(Ctrf.parse(ctrf.write(written)))
      assert.deepStrictEqual(parsed.cases.map(withoutType), written.map(withoutType))
    }
  )

  it.prop("what is written as OTLP protobuf is read again", [cases], ([written]) => {
    assert.deepStrictEqual(fromOtlp(Result.getOrThrow(Otlp.parseProtobuf(otlp.writeProtobuf(written)))), written)
  })

  it.prop("what is written as OTLP JSON is read again", [cases], ([written]) => {
    assert.deepStrictEqual(fromOtlp(Result.getOrThrow(Otlp.parseJson(otlp.writeJson(written)))), written)
  })

  it.prop("every case can be stored", [cases], ([written]) => {
    const { cases: parsed } = Result.getOrThrow(JUnit.parse(junit.write(written)))
    for (const each of parsed) assert.isTrue(Schema.is(Execution.Execution)({ ...each, id: "x.0", at: each.at ?? 0 }))
  })
})
