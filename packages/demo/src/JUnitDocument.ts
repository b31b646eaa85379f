/** The reports of the demonstration as JUnit XML, each kind of test in the dialect of its framework. */
import type { Kind } from "./Cast.ts"
import type { Outcome } from "./Fate.ts"
import type { JobReport } from "./History.ts"
import type { Trouble } from "./Trouble.ts"

/**
 * A report as the framework of its tests writes it: pytest for unit tests, Surefire for integration tests, Playwright for
 * browser tests.
 */
export const write = (report: JobReport): string => {
  const files = Map.groupBy(report.outcomes, ({ member }) => member.file)
  const suites = report.kind === "unit" ? [["pytest", report.outcomes] as const] : [...files]
  const root = report.kind === "unit" ? ' name="pytest tests"' : ""
  const lines = suites.map(([name, outcomes]) => suite(report.kind, name, outcomes))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${root}>\n${lines.join("")}</testsuites>\n`
}

const suite = (kind: Kind, name: string, outcomes: ReadonlyArray<Outcome>): string => {
  const failures = outcomes.filter(({ conclusion }) => conclusion === "failed").length
  const skipped = outcomes.filter(({ conclusion }) => conclusion === "skipped").length
  const counts = `tests="${outcomes.length}" failures="${failures}" skipped="${skipped}"`
  const cases = outcomes.map((outcome) => testcase(kind, outcome)).join("")
  return `<testsuite name="${escaped(name)}" ${counts}>\n${cases}</testsuite>\n`
}

const testcase = (kind: Kind, { conclusion, member, seconds, trouble }: Outcome): string => {
  const file = kind === "unit" ? ` file="${escaped(member.file)}"` : ""
  const named = `classname="${escaped(member.classname)}" name="${escaped(member.name)}"${file}`
  const open = `<testcase ${named} time="${seconds.toFixed(3)}"`
  if (conclusion === "skipped") return `${open}><skipped message="needs a licence key"/></testcase>\n`
  return trouble === null ? `${open}/>\n` : `${open}>${failure(conclusion, trouble)}</testcase>\n`
}

const failure = (conclusion: Outcome["conclusion"], { message, trace, type }: Trouble): string => {
  const texts = `message="${escaped(message)}" type="${escaped(type)}"`
  return conclusion === "rerun"
    ? `<flakyFailure ${texts}><stackTrace>${escaped(trace)}</stackTrace></flakyFailure>`
    : `<failure ${texts}>${escaped(trace)}</failure>`
}

const escaped = (text: string): string =>
  /[<>&"\n\t]/.test(text)
    ? text
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("\n", "&#10;")
        .replaceAll("\t", "&#9;")
    : text
