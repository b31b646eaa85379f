/** The checkout folder of the client: the same tests have the same names wherever they run. */
import { assert, describe, it } from "@effect/vitest"
import { ReportReader } from "@lazaret/ingest"
import { Result, Schema } from "effect"
import { textOf } from "../reportOf.ts"

/** Reports of runners that write absolute paths, here below `/src`. */
const samples = ["node-test/junit.xml", "mocha/junit.xml", "mocha/xunit.xml"]

const checkouts = [
  "/data/ci/workspace/app_PR-12",
  "/codebuild/output/src812345678/src/github.com/acme/shop",
  "/home/gitlab-runner/builds/t1_x-yZ/3/group/sub/project",
  "/srv/teamcity/checkouts/2ab3c",
  "/srv/bamboo/xml-data/build-dir/SHOP-UNIT-JOB1"
]

const read = (text: string, checkout?: string) => Result.getOrThrow(ReportReader.parse(text, { checkout }))

const namesOf = (text: string, checkout?: string) =>
  read(text, checkout).cases.map(({ filepath, testName }) => [testName, filepath])

const jest = (folder: string) =>
  JSON.stringify({
    testResults: [{ name: `${folder}/src/a.test.ts`, assertionResults: [{ title: "adds", status: "passed" }] }]
  })

const ctrf = (folder: string) =>
  JSON.stringify({
    results: {
      tests: [
        {
          name: "adds",
          status: "passed",
          filePath: `${folder}/src/a.test.ts`,
          suite: `${folder}/src/a.test.ts > cart`
        },
        { name: "pays", status: "passed", suite: [`${folder}/src/b.test.ts`, "cart"] }
      ]
    }
  })

describe("checkout", () => {
  it.prop(
    "tests have the same names in every checkout that the client names",
    [
      Schema.Literals(samples),
      Schema.Literals(checkouts),
      Schema.Literals(checkouts),
      Schema.Literals(["", "/", "\\"])
    ],
    ([path, one, other, end]) => {
      const at = (folder: string) => textOf(path).replaceAll("/src/", `${folder}/src/`)
      assert.deepStrictEqual(namesOf(at(one), one + end), namesOf(at(other), other))
      assert.isEmpty(read(at(one), one).warnings.filter((each) => each.includes("absolute path")))
    }
  )

  it("Jest's and CTRF's files are relative to the checkout that the client names", () => {
    for (const folder of checkouts) {
      const names = [jest, ctrf].map((report) => namesOf(report(folder), folder).map(([name]) => name))
      assert.deepStrictEqual(names, [
        ["src/a.test.ts › adds"],
        ["src/a.test.ts › cart › adds", "src/b.test.ts › cart › pays"]
      ])
    }
  })

  it("Playwright's files begin at the checkout, and its names stay", () => {
    const text = textOf("playwright/report.json")
    const before = namesOf(text)
    const after = namesOf(text, "/__w/shop/shop")
    assert.deepStrictEqual(
      after,
      before.map(([name, file]) => [name, `tests/${file}`])
    )
    assert.deepStrictEqual(namesOf(text, "/elsewhere"), before)
  })

  it("only the named folder is taken off, and it may be written as a URL or with backslashes", () => {
    const one = (file: string, checkout: string) =>
      namesOf(`<testsuite name="s"><testcase name="t" classname="c" file="${file}"/></testsuite>`, checkout)[0]?.[1]
    assert.strictEqual(one("/data/app-2/a.rb", "/data/app"), "/data/app-2/a.rb")
    assert.strictEqual(one("/data/app", "/data/app"), "/data/app")
    assert.strictEqual(one("file:///data/app/a.rb", "/data/app"), "a.rb")
    assert.strictEqual(one(String.raw`E:\ci\app\a.rb`, "E:/ci/app"), "a.rb")
    assert.strictEqual(one("E:/ci/app/a.rb", String.raw`E:\ci\app`), "a.rb")
    assert.strictEqual(one("/data/app/a.rb", "/"), "/data/app/a.rb")
  })

  it("names with an absolute path have a warning that says what to do", () => {
    const warnings = read(jest("/srv/teamcity/checkouts/2ab3c")).warnings.join()
    assert.match(warnings, /1 test name with an absolute path.*parameter `checkout`/)
  })
})

describe("advice about names", () => {
  it.each([
    ["pytest/xunit2.xml", /No test names its file: .*-o junit_family=xunit1/],
    ["jest/default.xml", /No test names its file: .*addFileAttribute/],
    ["node-test/node20.xml", /No test names its file: .*Node 24/],
    ["jest/default.xml", /told apart by the order of the report alone .*addFileAttribute/]
  ])("the report %s has a warning with the option to set", (path, warning) => {
    assert.match(read(textOf(path)).warnings.join("\n"), warning)
  })

  it("a report of a producer that cannot name files has no warning about them", () => {
    assert.deepStrictEqual(read(textOf("surefire/TEST-com.example.CartTest.xml")).warnings, [])
  })
})
