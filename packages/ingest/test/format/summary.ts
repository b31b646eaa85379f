/** The summary of a report that the tests of formats compare. */
import { type ParseError, type Parsed, ReportReader } from "@lazaret/ingest"
import { Result } from "effect"
import { readFileSync } from "node:fs"

/** The bytes of a sample report. */
export const sample = (path: string): Buffer => readFileSync(new URL(`../fixtures/${path}`, import.meta.url))

/** The content of a sample report. */
export const parsed = (path: string): Parsed.Parsed => Result.getOrThrow(ReportReader.parse(sample(path)))

/** One line a case: name, conclusion, `flaky` and reruns where there are any. */
export const linesOf = (report: Parsed.Parsed): ReadonlyArray<string> =>
  report.cases.map((each) =>
    [each.testName, each.conclusion, each.flaky ? "flaky" : "", each.reruns === 0 ? "" : `${each.reruns} reruns`]
      .filter(Boolean)
      .join(" | ")
  )

/** The failed cases. */
export const failedOf = (report: Parsed.Parsed): ReadonlyArray<string> =>
  report.cases.filter(({ conclusion }) => conclusion === "failed").map(({ testName }) => testName)

/** The content of a report that is an object or a text. */
export const read = (report: unknown): Result.Result<Parsed.Parsed, ParseError.ParseError> =>
  ReportReader.parse(typeof report === "string" || report instanceof Uint8Array ? report : JSON.stringify(report))
