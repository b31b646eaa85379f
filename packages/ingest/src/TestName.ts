/** The test name of a JUnit case, built from the case and the elements around it alone. */
import type { Producer, Suite } from "./Dialect.ts"
import * as Excerpt from "./Excerpt.ts"
import * as Filepath from "./Filepath.ts"
import type { Attributes } from "./Xml.ts"

/** Stands between project, file and title. */
export const separator = " › "

/**
 * A test name, and which attempt of it a case is: null where the case does not say so.
 */
export interface TestName {
  readonly name: string
  readonly attempt: number | null
}

/**
 * The test name of a case; empty when the element names no test.
 *
 * **Details**
 *
 * In this order:
 * - PHPUnit: `class::name`, without the number of the attempt or of the repetition.
 * - cargo-nextest: `classname::name`.
 * - a Python `file`: `path/to/file.py::Class::name`, as pytest calls it.
 * - Go: `package.name`.
 * - scripts (vitest, jest, mocha, Playwright, node:test and every case with the path of a script): `project › file ›
 *   title`, the parts that exist.
 * - no `classname`: `suite.name`; the name alone when it holds the suite already (Bazel), or the suite is named after the
 *   runner.
 * - a name that holds its class (ctest): the name.
 * - else `classname.name`.
 */
export const make = (
  attributes: Attributes,
  suite: Suite,
  producer: Producer | undefined,
  relative: Relative = Filepath.relative
): TestName => {
  const name = attributes["name"] ?? ""
  const phpClass = attributes["class"] ?? ""
  if (phpClass !== "" && name !== "") return ofPhp(phpClass, name)
  return { name: Excerpt.owned(textOf(attributes, suite, producer, relative)), attempt: null }
}

/** The path of the file that holds a case, as the report writes it; null when the report does not say. */
export const filepath = (attributes: Attributes, suite: Suite): string | null => {
  const own = attributes["file"] ?? attributes["filepath"] ?? ""
  if (own !== "") return own
  const classname = attributes["classname"] ?? ""
  if (Filepath.isScript(classname)) return classname
  return suite.file ?? (Filepath.isScript(suite.name) ? suite.name : null)
}

/** Whether a name begins with a title as a whole, so that the title need not be put in front of it. */
export const holds = (name: string, title: string): boolean =>
  // Comparing one character first spares nearly all names the comparison of whole texts.
  name.length >= title.length &&
  name.charCodeAt(title.length - 1) === title.charCodeAt(title.length - 1) &&
  name.startsWith(title) &&
  (name.length === title.length || separators.some((each) => name.startsWith(each, title.length)))

/** What may stand between a class or suite and the rest of a full title. */
const separators = [".", " ", "::", "/", "#", ":", "\\"]

/** What turns a path as written into one within the repository. */
type Relative = (path: string) => string

const textOf = (attributes: Attributes, suite: Suite, producer: Producer | undefined, relative: Relative): string => {
  const name = attributes["name"] ?? ""
  const classname = attributes["classname"] ?? ""
  if (name.trim() === "" && classname.trim() === "") return ""
  if (producer === "nextest" && classname !== "") return `${classname}::${name}`
  const file = filepath(attributes, suite)
  const nodeId = file === null ? null : pytestId(relative(file), classname, name)
  if (nodeId !== null) return nodeId
  if (producer === "go") return ofGo(name, classname, suite)
  const script = file !== null && Filepath.hasScriptEnding(relative(file)) ? relative(file) : ""
  if (script !== "" || isScripting(producer)) {
    const title = titleOf(attributes, suite, producer)
    return joined([producer === "playwright" ? suite.host : "", script], title)
  }
  if (classname === "") return ofSuite(name, suite, relative)
  if (name === "") return classname
  if (producer !== "googletest" && holds(name, classname)) return name
  return fullTitle(name, classname, suite) ?? `${classname}.${name}`
}

/** The parts that exist and that the title does not hold already, and the title. */
export const joined = (parts: ReadonlyArray<string>, title: string): string =>
  [...parts.filter((part) => part !== "" && !holds(title, part)), title].filter(Boolean).join(separator)

const ofPhp = (phpClass: string, name: string): TestName => {
  const match = /^(.*) \((attempt|repetition) (\d{1,9}) of \d{1,9}\)$/s.exec(name)
  const [, plain = name, kind, number] = match ?? []
  return { name: `${phpClass}::${plain}`, attempt: kind === "attempt" ? Number(number) : null }
}

/** `tests/test_a.py` holds `tests.test_a.TestX`: the rest of the class are the classes within the file. */
const pytestId = (path: string, classname: string, name: string): string | null => {
  if (!path.endsWith(".py") || classname === "" || name === "") return null
  const module = path.slice(0, -3).replaceAll("/", ".")
  if (classname === module) return `${path}::${name}`
  if (classname.startsWith(`${module}.`)) {
    return `${path}::${classname.slice(module.length + 1).replaceAll(".", "::")}::${name}`
  }
  return inheritedId(classname, name)
}

/**
 * A test that is inherited from a class in another file: `file` is that file, so only the class says where the test is.
 * Its first part in upper case is taken for the class, as pytest's own default (`Test*`) has it.
 */
const inheritedId = (classname: string, name: string): string | null => {
  const parts = classname.split(".")
  const first = parts.findIndex((part) => /^[A-Z]/.test(part))
  if (first < 1) return null
  return [`${parts.slice(0, first).join("/")}.py`, ...parts.slice(first), name].join("::")
}

/** The package is the name of the suite, of which a short `classname` is only the end. */
const ofGo = (name: string, classname: string, suite: Suite): string => {
  const isWhole = suite.name !== "" && (classname === "" || suite.name.endsWith(`/${classname}`))
  return `${isWhole ? suite.name : classname}.${name}`
}

const isScripting = (producer: Producer | undefined): boolean =>
  producer === "vitest" ||
  producer === "jest" ||
  producer === "mocha" ||
  producer === "playwright" ||
  producer === "node:test"

/**
 * The title of a script's test with the titles around it, whichever options put them into `name`, `classname` or both.
 */
const titleOf = (attributes: Attributes, suite: Suite, producer: Producer | undefined): string => {
  const name = attributes["name"] ?? ""
  const classname = (attributes["classname"] ?? "").trim()
  // A file that cannot be loaded is a failed test that is named after it.
  if (producer === "node:test") {
    const own = Filepath.isScript(name) ? Filepath.relative(name) : name
    return unquoted([...suite.titles, own].join(" > "))
  }
  if (producer === "playwright") return name.startsWith(`[${suite.host}] `) ? name.slice(suite.host.length + 3) : name
  if (classname === "" && producer === undefined) return ofSuite(name, suite, String, " ")
  if (classname === "" || Filepath.isScript(classname)) return name.trim()
  const own = name.trim()
  if (own === "" || holds(own, classname)) return own || classname
  const isJUnitReporter = producer === "mocha" && attributes["file"] === undefined
  return (
    (isJUnitReporter ? mochaTitle(own, classname, suite) : fullTitle(own, classname, suite)) ?? after(classname, own)
  )
}

/**
 * mocha-junit-reporter writes the full title and the test's own one, or the suites' and the own one (`jenkinsMode`), either
 * way round (`testCaseSwitchClassnameAndName`).
 */
const mochaTitle = (name: string, classname: string, suite: Suite): string | null => {
  if (name.endsWith(` ${classname}`)) return name
  if (classname.endsWith(` ${name}`)) return classname
  return suite.name !== "" && name.endsWith(suite.name) ? after(name, classname) : null
}

/** The one of both that is the title of the suite with the other one behind it. */
const fullTitle = (name: string, classname: string, suite: Suite): string | null => {
  const title = suite.name.replace(/^Root Suite /, "")
  if (title === "") return null
  if (name.endsWith(classname) && name.endsWith(after(title, classname))) return name
  return classname.endsWith(name) && classname === after(title, name) ? classname : null
}

const after = (titles: string, own: string): string => `${titles}${titles.includes(" > ") ? " > " : " "}${own}`

/** node:test escapes quotation marks twice. */
const unquoted = (name: string): string => name.replaceAll("&quot;", '"')

/** The name of a case that has no class: that of its suite and its own. */
const ofSuite = (name: string, suite: Suite, relative: Relative, between = "."): string => {
  const title = suite.name
  if (title.trim() === "" || runners.has(title.toLowerCase()) || /^rspec\d*$/.test(title)) return name
  if (Filepath.isScript(title) && between !== ".") return name
  if (holds(name, title)) return name
  // PHPUnit once wrote the data sets of a test into a suite `Class::test`, without a class.
  const test = title.slice(title.lastIndexOf("::") + 2)
  if (title.includes("::") && test !== "" && name.startsWith(test)) return title.slice(0, -test.length) + name
  return `${relative(title)}${between}${name}`
}

/** Suites that are named after the program that ran them: they say nothing about a test. */
const runners: ReadonlySet<string> = new Set([
  "pytest",
  "pytest tests",
  "nosetests",
  "mocha tests",
  "root suite",
  "jest tests",
  "vitest tests",
  "nextest-run",
  "alltests",
  "undefined",
  "junit",
  "xunit",
  "minitest",
  "test",
  "tests",
  "test suite",
  "testsuite",
  "default",
  "default suite"
])
