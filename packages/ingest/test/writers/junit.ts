import type { Report } from "@lazaret/domain"

const escaped = (text: string) => text.replaceAll(/[&<>"'\n\t\r]/g, (character) => `&#${character.codePointAt(0)};`)

const attributes = (values: Readonly<Record<string, string | number | null>>) =>
  Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
    .join("")

const outcome = ({ conclusion, exception, flaky, reruns }: Report.Case) => {
  if (conclusion === "skipped") return "<skipped/>"
  const { message = null, stacktrace, type = null } = exception ?? {}
  const element = (name: string) => `<${name}${attributes({ type, message })}>${escaped(stacktrace ?? "")}</${name}>`
  if (flaky) return element("flakyFailure") + "<flakyError/>".repeat(reruns - 1)
  return conclusion === "passed" ? "" : element("failure") + "<rerunError/>".repeat(reruns)
}

/** A report in the dialect of Surefire, with a time for each case. */
export const write = (cases: ReadonlyArray<Report.Case>): string => {
  const elements = cases.map((each) => {
    const at = each.at === null ? null : new Date(each.at).toISOString()
    const named = { name: each.testName, file: each.filepath, timestamp: at, time: (each.durationMs / 1000).toFixed(6) }
    return `<testcase${attributes(named)}>${outcome(each)}</testcase>`
  })
  return `<?xml version="1.0"?>\n<testsuites><testsuite tests="${cases.length}">${elements.join("\n")}</testsuite></testsuites>`
}
