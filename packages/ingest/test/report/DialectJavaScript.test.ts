import { JUnit } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parsed, summary } from "../reportOf.ts"

const cypress = (...files: ReadonlyArray<string>) =>
  files
    .map(
      (file) =>
        `<testsuite name="Root Suite" timestamp="2026-11-20T10:00:00" tests="0"${file === "" ? "" : ` file="${file}"`} time="0.0000" failures="0"/>` +
        `<testsuite name="Login" timestamp="2026-11-20T10:00:00" tests="1" time="1.2" failures="0">` +
        `<testcase name="Login works" time="1.2" classname="works"/></testsuite>`
    )
    .join("")

describe("Dialect, Cypress", () => {
  const namesOf = (xml: string) => Result.getOrThrow(JUnit.parse(xml)).cases.map(({ testName }) => testName)

  it("Cypress: the file of the empty root suite is that of the suites behind it", () => {
    const suites = cypress("cypress/e2e/a.cy.ts", "cypress/e2e/b.cy.ts", "")
    const names = ["cypress/e2e/a.cy.ts › Login works", "cypress/e2e/b.cy.ts › Login works", "Login works"]
    assert.deepStrictEqual(
      namesOf(`<testsuites name="Mocha Tests" time="3.6" tests="3" failures="0">${suites}</testsuites>`),
      names
    )
    const merged = `<testsuites failures="0" errors="0" tests="2">${cypress("cypress/e2e/a.cy.ts", "cypress/e2e/b.cy.ts")}</testsuites>`
    assert.deepStrictEqual(namesOf(merged), names.slice(0, 2), "merged by another tool")
  })
})

describe("Dialect, tap-xunit", () => {
  it("tap-xunit: names are without the number of the assertion, which changes with every new one before it", () => {
    const suite = (attributes: string, ...names: ReadonlyArray<string>) =>
      `<testsuite ${attributes}>${names.map((name) => `<testcase name="${name}"/>`).join("")}</testsuite>`
    const one = 'tests="2" failures="0" errors="0" name="cart adds"'
    const two = 'tests="2" skipped="0" failures="0" errors="0" name="cart pays"'
    const xml = `<testsuites>${suite(one, "#1 one", "#2 two")}${suite(two, "#3 one", "#4")}</testsuites>`
    const names = ["cart adds.one", "cart adds.two", "cart pays.one", "cart pays.#4"]
    assert.deepStrictEqual(
      Result.getOrThrow(JUnit.parse(xml)).cases.map(({ testName }) => testName),
      names
    )
    const other = suite('name="cart adds" tests="1"', "#1 one")
    assert.deepStrictEqual(
      Result.getOrThrow(JUnit.parse(other)).cases.map(({ testName }) => testName),
      ["cart adds.#1 one"]
    )
  })
})

describe("Dialect, test names of JavaScript", () => {
  it("vitest: a file that is listed once for each project has a warning, because the report names no project", () => {
    const suite = (file: string) =>
      `<testsuite name="${file}" tests="1"><testcase classname="${file}" name="adds" time="0.1"/></testsuite>`
    const warningsOf = (...files: ReadonlyArray<string>) =>
      Result.getOrThrow(JUnit.parse(`<testsuites name="vitest tests">${files.map(suite).join("")}</testsuites>`))
        .warnings
    assert.deepStrictEqual(warningsOf("src/a.test.ts", "src/b.test.ts"), [])
    assert.deepStrictEqual(warningsOf("src/a.test.ts", "src/b.test.ts", "src/a.test.ts"), [
      'The report lists 1 file more than once ("src/a.test.ts") and names no project: the tests of different projects get ' +
        "the same names. Write a report for each project and upload it with a job name of its own."
    ])
  })

  it("vitest: the file and the full title; equal titles of one file have an ordinal", () => {
    assert.deepStrictEqual(summary("vitest/junit.xml"), [
      "src/cart.test.ts › cart > totals > adds prices | passed",
      "src/cart.test.ts › cart > totals > rounds | failed",
      "src/cart.test.ts › cart > later | skipped",
      "src/user.test.ts › greets | passed"
    ])
    assert.deepStrictEqual(summary("vitest/equal-titles.xml"), [
      "src/a.test.ts › renders | passed",
      "src/a.test.ts › cart > same title | passed",
      "src/a.test.ts › cart > same title #2 | passed",
      "src/a.test.ts › cart > same title #3 | failed",
      "src/b.test.ts › renders | failed",
      "src/b.test.ts › flaky | passed",
      "src/c.test.ts | failed"
    ])
  })

  it("jest: the file, where the report has it, and the full title, whatever templates the titles have", () => {
    assert.deepStrictEqual(summary("jest/junit.xml"), [
      "src/cart.spec.js › cart totals adds prices | passed",
      "src/cart.spec.js › cart totals rounds | failed"
    ])
    assert.deepStrictEqual(summary("jest/default.xml"), [
      "renders | passed",
      "cart totals same title | passed",
      "cart totals same title #2 | passed",
      "cart totals same title #3 | failed",
      "renders #2 | failed",
      "later | passed"
    ])
    assert.deepStrictEqual(summary("jest/options.xml"), [
      "a.test.js › renders | passed",
      "a.test.js › cart totals same title | passed",
      "a.test.js › cart totals same title #2 | passed",
      "a.test.js › cart totals same title #3 | failed",
      "b.test.js › renders | failed",
      "b.test.js › later | passed",
      "c.test.js › Test suite failed to run c.test.js | failed"
    ])
  })

  it("mocha: the file and the full title, whatever options its reporter has", () => {
    const expected = [
      "top | passed",
      "test/a.js › outer adds | passed",
      "test/a.js › outer inner same | passed",
      "test/a.js › outer inner same #2 | passed",
      "test/a.js › outer inner same #3 | failed",
      'test/b.js › outer "before all" hook for "adds" | failed',
      "test/b.js › late adds | passed",
      'test/b.js › late "after all" hook for "adds" | failed'
    ]
    for (const options of ["default", "full", "switched", "renamed"]) {
      assert.deepStrictEqual(summary(`mocha/options_${options}.xml`), expected, options)
      assert.deepStrictEqual(parsed(`mocha/options_${options}.xml`).incomplete, [], "a pending test is not listed")
    }
    assert.deepStrictEqual(
      summary("mocha/xunit.xml").filter((each) => !each.endsWith("skipped")),
      ["test/a.js › top | passed", ...expected.slice(1)]
    )
    assert.strictEqual(parsed("mocha/junit.xml").cases[0]?.filepath, "/src/test/cart.js")
  })

  it("Playwright: project, file and title; the same test in two browsers is two tests", () => {
    assert.deepStrictEqual(summary("playwright/junit.xml"), [
      "chromium › cart.spec.ts › cart › adds an item | passed",
      "chromium › cart.spec.ts › opens | passed",
      "firefox › cart.spec.ts › cart › adds an item | failed",
      "firefox › cart.spec.ts › opens | passed"
    ])
  })

  it("Playwright: includeProjectInTestName changes no name, includeRetries lists the attempts", () => {
    const inFile = (project: string, file: string, outcome: string) => [
      `${project} › ${file} › top | passed`,
      `${project} › ${file} › outer › fails in webkit | ${outcome}`,
      `${project} › ${file} › outer › flaky | passed | flaky | 1 reruns`
    ]
    assert.deepStrictEqual(summary("playwright/projects.xml"), [
      ...inFile("chromium", "a.spec.ts", "passed"),
      ...inFile("chromium", "b.spec.ts", "passed"),
      ...inFile("webkit", "a.spec.ts", "failed | 1 reruns"),
      ...inFile("webkit", "b.spec.ts", "failed | 1 reruns")
    ])
    assert.match(parsed("playwright/projects.xml").cases[2]?.exception?.message ?? "", /^expect\(received\)\.toBe/)
  })

  it("node:test: the file, where the report has it, the titles of the suites and the name", () => {
    assert.deepStrictEqual(summary("node-test/junit.xml"), [
      "/src/cart.test.js › cart > adds | passed",
      "/src/cart.test.js › cart > rounding > half up | failed",
      "/src/cart.test.js › top level | skipped"
    ])
  })

  it("node:test of Node 24, whose class is the suites: the same names, without quotation marks escaped twice", () => {
    assert.deepStrictEqual(summary("node-test/node24.xml"), [
      "/src/cart.test.mjs › Cart > with items > adds up | passed",
      '/src/cart.test.mjs › Cart > with items > sorts "well" <b> & more | failed',
      "/src/cart.test.mjs › Cart > with items > todo | skipped",
      "/src/cart.test.mjs › Cart > throws | failed",
      "/src/cart.test.mjs › top level | passed"
    ])
    const { cases, incomplete } = parsed("node-test/node24.xml")
    assert.deepStrictEqual(
      cases.map((each) => each.exception?.type),
      [undefined, "AssertionError", undefined, "TypeError", undefined]
    )
    assert.deepStrictEqual(incomplete, [], "its suites count what is directly within them")
  })

  it("node:test with colours: a failing todo is skipped, and a test that is lost in the report makes it incomplete", () => {
    const tests = [
      "renders | passed",
      "todo fails | skipped",
      "cart > same | passed",
      "cart > same #2 | passed",
      "cart > same #3 | failed",
      "hook > a | failed",
      "late > a | passed",
      "parent > child | passed",
      "esc | failed"
    ]
    assert.deepStrictEqual(summary("node-test/todo.xml"), [
      ...tests.map((each) => `a.test.mjs › ${each}`),
      "c.test.mjs | failed",
      "sub/b.test.mjs › renders | failed"
    ])
    assert.deepStrictEqual(summary("node-test/node20.xml"), [...tests, "c.test.mjs | failed", "renders #2 | failed"])
    for (const path of ["node-test/todo.xml", "node-test/node20.xml"]) {
      const lost = { suite: "", tests: null, failures: { announced: 6, listed: 5 } }
      assert.deepStrictEqual(parsed(path).incomplete, [lost], "`parent` failed, its `child` passed")
    }
  })

  it("a class that is its suite stays in front where nothing tells node:test", () => {
    const one = (suite: string, file: string) =>
      Result.getOrThrow(
        JUnit.parse(`<testsuite name="Cart" ${suite}><testcase classname="Cart" name="adds" ${file}/></testsuite>`)
      ).cases[0]?.testName
    assert.strictEqual(one("", 'file="cart.test.js"'), "cart.test.js › Cart adds")
    assert.strictEqual(one('disabled="0"', 'file="cart.cpp"'), "Cart.adds")
    assert.strictEqual(one('disabled="0"', ""), "Cart.adds")
  })

  it("jest: a test outside of all suites has no space in front", () => {
    const xml = `<testsuites name="jest tests"><testsuite name="undefined"><testcase classname=" adds" name=" adds"/></testsuite></testsuites>`
    assert.strictEqual(Result.getOrThrow(JUnit.parse(xml)).cases[0]?.testName, "adds")
  })
})
