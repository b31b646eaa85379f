/** Formats that are recognised but not supported, with the option of each tool that writes a supported one. */
import { Predicate } from "effect"
import * as ReadFormat from "./ReadFormat.ts"
import * as Refusal from "../text/Refusal.ts"

/**
 * An unsupported format.
 *
 * **Details**
 *
 * - `name`: what it is, with its article.
 * - `advice`: what to do instead.
 * - `roots`: root elements of its XML, without prefix.
 * - `keys`: keys that its JSON object has together; of a list, those of its first item; of lines, those of the first line.
 * - `line`: what one of its first lines matches, when it is neither XML nor JSON.
 */
export interface KnownFormat {
  readonly name: string
  readonly advice: string
  readonly roots?: ReadonlyArray<string>
  readonly keys?: ReadonlyArray<ReadonlyArray<string>>
  readonly line?: RegExp
}

const dotnet =
  "Run `dotnet test --logger trx`, or `dotnet test --logger junit` with the package JunitXml.TestLogger, and send that file."

const cucumber =
  "Let Cucumber write JUnit XML: `--format junit:report.xml` (JavaScript, Ruby: `--format junit --out reports`), `--plugin junit:report.xml` (Java), `behave --junit` (Python)."

const notTests = "It holds no test results: check the path that was uploaded."

/** The format that `go test` prints without `-json`. */
export const goText: KnownFormat = {
  name: "the text output of go test",
  advice: "Run `go test -json` and send what it prints, or `gotestsum --junitfile results.xml`.",
  line: /^(?:=== RUN {3}\S|--- (?:PASS|FAIL|SKIP): \S|ok {2}\t\S|FAIL\t\S)/
}

/** Whether a line is a result that `go test` prints without `-json`; packages that do not build are printed with it, too. */
export const isGoText = (line: string): boolean => goText.line?.test(line) === true && !line.endsWith(" failed]")

/** The formats. The first match counts. */
export const all: ReadonlyArray<KnownFormat> = [
  { name: "an HTML page", advice: "Check the path that was uploaded.", roots: ["html"] },
  { name: "an NUnit 3 result", advice: dotnet, roots: ["test-run"] },
  { name: "an NUnit 2 result", advice: dotnet, roots: ["test-results"] },
  { name: "an xUnit.net result", advice: dotnet, roots: ["assemblies", "assembly"] },
  {
    name: "a TestNG result",
    advice: "TestNG writes JUnit XML, too: send `test-output/junitreports/*.xml`, or those of Surefire or Gradle.",
    roots: ["testng-results"]
  },
  {
    name: "an Open Test Reporting file",
    advice:
      "Send the JUnit XML of the same run: `TEST-*.xml` of the console launcher's `--reports-dir`, Surefire or Gradle.",
    roots: ["events", "execution"]
  },
  {
    name: "a Robot Framework result",
    advice:
      "Run `robot --xunit xunit.xml`, or `rebot --xunit xunit.xml output.xml` for a run that has ended, and send that file.",
    roots: ["robot"]
  },
  {
    name: "a Boost.Test log",
    advice: "Run the tests with `--logger=JUNIT,all,results.xml` and send that file.",
    roots: ["TestLog", "TestResult"]
  },
  { name: "a CTest result", advice: "Run `ctest --output-junit results.xml` and send that file.", roots: ["Site"] },
  {
    name: "a doctest result",
    advice: "Run the tests with `--reporters=junit --out=results.xml` and send that file.",
    roots: ["doctest"]
  },
  {
    name: "a Catch2 result",
    advice: "Run the tests with `--reporter junit --out results.xml` and send that file.",
    roots: ["Catch", "Catch2TestRun"]
  },
  {
    name: "a Sonar test execution report",
    advice: "It has no times and no output of attempts. Let the test runner write JUnit XML as well.",
    roots: ["testExecutions", "unitTest"]
  },
  {
    name: "a PHPUnit TestDox report",
    advice: "Run `phpunit --log-junit results.xml` and send that file.",
    roots: ["tests"]
  },
  {
    name: "a JMeter log",
    advice: "It lists requests, not tests. Let a test runner write JUnit XML.",
    roots: ["testResults"]
  },
  { name: "a coverage report", advice: notTests, roots: ["coverage", "report", "CoverageSession"] },
  { name: "a Checkstyle report", advice: notTests, roots: ["checkstyle"] },
  { name: "a report of a linter", advice: notTests, roots: ["pmd", "BugCollection", "issues", "lint"] },
  {
    name: "an OTLP request with test spans",
    advice: "Send it to the route `traces`, as `lazaret ingest` does.",
    keys: [["resourceSpans"], ["resource_spans"]]
  },
  {
    name: "a mochawesome report",
    advice: "Run `mocha --reporter xunit --reporter-option output=results.xml` and send that file.",
    keys: [["stats", "results", "meta"]]
  },
  {
    name: "a Mocha JSON report",
    advice: "Run `mocha --reporter xunit --reporter-option output=results.xml` and send that file.",
    keys: [["stats", "tests", "passes", "failures"]]
  },
  {
    name: "an RSpec JSON report",
    advice:
      "Run `rspec --format RspecJunitFormatter --out results.xml` (gem rspec_junit_formatter) and send that file.",
    keys: [
      ["examples", "summary_line"],
      ["examples", "summary", "version"]
    ]
  },
  {
    name: "a Cucumber or Behave JSON report",
    advice: cucumber,
    keys: [
      ["elements", "keyword"],
      ["uri", "elements"]
    ]
  },
  {
    name: "a stream of Cucumber messages",
    advice: cucumber,
    keys: [["meta"], ["gherkinDocument"], ["testRunStarted"]]
  },
  {
    name: "a Dart or Flutter test stream",
    advice:
      "Turn it into JUnit XML with `tojunit` of the package junitreport: `flutter test --machine | tojunit --output results.xml`.",
    keys: [["protocolVersion", "runnerVersion", "type"]]
  },
  {
    name: "a Bazel build event stream",
    advice: "Send the JUnit XML that Bazel writes for each test: `bazel-testlogs/**/test.xml`.",
    keys: [
      ["id", "children"],
      ["id", "started"]
    ]
  },
  {
    name: "a test stream of Rust's libtest",
    advice: "Run `cargo nextest run` with `junit.path` in the profile (`[profile.default.junit]`) and send that file.",
    keys: [["type", "event"]]
  },
  {
    name: "a pytest-json-report file",
    advice: "Run `pytest --junitxml=results.xml` and send that file.",
    keys: [
      ["exitcode", "tests", "root"],
      ["exitcode", "summary", "root"]
    ]
  },
  {
    name: "a pytest-reportlog file",
    advice: "Run `pytest --junitxml=results.xml` and send that file.",
    keys: [["$report_type"]]
  },
  {
    name: "a GoogleTest JSON report",
    advice: "Run the tests with `--gtest_output=xml:results.xml` and send that file.",
    keys: [["testsuites", "tests", "failures"]]
  },
  {
    name: "a Ginkgo JSON report",
    advice: "Run `ginkgo --junit-report=results.xml` and send that file.",
    keys: [["SuitePath", "SuiteDescription"]]
  },
  {
    name: "an Allure result",
    advice: "Let the test runner write JUnit XML in addition to the Allure results.",
    keys: [
      ["uuid", "historyId"],
      ["uuid", "fullName", "stage"],
      ["uuid", "children", "befores"]
    ]
  },
  {
    name: "a Buildkite Test Engine upload",
    advice: "Let the test runner write JUnit XML and send that file.",
    keys: [["scope", "name", "result", "history"]]
  },
  {
    name: "a TestCafe JSON report",
    advice: "Run `testcafe --reporter xunit:results.xml` and send that file.",
    keys: [["userAgents", "fixtures"]]
  },
  {
    name: "a Newman JSON report",
    advice: "Run `newman run --reporters junit` and send the file that it writes.",
    keys: [["collection", "run"]]
  },
  {
    name: "an Xcode result",
    advice: "Pipe xcodebuild through `xcbeautify --report junit`, or run `swift test --xunit-output results.xml`.",
    keys: [
      ["testNodes", "testPlanConfigurations"],
      ["actions", "_type"]
    ]
  },
  {
    name: "a SARIF log",
    advice: notTests,
    keys: [
      ["runs", "$schema"],
      ["runs", "version"]
    ]
  },
  { name: "an ESLint report", advice: notTests, keys: [["filePath", "messages", "errorCount"]] },
  {
    name: "TAP",
    advice:
      "Let the runner write JUnit XML: `node --test --test-reporter=junit`, `tap --reporter=junit`, `prove --formatter TAP::Formatter::JUnit`.",
    line: /^(?:TAP version \d+|1\.\.\d+(?:\s|$)|(?:not )?ok \d+(?:\s|$))/
  },
  goText,
  {
    name: "a stream of TeamCity messages",
    advice: "Let the test runner write JUnit XML, for PHPUnit `phpunit --log-junit results.xml`.",
    line: /^##teamcity\[/
  },
  { name: "a coverage report (LCOV)", advice: notTests, line: /^(?:TN:|SF:\S)/ }
]

/** The format with this root element. */
export const ofRoot = (root: string): KnownFormat | undefined => all.find(({ roots }) => roots?.includes(root))

/** The format of a JSON value. */
export const ofJson = (json: unknown): KnownFormat | undefined => {
  const value: unknown = Array.isArray(json) ? json[0] : json
  if (!Predicate.isObject(value)) return undefined
  const holds = (keys: ReadonlyArray<string>): boolean => keys.every((key) => Object.hasOwn(value, key))
  return all.find(({ keys }) => keys?.some(holds))
}

/** The format of a text that is neither XML nor JSON, by its first lines. */
export const ofLines = (lines: ReadonlyArray<string>): KnownFormat | undefined =>
  all.find(({ line }) => line !== undefined && lines.some((each) => line.test(each)))

const readable = `${ReadFormat.names().slice(0, -1).join(", ")} and ${ReadFormat.names().at(-1)}`

/** The refusal of a report in an unsupported format: names the format, when it is known, and what to do. */
export const refusal = (known: KnownFormat | undefined, otherwise: string): Refusal.Refusal => ({
  reason: "unsupported",
  message:
    known === undefined
      ? `${otherwise} Readable are ${readable}.`
      : `The file is ${known.name}, a format that is not read. ${known.advice}`
})
