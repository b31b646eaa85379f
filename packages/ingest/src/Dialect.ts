/**
 * The dialects of JUnit XML: how a producer is told by the structure of its file, and which test name is built for it.
 *
 * File names say nothing; what decides stands in the elements themselves (`docs/reference/uploads.md` has the table).
 */
import * as Excerpt from "./Excerpt.ts"
import type { Attributes } from "./Xml.ts"

/**
 * A suite element with what its cases inherit from it and from the suites around it.
 *
 * **Details**
 *
 * - `titles`: the names from the outermost suite inwards.
 * - `host`: its `hostname`, empty when it has none.
 * - `group`: equal for suites of the same names on the same host.
 * - `isDoctest`: whether it has exactly the attributes that doctest writes.
 * - `disabled`: whether it says how many of its tests are disabled, as node:test does.
 */
export interface Suite {
  readonly name: string
  readonly titles: ReadonlyArray<string>
  readonly file: string | null
  readonly host: string
  readonly group: string
  readonly disabled: boolean
  readonly isDoctest: boolean
}

/** The producers that are told apart, with what they say about the run. */
export const producers = {
  pytest: { framework: "pytest", language: "python" },
  vitest: { framework: "vitest", language: "javascript" },
  jest: { framework: "jest", language: "javascript" },
  mocha: { framework: "mocha", language: "javascript" },
  playwright: { framework: "playwright", language: "javascript" },
  "node:test": { framework: "node:test", language: "javascript" },
  nextest: { framework: "cargo-nextest", language: "rust" },
  phpunit: { framework: "phpunit", language: "php" },
  doctest: { framework: "doctest", language: "cpp" },
  googletest: { framework: "googletest", language: "cpp" },
  go: { framework: "go", language: "go" },
  python: { framework: null, language: "python" },
  javascript: { framework: null, language: "javascript" },
  java: { framework: null, language: "java" }
} as const

/** A producer of JUnit XML. */
export type Producer = keyof typeof producers

/** The suite that stands for no suite at all. */
export const noSuite: Suite = {
  name: "",
  titles: [],
  file: null,
  host: "",
  group: "",
  disabled: false,
  isDoctest: false
}

/** The suite of an element inside of `outer`. */
export const suiteOf = (attributes: Attributes, outer: Suite): Suite => {
  const name = attributes["name"] ?? ""
  const file = attributes["file"] ?? attributes["filepath"] ?? ""
  return {
    name,
    titles: name === "" ? outer.titles : [...outer.titles, name],
    file: file === "" ? outer.file : file,
    host: attributes["hostname"] ?? "",
    group: `${outer.group}\0${name}\0${attributes["hostname"] ?? ""}`,
    disabled: attributes["disabled"] !== undefined,
    isDoctest: Object.keys(attributes).join() === "name,errors,failures,tests"
  }
}

const cppFile = /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|mm)$/i

const scriptPath = /\.(?:[cm]?[jt]sx?|vue|svelte)$/

/** What may stand between a class or suite and the rest of a full title. */
const separators = [".", " ", "::", "/", "#", ":", "\\"]

/**
 * The producer of a root or suite element, by the names that only one producer writes; undefined when it could be any.
 */
export const ofSuite = (element: string, attributes: Attributes): Producer | undefined => {
  const name = attributes["name"]
  if (element === "testsuites") {
    if (attributes["uuid"] !== undefined || name === "nextest-run") return "nextest"
    if (name === "vitest tests") return "vitest"
    if (name === "jest tests") return "jest"
    if (name === "Mocha Tests") return "mocha"
    if (name === "pytest tests") return "pytest"
    return undefined
  }
  if (name === "pytest") return "pytest"
  if (name === "Mocha Tests") return "mocha"
  return attributes["xsi:noNamespaceSchemaLocation"]?.includes("surefire") === true ? "java" : undefined
}

/** The producer of a case; undefined when it could be any. */
export const ofCase = (attributes: Attributes, suite: Suite): Producer | undefined => {
  const classname = attributes["classname"] ?? ""
  if (attributes["class"] !== undefined && attributes["assertions"] !== undefined) return "phpunit"
  if (isNodeTest(classname, attributes, suite)) return "node:test"
  if (attributes["result"] === "completed" || attributes["result"] === "suppressed") return "googletest"
  if (suite.isDoctest && cppFile.test(classname)) return "doctest"
  if (attributes["file"]?.endsWith(".py") === true) return "python"
  if (scriptPath.test(classname)) return attributes["name"]?.includes(" › ") === true ? "playwright" : "javascript"
  return undefined
}

/** The producer that a property tells; undefined for most. */
export const ofProperty = (attributes: Attributes): Producer | undefined => {
  if (attributes["name"] === "go.version") return "go"
  return attributes["name"] === "java.version" ? "java" : undefined
}

/**
 * The test name of a case; empty when the element names no test.
 *
 * **Details**
 *
 * In this order:
 * - no `classname`: the name as it is (Bazel).
 * - `class` (PHPUnit): `class::name`. cargo-nextest: `classname::name`.
 * - a Python `file` that the class belongs to: `path/to/file.py::Class::name`, as pytest calls it.
 * - a class that is a script's path (vitest, Playwright), or a name that holds the class or suite already (jest, mocha,
 *   ctest): the name as it is, without the space that jest begins it with when there is no suite.
 * - node:test, which writes the same class for all or, since Node 24, the titles of the suites: those titles and the
 *   name, with ` > ` between.
 * - else `classname.name`.
 */
export const testName = (attributes: Attributes, suite: Suite, producer: Producer | undefined): string => {
  const name = attributes["name"] ?? ""
  const phpClass = attributes["class"]
  if (phpClass !== undefined && phpClass !== "") return `${phpClass}::${name}`
  const classname = attributes["classname"] ?? ""
  if (classname === "") return Excerpt.owned(name)
  if (name === "") return Excerpt.owned(classname)
  if (producer === "nextest") return `${classname}::${name}`
  const nodeId = attributes["file"] === undefined ? null : pytestId(attributes["file"], classname, name)
  if (nodeId !== null) return nodeId
  if (isNodeTest(classname, attributes, suite)) return unquoted([...suite.titles, name].join(" > "))
  if (producer !== "googletest" && isFullTitle(name, classname, suite)) {
    return Excerpt.owned(name === classname ? name.trim() : name)
  }
  return `${classname}.${name}`
}

/**
 * Which announced numbers can be compared with what a suite lists.
 *
 * **Details**
 *
 * pytest counts subtests as tests, mocha-junit-reporter counts pending tests that it leaves out, doctest and Catch2 (whose
 * host is `tbd`) count assertions.
 */
export const comparable = (producer: Producer | undefined, suite: Suite): { tests: boolean; failures: boolean } => ({
  tests: !(producer === "pytest" || producer === "mocha" || producer === "doctest" || suite.host === "tbd"),
  failures: true
})

/** The path of the file that holds a case; null when the report does not say. */
export const filepath = (attributes: Attributes, suite: Suite): string | null => {
  const own = attributes["file"] ?? attributes["filepath"]
  if (own !== undefined && own !== "") return relative(own)
  const classname = attributes["classname"]
  if (classname !== undefined && isScript(classname)) return relative(classname)
  return suite.file !== null ? relative(suite.file) : isScript(suite.name) ? relative(suite.name) : null
}

/** Whether a name begins with a title as a whole, so that the title need not be put in front of it. */
export const holds = (name: string, title: string): boolean =>
  // Comparing one character first spares nearly all names the comparison of whole texts.
  name.length >= title.length &&
  name.charCodeAt(title.length - 1) === title.charCodeAt(title.length - 1) &&
  name.startsWith(title) &&
  (name.length === title.length || separators.some((each) => name.startsWith(each, title.length)))

const relative = (path: string): string => (path.startsWith("./") ? path.slice(2) : path)

/** Every script ends in one of these letters: cheaper to see than the pattern, which most names never match. */
const isScript = (path: string): boolean => {
  const last = path.charCodeAt(path.length - 1)
  return (last === 0x73 || last === 0x78 || last === 0x65) && scriptPath.test(path)
}

const isNodeTest = (classname: string, attributes: Attributes, suite: Suite): boolean => {
  if (attributes["status"] !== undefined) return false
  if (classname === "test" && suite.name !== "test") return true
  return suite.disabled && isScript(attributes["file"] ?? "") && classname === suite.titles.join(".")
}

/** node:test escapes quotation marks twice. */
const unquoted = (name: string): string => name.replaceAll("&quot;", '"')

const isFullTitle = (name: string, classname: string, suite: Suite): boolean => {
  if (isScript(classname) || holds(name, classname)) return true
  return suite.name !== "" && name.endsWith(classname) && name.endsWith(`${suite.name} ${classname}`)
}

/** `tests/test_a.py` holds `tests.test_a.TestX`: the rest of the class are the classes within the file. */
const pytestId = (file: string, classname: string, name: string): string | null => {
  if (!file.endsWith(".py")) return null
  const path = relative(file.replaceAll("\\", "/"))
  const module = path.slice(0, -3).replaceAll("/", ".")
  if (classname === module) return `${path}::${name}`
  if (!classname.startsWith(`${module}.`)) return null
  return `${path}::${classname.slice(module.length + 1).replaceAll(".", "::")}::${name}`
}
