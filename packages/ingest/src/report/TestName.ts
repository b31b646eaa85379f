/** The test name of a JUnit case, built from the case and the elements around it alone. */
import type { Producer, Suite } from "./Dialect.ts"
import * as Excerpt from "../text/Excerpt.ts"
import * as Filepath from "../text/Filepath.ts"
import type { Attributes } from "../xml/Xml.ts"

/** Stands between project, file and title. */
export const separator = " › "

/**
 * The test name of a case; empty when the element names no test.
 *
 * **Details**
 *
 * In this order:
 * - PHPUnit: `class::name`, without the number of the attempt or of the repetition.
 * - cargo-nextest: `classname::name`.
 * - tap-xunit: `suite.name`, without the number of the assertion in the file, which changes with every new one before it.
 * - a Python `file`: `path/to/file.py::Class::name`, as pytest calls it.
 * - Go: `package.name`.
 * - scripts (vitest, jest, mocha, Playwright, node:test and every case with the path of a script): `project › file ›
 *   title`, the parts that exist.
 * - no `classname`: `suite.name`; the name alone when it holds the suite already (Bazel), or the suite is named after the
 *   runner.
 * - a name that holds its class (ctest): the name.
 * - Karma: `browser › name`, without the version of the browser.
 * - else `classname.name`; of a class that is the path of a file, the path as `Filepath.relative` has it.
 */
export const make = (
  attributes: Attributes,
  suite: Suite,
  producer: Producer | undefined,
  source: Source | null
): string => {
  const name = attributes["name"] ?? ""
  const phpClass = attributes["class"] ?? ""
  if (phpClass !== "" && name !== "") return `${phpClass}::${name.replace(phpNumber, "")}`
  if (producer === "tap") return ofSuite(name.replace(tapNumber, ""), suite, ".")
  const text = textOf(attributes, suite, producer, source)
  // Only the text of an attribute itself can be a view of the file; what is joined is not.
  return text === name || text === attributes["classname"] ? Excerpt.owned(text) : text
}

/** Whether the name of a case says that it is an attempt of a test, as PHPUnit does. */
export const isAttempt = (attributes: Attributes): boolean =>
  attributes["class"] !== undefined && phpNumber.exec(attributes["name"] ?? "")?.[1] === "attempt"

/** A number alone is the whole name of an assertion without a description. */
const tapNumber = /^#\d{1,9} (?=\S)/

const phpNumber = / \((attempt|repetition) \d{1,9} of \d{1,9}\)$/

/** The file of a case: as the report writes it, and as `Filepath.relative` has it. */
export interface Source {
  readonly written: string
  readonly path: string
}

/** The path of the file that holds a case, as the report writes it; null when the report does not say. */
export const filepath = (attributes: Attributes, suite: Suite): string | null => {
  const own = attributes["file"] ?? attributes["filepath"] ?? ""
  if (own !== "") return ofFile(own)
  const classname = attributes["classname"] ?? ""
  if (Filepath.isScript(classname)) return classname
  return suite.file ?? (Filepath.isScript(suite.name) ? suite.name : null)
}

/** Pest writes `tests/CartTest.php::it adds`. */
const ofFile = (written: string): string => {
  const end = written.indexOf("::")
  return end > 0 && /\.\w+$/.test(written.slice(0, end)) ? written.slice(0, end) : written
}

/** Whether a name begins with a title as a whole, so that the title need not be put in front of it. */
export const holds = (name: string, title: string): boolean =>
  // Comparing one character first spares nearly all names the comparison of whole texts.
  name.length >= title.length &&
  name.charCodeAt(title.length - 1) === title.charCodeAt(title.length - 1) &&
  name.startsWith(title) &&
  (name.length === title.length || separators.some((each) => name.startsWith(each, title.length)))

/** The separators between a class or suite and the rest of a full title. */
const separators = [".", " ", "::", "/", "#", ":", "\\"]

const textOf = (
  attributes: Attributes,
  suite: Suite,
  producer: Producer | undefined,
  source: Source | null
): string => {
  const name = attributes["name"] ?? ""
  const classname = attributes["classname"] ?? ""
  if (name.trim() === "" && classname.trim() === "") return ""
  if (producer === "nextest" && classname !== "") return `${classname}::${name}`
  const nodeId = source === null ? null : pytestId(source.path, classname, name)
  if (nodeId !== null) return nodeId
  if (producer === "go") return ofGo(name, classname, suite)
  const isScript = source !== null && Filepath.hasScriptEnding(source.path)
  if (isScript || isScripting(producer)) {
    const title = titleOf(attributes, suite, producer, source)
    return joined([producer === "playwright" ? suite.host : "", isScript ? source.path : ""], title)
  }
  if (classname === "") return ofSuite(name, suite, ".")
  if (name === "") return classname
  if (producer !== "googletest" && holds(name, classname)) return name
  const browser = karmaBrowser(classname, suite)
  if (browser !== null) return `${browser}${separator}${name}`
  return fullTitle(name, classname, suite) ?? `${ofPath(classname)}.${name}`
}

/**
 * The browser of a case of Karma, which has the browser's version and system before the class: the suite
 * `Chrome Headless 120.0.6099.71 (Linux x86_64)`, the class `Chrome_Headless_120_0_6099_71_(Linux_x86_64).Cart`.
 */
const karmaBrowser = (classname: string, { name }: Suite): string | null =>
  name.endsWith(")") && classname.startsWith(`${name.replaceAll(/[ .]/g, "_")}.`)
    ? (/^(.+?) v?\d[\d.]* \(.*\)$/.exec(name)?.[1] ?? null)
    : null

/**
 * A class without the place of its file on the machine. Pester writes the whole path of a file there, busted its line as well.
 */
const ofPath = (classname: string): string =>
  absolutePath.test(classname) || lineAtEnd.test(classname) ? Filepath.relative(classname) : classname

const absolutePath = /^(?:\/|[A-Za-z]:[\\/])/
const lineAtEnd = /\.[A-Za-z]\w*:\d+$/

/** The parts that exist and that the title does not hold already, and the title. */
export const joined = (parts: ReadonlyArray<string>, title: string): string => {
  let text = title
  for (const part of parts.toReversed()) {
    if (part !== "" && !holds(title, part)) text = text === "" ? part : part + separator + text
  }
  return text
}

/**
 * `tests/test_a.py` holds `tests.test_a.TestX`: the rest of the class are the classes within the file. A file that cannot be
 * collected is a case with the name of its module and without a class.
 */
const pytestId = (path: string, classname: string, name: string): string | null => {
  if (!path.endsWith(".py") || name === "") return null
  const module = path.slice(0, -3).replaceAll("/", ".")
  if (classname === "") return name === module ? path : null
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
const titleOf = (
  attributes: Attributes,
  suite: Suite,
  producer: Producer | undefined,
  source: Source | null
): string => {
  const name = attributes["name"] ?? ""
  const classname = (attributes["classname"] ?? "").trim()
  // A file that cannot be loaded is a failed test of node:test that is named after it.
  if (producer === "node:test") {
    const own = Filepath.isScript(name) ? Filepath.relative(name) : name
    return unquoted([...suite.titles, own].join(" > "))
  }
  if (producer === "playwright") return name.startsWith(`[${suite.host}] `) ? name.slice(suite.host.length + 3) : name
  if (classname === "" && producer === undefined) return ofSuite(name, suite, " ")
  if (classname === "" || classname === source?.written || Filepath.isScript(classname)) return name.trim()
  const own = name.trim()
  if (own === "" || holds(own, classname)) return own || classname
  const isJUnitReporter = producer === "mocha" && attributes["file"] === undefined
  const full = isJUnitReporter ? mochaTitle(own, classname, suite) : fullTitle(own, classname, suite)
  return full ?? behind(classname, own)
}

/**
 * mocha-junit-reporter writes the full title and the test's own one, or the suites' and the own one (`jenkinsMode`), either
 * way round (`testCaseSwitchClassnameAndName`).
 */
const mochaTitle = (name: string, classname: string, suite: Suite): string | null => {
  if (name.endsWith(` ${classname}`)) return name
  if (classname.endsWith(` ${name}`)) return classname
  return suite.name !== "" && name.endsWith(suite.name) ? behind(name, classname) : null
}

/** The one of both that is the title of the suite with the other one behind it. */
const fullTitle = (name: string, classname: string, suite: Suite): string | null => {
  const title = suite.name.replace(/^Root Suite /, "")
  if (title === "") return null
  if (name.endsWith(classname) && name.endsWith(behind(title, classname))) return name
  return classname.endsWith(name) && classname === behind(title, name) ? classname : null
}

const behind = (titles: string, own: string): string => `${titles}${titles.includes(" > ") ? " > " : " "}${own}`

/** node:test escapes quotation marks twice. */
const unquoted = (name: string): string => name.replaceAll("&quot;", '"')

/** The name of a case that has no class: that of its suite and its own. */
const ofSuite = (name: string, suite: Suite, between: string): string => {
  const title = suite.name.replace(timeAtEnd, "")
  if (title.trim() === "" || runners.has(title.toLowerCase()) || numberedRunner.test(title)) return name
  if (Filepath.isScript(title) && between !== ".") return name
  if (holds(name, title)) return name
  // PHPUnit once wrote the data sets of a test into a suite `Class::test`, without a class.
  const test = title.slice(title.lastIndexOf("::") + 2)
  if (title.includes("::") && test !== "" && name.startsWith(test)) return title.slice(0, -test.length) + name
  return `${Filepath.relative(title)}${between}${name}`
}

/** unittest-xml-reporting puts the time of the run behind the name of a suite: `unittest.suite._ErrorHolder-20261123013913`. */
const timeAtEnd = /-20\d{12}$/

/** rspec_junit_formatter numbers its processes, cargo2junit the test binaries: a new one changes the numbers of those after it. */
const numberedRunner = /^(?:rspec\d*|cargo test #\d+)$/

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
