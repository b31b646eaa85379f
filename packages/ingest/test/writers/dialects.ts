/** Generators of JUnit XML in the dialects of its producers. */
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

/** How a producer writes its report. Attributes are written as they stand. */
export interface Dialect {
  readonly root: string
  readonly suite: (file: string) => string
  readonly properties?: string
  readonly case: (title: string, file: string) => string
}

const gradle = 'skipped="0" failures="0" errors="0" timestamp="2026-03-04T10:15:30" hostname="h" time="0"'

/** The dialects by producer; a file is `a`, `b` or `c`, a title is unique within its report. */
export const dialects: Readonly<Record<string, Dialect>> = {
  vitest: {
    root: 'name="vitest tests"',
    suite: (file) => `name="src/${file}.test.ts"`,
    case: (title, file) => `classname="src/${file}.test.ts" name="cart &gt; ${title}"`
  },
  jest: {
    root: 'name="jest tests"',
    suite: () => 'name="undefined"',
    case: (title) => `classname=" ${title}" name=" ${title}"`
  },
  "jest with files": {
    root: 'name="jest tests"',
    suite: (file) => `name="cart" file="src/${file}.js"`,
    case: (title, file) => `classname="cart" name="${title}" file="src/${file}.js"`
  },
  mocha: {
    root: 'name="Mocha Tests"',
    suite: (file) => `name="cart" file="/__w/shop/shop/test/${file}.js"`,
    case: (title) => `name="cart ${title}" classname="${title}"`
  },
  playwright: {
    root: 'id="" name="" tests="1" failures="0" skipped="0" errors="0" time="1"',
    suite: (file) => `name="${file}.spec.ts" hostname="chromium"`,
    case: (title, file) => `name="${title}" classname="${file}.spec.ts"`
  },
  "node:test": {
    root: "",
    suite: () => 'name="cart" disabled="0"',
    case: (title, file) => `name="${title}" classname="cart" file="/src/${file}.test.js"`
  },
  "pytest xunit1": {
    root: 'name="pytest tests"',
    suite: () => 'name="pytest"',
    case: (title, file) => `classname="tests.${file}.TestX" name="test_${title}" file="tests/${file}.py"`
  },
  "pytest xunit2": {
    root: 'name="pytest tests"',
    suite: () => 'name="pytest"',
    case: (title, file) => `classname="tests.${file}.TestX" name="test_${title}"`
  },
  surefire: {
    root: "",
    suite: (file) => `xsi:noNamespaceSchemaLocation="surefire.xsd" name="com.shop.${file}"`,
    properties: '<property name="java.version" value="21"/>',
    case: (title, file) => `name="${title}" classname="com.shop.${file}"`
  },
  gradle: {
    root: "",
    suite: (file) => `name="com.shop.${file}" tests="1" ${gradle}`,
    case: (title, file) => `name="${title}()" classname="com.shop.${file}" time="0.1"`
  },
  gotestsum: {
    root: "",
    suite: (file) => `name="example.com/shop/${file}"`,
    properties: '<property name="go.version" value="go1.24"/>',
    case: (title) => `classname="" name="Test${title}"`
  },
  "go-junit-report": {
    root: "",
    suite: (file) => `name="example.com/shop/${file}"`,
    case: (title, file) => `classname="${file}" name="Test_${title}"`
  },
  nextest: {
    root: 'name="nextest-run" uuid="45c50042"',
    suite: (file) => `name="shop::${file}"`,
    case: (title, file) => `name="tests::${title}" classname="shop::${file}"`
  },
  phpunit: {
    root: "",
    suite: (file) => `name="${file}"`,
    case: (title, file) => `name="test${title}" class="Shop\\${file}" classname="Shop.${file}" assertions="1"`
  },
  doctest: {
    root: "",
    suite: () => 'name="all" errors="0" failures="0" tests="98"',
    case: (title, file) => `classname="${file}.cpp" name="${title}" status="run"`
  },
  catch2: {
    root: "",
    suite: () => 'name="all" hostname="tbd" tests="98"',
    case: (title) => `classname="all.global" name="${title}" status="run"`
  },
  googletest: {
    root: 'name="AllTests"',
    suite: (file) => `name="${file}Test"`,
    case: (title, file) => `name="${title}" status="run" result="completed" classname="${file}Test"`
  },
  "without classes": { root: "", suite: (file) => `name="${file}Test"`, case: (title) => `name="${title}"` },
  "without anything": { root: "", suite: () => "", case: (title) => `name="${title}"` },
  "of nobody": { root: "", suite: () => 'name="s"', case: (title, file) => `classname="${file}" name="${title}"` }
}

/** A suite of a report: the file it stands for, and the outcomes of its cases. */
export interface Suite {
  readonly file: string
  readonly outcomes: ReadonlyArray<"" | "<failure/>" | "<skipped/>">
}

/** Reports as lists of suites. */
export const reports: Arbitrary.Arbitrary<ReadonlyArray<Suite>> = Arbitrary.array(
  Arbitrary.all({
    file: Arbitrary.schema(Schema.Literals(["a", "b", "c"])),
    outcomes: Arbitrary.schema(Schema.NonEmptyArray(Schema.Literals(["", "<failure/>", "<skipped/>"])))
  }),
  { minLength: 1 }
)

/** The names of the dialects. */
export const names: Arbitrary.Arbitrary<string> = Arbitrary.schema(Schema.Literals(Object.keys(dialects)))

/** The elements of the cases of each suite; their titles are counted from `before`. */
export const casesOf = (
  dialect: Dialect,
  suites: ReadonlyArray<Suite>,
  before = 0
): ReadonlyArray<ReadonlyArray<string>> => {
  let index = before
  return suites.map(({ file, outcomes }) =>
    outcomes.map((outcome) => {
      index += 1
      return `<testcase ${dialect.case(`adds ${index}`, file)}>${outcome}</testcase>`
    })
  )
}

/** The report whose suites hold these elements; a suite without any is left out. */
export const write = (
  dialect: Dialect,
  suites: ReadonlyArray<Suite>,
  content: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const elements = suites.map(({ file }, index) => {
    const own = content[index] ?? []
    const properties = dialect.properties === undefined ? "" : `<properties>${dialect.properties}</properties>`
    return own.length === 0 ? "" : `<testsuite ${dialect.suite(file)}>${properties}${own.join("\n")}</testsuite>\n`
  })
  return `<testsuites ${dialect.root}>\n${elements.join("")}</testsuites>\n`
}

/** One report out of the suites of several, as tools that merge files write it. */
export const merged = (files: ReadonlyArray<string>): string =>
  `<testsuites>${files.map((each) => each.replaceAll(/<\/?testsuites[^>]*>/g, "")).join("")}</testsuites>`
