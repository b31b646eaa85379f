/** Failures planted into sample reports of real producers, as a person would call them failures. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../../ingest/test/fixtures", import.meta.url))

/** A report of a real producer. */
export interface Sample {
  readonly path: string
  readonly text: string
}

/** The sample reports with one of these endings. */
export const samples = (...endings: ReadonlyArray<string>): ReadonlyArray<Sample> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith("github") && endings.some((ending) => path.endsWith(ending)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }))

/** Plants a failure at one of the places that a report has for it; null when it has no such place. */
export type Planting = (text: string, place: number) => string | null

/** Replaces one match of an expression, counted around. */
const atMatch =
  (expression: RegExp, replacement: (match: RegExpExecArray) => string): Planting =>
  (text, place) => {
    const matches = [...text.matchAll(expression)]
    const match = matches[place % Math.max(1, matches.length)]
    if (match === undefined) return null
    return text.slice(0, match.index) + replacement(match) + text.slice(match.index + match[0].length)
  }

const failure = `<failure message="planted" type="Planted">planted</failure>`

/** A test case without a child: it has passed. */
const passed = /<testcase\b(?:[^>"]|"[^"]*")*?(?:\/>|>\s*<\/testcase>)/g

const opened = (element: string) => element.replace(/\s*(?:\/>|>\s*<\/testcase>)$/, ">")

/** Plantings into XML. */
export const xml: Readonly<Record<string, Planting>> = {
  "a failure in a passed case": atMatch(passed, ([found]) => `${opened(found)}${failure}</testcase>`),
  "an error in a passed case": atMatch(passed, ([found]) => `${opened(found)}<error message="planted"/></testcase>`),
  "a failed case with the name of a passed one, after it": atMatch(
    passed,
    ([found]) => `${found}${opened(found)}${failure}</testcase>`
  ),
  "a failed case without a name": atMatch(/<\/testsuite>/g, ([end]) => `<testcase>${failure}</testcase>${end}`),
  "an error directly in a suite": atMatch(/<\/testsuite>/g, ([end]) => `<error message="planted"/>${end}`),
  "a failure directly in a suite": atMatch(/<\/testsuite>/g, ([end]) => `${failure}${end}`),
  "a suite that announces another failure": (text, place) => {
    // Producers count failed cases, failed assertions or failed attempts: one more than all of them is missing anyway.
    const elements = [...text.matchAll(/<(?:failure|error|(?:rerun|flaky)(?:Failure|Error))\b/g)].length
    const announced = /(<testsuite\b(?:[^>"]|"[^"]*")*?\sfailures=")(\d+)"/g
    return atMatch(announced, ([, start = "", count = ""]) => `${start}${Number(count) + 1 + elements}"`)(text, place)
  },
  // A comment after the last element may be lost: the report is whole without it.
  "the end of the file cut off": (text, place) => {
    const end = text.lastIndexOf("</")
    const half = Math.floor(end / 2)
    return end < 1 ? null : text.slice(0, half + (place % (end - half)))
  }
}

/** Plantings into TRX. */
export const trx: Readonly<Record<string, Planting>> = {
  "a result that failed": atMatch(/(<UnitTestResult\b[^>]*\soutcome=")Passed"/g, ([, start = ""]) => `${start}Failed"`)
}

/** Plantings into a stream of `go test -json`. */
export const go: Readonly<Record<string, Planting>> = {
  "a test that ends with fail": atMatch(/"Action":"pass"(?=[^\n]*"Test":)/g, () => `"Action":"fail"`)
}

type Json = Record<string, unknown>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Every object in a value. */
const objectsIn = (value: unknown): ReadonlyArray<Json> =>
  Array.isArray(value)
    ? value.flatMap(objectsIn)
    : isJson(value)
      ? [value, ...Object.values(value).flatMap(objectsIn)]
      : []

/** Changes one of the objects of a JSON document that the planting is for. */
const atObject =
  (isPlace: (value: Json) => boolean, plant: (value: Json) => void): Planting =>
  (text, place) => {
    const document: unknown = JSON.parse(text)
    const places = objectsIn(document).filter(isPlace)
    const found = places[place % Math.max(1, places.length)]
    if (found === undefined) return null
    plant(found)
    return JSON.stringify(document)
  }

/** Plantings into JSON. */
export const json: Readonly<Record<string, Planting>> = {
  "a Playwright test whose results all failed": atObject(
    ({ expectedStatus, status }) => expectedStatus === "passed" && status === "expected",
    (test) => {
      test["status"] = "unexpected"
      for (const result of objectsIn(test["results"])) if ("retry" in result) result["status"] = "failed"
    }
  ),
  "a Jest or Vitest assertion that failed": atObject(
    ({ ancestorTitles, status }) => status === "passed" && Array.isArray(ancestorTitles),
    (assertion) => Object.assign(assertion, { status: "failed", failureMessages: ["planted"] })
  ),
  "a CTRF test that failed": atObject(
    ({ duration, name, status }) => status === "passed" && typeof name === "string" && typeof duration === "number",
    (test) => Object.assign(test, { status: "failed", message: "planted" })
  )
}

const statusOf = ({ attributes }: Json): Json | undefined =>
  objectsIn(attributes).find(({ key, value }) => key === "test.case.result.status" && isJson(value))

/** Plantings into test spans (OTLP JSON). */
export const spans: Readonly<Record<string, Planting>> = {
  "a test whose spans all failed": (text, place) => {
    const document: unknown = JSON.parse(text)
    const cases = objectsIn(document).filter((each) => statusOf(each) !== undefined && "startTimeUnixNano" in each)
    const chosen = cases[place % Math.max(1, cases.length)]
    // The producer writes "passed" for a failure that it has quarantined itself: that span has failed already.
    if (chosen === undefined || /fail|cicd\.test\.quarantined/.test(JSON.stringify(chosen["attributes"]))) return null
    for (const each of cases) {
      if (each["name"] === chosen["name"]) Object.assign(statusOf(each) ?? {}, { value: { stringValue: "fail" } })
    }
    return JSON.stringify(document)
  }
}
