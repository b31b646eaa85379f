/**
 * The dialects of JUnit XML: detects the producer of a case.
 *
 * The case and the elements around it decide, never other cases of the file: a case has the same dialect in whatever
 * parts a report is sent (`docs/reference/uploads.md` has the table).
 */
import * as Filepath from "../text/Filepath.ts"
import type { Attributes } from "../xml/Xml.ts"

/** The known producers, with the run context that each implies. */
export const producers = {
  pytest: { framework: "pytest", language: "python" },
  vitest: { framework: "vitest", language: "javascript" },
  jest: { framework: "jest", language: "javascript" },
  mocha: { framework: "mocha", language: "javascript" },
  playwright: { framework: "playwright", language: "javascript" },
  "node:test": { framework: "node:test", language: "javascript" },
  currents: { framework: "node:test", language: "javascript" },
  nextest: { framework: "cargo-nextest", language: "rust" },
  phpunit: { framework: "phpunit", language: "php" },
  doctest: { framework: "doctest", language: "cpp" },
  catch2: { framework: "catch2", language: "cpp" },
  googletest: { framework: "googletest", language: "cpp" },
  go: { framework: "go", language: "go" },
  tap: { framework: null, language: null },
  gradle: { framework: null, language: "java" },
  java: { framework: null, language: "java" },
  python: { framework: null, language: "python" },
  javascript: { framework: null, language: "javascript" }
} as const

/** A producer of JUnit XML. */
export type Producer = keyof typeof producers

/**
 * A suite element with what its cases inherit from it and from the elements around it.
 *
 * **Details**
 *
 * - `titles`: the names of the suites from the outermost one inwards, without that of `testsuites`.
 * - `nearest`: the name of this element or, when it has none, of the closest element around it that has one.
 * - `host`: its `hostname`, empty when it has none. Playwright writes the project there.
 * - `group`: equal for suites of the same names on the same host.
 * - `isDisabling`: whether it says how many of its tests are disabled, as node:test does.
 * - `producer`: the producer that this element or one around it belongs to; undefined when only the case can tell.
 */
export interface Suite {
  readonly name: string
  readonly titles: ReadonlyArray<string>
  readonly nearest: string
  readonly file: string | null
  readonly host: string
  readonly group: string
  readonly isDisabling: boolean
  readonly producer: Producer | undefined
}

/** The suite around a root element. */
export const outermost: Suite = {
  name: "",
  titles: [],
  nearest: "",
  file: null,
  host: "",
  group: "",
  isDisabling: false,
  producer: undefined
}

/** The suite of a `testsuite` or `testsuites` element inside of `outer`. */
export const suiteOf = (element: string, attributes: Attributes, outer: Suite): Suite => {
  const name = attributes["name"] ?? ""
  const file = attributes["file"] ?? attributes["filepath"] ?? ""
  const isSuite = element === "testsuite"
  const host = attributes["hostname"] ?? ""
  return {
    name: isSuite ? name : outer.name,
    titles: isSuite && name !== "" ? [...outer.titles, name] : outer.titles,
    nearest: name.trim() === "" ? outer.nearest : name,
    file: file === "" ? outer.file : file,
    host,
    group: `${outer.group}\0${name}\0${host}`,
    isDisabling: attributes["disabled"] !== undefined,
    producer: outer.producer ?? ofElement(element, attributes)
  }
}

/** The suite with the producer that a property in it names. */
export const withProperty = (suite: Suite, attributes: Attributes): Suite => {
  if (suite.producer !== undefined) return suite
  if (attributes["name"] === "go.version") return { ...suite, producer: "go" }
  return attributes["name"] === "java.version" ? { ...suite, producer: "java" } : suite
}

/** The producer of a case; undefined when it could be any. */
export const ofCase = (attributes: Attributes, suite: Suite): Producer | undefined => {
  if (suite.producer !== undefined) return suite.producer
  const classname = attributes["classname"] ?? ""
  if (attributes["class"] !== undefined && attributes["assertions"] !== undefined) return "phpunit"
  if (isNodeTest(classname, attributes, suite)) return "node:test"
  if (attributes["result"] === "completed" || attributes["result"] === "suppressed") return "googletest"
  const file = attributes["file"]
  if (file?.endsWith(".py") === true) return "python"
  if (Filepath.isScript(classname) || (file !== undefined && Filepath.hasScriptEnding(file))) return "javascript"
  return isGo(classname, attributes["name"] ?? "", suite) ? "go" : undefined
}

/**
 * Whether a producer lists a case once per attempt: failures first, a pass last.
 *
 * **Details**
 *
 * Go's converters (gotestsum with reruns), Gradle's test retry plugin and pytest-rerunfailures do. The names of one Go
 * package, one pytest node and one Gradle class are unique otherwise, but for dynamic tests of Gradle.
 */
export const repeatsAttempts = (producer: Producer | undefined): boolean =>
  producer === "go" || producer === "gradle" || producer === "pytest"

/**
 * The announced totals that can be compared with the listed cases.
 *
 * **Details**
 *
 * pytest counts subtests as tests, mocha-junit-reporter counts pending tests that it leaves out, doctest and Catch2 count
 * assertions. Go's converters count the lines of a build that failed as errors.
 */
export const comparable = (producer: Producer | undefined): { readonly tests: boolean; readonly errors: boolean } => ({
  tests: producer !== "pytest" && producer !== "mocha" && producer !== "doctest" && producer !== "catch2",
  errors: producer !== "go"
})

/** Producers by the attributes that their elements have, in the order in which they are written. */
const signatures: ReadonlyMap<string, Producer> = new Map([
  ["testsuites id,name,tests,failures,skipped,errors,time", "playwright"],
  ["testsuite name,tests,skipped,failures,errors,timestamp,hostname,time", "gradle"],
  ["testsuite name,errors,failures,tests", "doctest"],
  ["testsuite tests,failures,errors,name", "tap"],
  ["testsuite tests,skipped,failures,errors,name", "tap"],
  ["testsuite name,timestamp,hostname,failures,skipped,time", "currents"],
  ["testsuite name,errors,failures,skipped,timestamp,time,tests", "jest"],
  ["testsuites name,time,tests,failures", "mocha"],
  ["testsuites name,time,tests,failures,skipped", "mocha"]
])

const runs: ReadonlyMap<string, Producer> = new Map([
  ["nextest-run", "nextest"],
  ["vitest tests", "vitest"],
  ["jest tests", "jest"],
  ["Mocha Tests", "mocha"],
  ["pytest tests", "pytest"],
  ["pytest", "pytest"]
])

const ofElement = (element: string, attributes: Attributes): Producer | undefined => {
  const named = runs.get(attributes["name"] ?? "")
  if (named !== undefined) return named
  if (element === "testsuites" && attributes["uuid"] !== undefined) return "nextest"
  if (attributes["hostname"] === "tbd") return "catch2"
  if (attributes["xsi:noNamespaceSchemaLocation"]?.includes("surefire") === true) return "java"
  return signatures.get(`${element} ${Object.keys(attributes).join()}`)
}

/**
 * Since Node 24 node:test writes the titles of the suites as class, before it wrote `test` for every case. Nothing else
 * writes neither a status nor other attributes and has suites that count disabled tests.
 */
const isNodeTest = (classname: string, attributes: Attributes, suite: Suite): boolean => {
  if (attributes["status"] !== undefined || (suite.titles.length > 0 && !suite.isDisabling)) return false
  if (classname === "test") return true
  return (
    suite.titles.length > 0 &&
    Filepath.hasScriptEnding(attributes["file"] ?? "") &&
    classname === suite.titles.join(".")
  )
}

const isGo = (classname: string, name: string, suite: Suite): boolean =>
  suite.name.includes("/") &&
  (suite.name === classname || suite.name.endsWith(`/${classname}`)) &&
  /^(?:Test|Benchmark|Example|Fuzz)(?![a-z])/.test(name)
