import type { Parsed } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { parsed } from "./summary.ts"

/** Name and conclusion of each test; JUnit XML does not tell retries of Jest and Vitest. */
const conclusions = (report: Parsed.Parsed): ReadonlyArray<string> =>
  report.cases.map(({ conclusion, testName }) => `${testName} | ${conclusion}`).toSorted()

describe("one run, both reporters", () => {
  it("Playwright's JSON and JUnit reporters name the same tests, with the same outcome", () => {
    assert.deepStrictEqual(conclusions(parsed("playwright/report.json")), conclusions(parsed("playwright/report.xml")))
  })

  it("Vitest's JSON and JUnit reporters do, too, but for a hook, which JSON does not name", () => {
    const inXml = conclusions(parsed("vitest/report.xml")).filter((line) => !line.includes("hooks.test.js"))
    const inJson = conclusions(parsed("vitest/report.json")).filter((line) => !line.includes("hooks.test.js"))
    assert.deepStrictEqual(inJson, inXml)
  })

  it("Jest's JSON adds the file, which jest-junit leaves out by default; a todo is a pass in jest-junit", () => {
    const withoutTodo = (path: string) => conclusions(parsed(path)).filter((line) => !line.includes("one day"))
    const inXml = withoutTodo("jest/report.xml")
    const inJson = withoutTodo("jest/report.json").filter((line) => !line.startsWith("src/broken"))
    assert.deepStrictEqual(
      inJson.map((line) => line.replace("src/cart.test.js › ", "")),
      inXml
    )
  })

  it("both reporters give each failure the same type and the same first line", () => {
    const failures = (path: string) =>
      parsed(path)
        .cases.filter(
          ({ conclusion, testName }) => conclusion === "failed" && testName.startsWith("src/cart.test.js ›")
        )
        .map(({ exception, testName }) => [testName, exception?.type, exception?.message?.split("\n", 1)[0]])
    assert.deepStrictEqual(failures("vitest/report.json"), failures("vitest/report.xml"))
    assert.strictEqual(failures("vitest/report.json").length, 3)
  })
})
