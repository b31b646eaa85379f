import { assert, describe, it } from "vitest"
import { ci, report } from "./story.ts"
import { key, url, visit } from "./visit.ts"

/** Reports of one job run every six hours: one test takes three times as long in the last ten of 30. */
const history = async (repository: string): Promise<void> => {
  for (let index = 0; index < 30; index++) {
    const noise = 1 + 0.02 * Math.sin(7.3 * index)
    const slow = ((index < 20 ? 12 : 36) * noise).toFixed(3)
    const at = new Date(Date.now() - (30 - index) * 6 * 3_600_000).toISOString()
    const query = new URLSearchParams({
      pipeline_name: "CI",
      job_name: "unit",
      branch: "main",
      commit: index.toString(16).padStart(2, "0").repeat(20),
      finished_at: at
    })
    const answer = await fetch(`${url}${ci(repository)}/reports?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/xml" },
      body: `<testsuite><testcase name="net answers" time="${slow}"/><testcase name="ui shows" time="${(8 * noise).toFixed(3)}"/></testsuite>`
    })
    assert.strictEqual(answer.status, 201)
  }
}

describe("the page of what became slower", () => {
  it("a test that takes longer is shown with its change, its commits and the time of a week, and leads to its page", async () => {
    await history("slower")
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open("/acme/slower/tests")
    await page.getByRole("link", { name: "What became slower" }).click()
    await page.getByRole("heading", { name: "1 change" }).waitFor()
    const row = page.locator("main .rows > li")
    const text = (await row.textContent()) ?? ""
    assert.match(text, /net answers1[12](?:\.\d)? s → 3[567](?:\.\d)? s, 1\d min(?: \d+ s)? more a week/u)
    assert.include(text, "high confidence")
    assert.strictEqual(await row.locator("svg.sparkline").count(), 1)
    await visitor.isAccessible()
    await visitor.open("/acme/slower/slower")
    await visitor.isStill()
    await visitor.picture("slower-light")
    await row.getByRole("link", { name: "net answers" }).click()
    await page.waitForURL(/\/tests\/[0-9a-f-]{36}$/u)
  })

  it("the page of slower tests says where no test could be compared", async () => {
    await report("slower-none", "a", [["net answers", "passed"]])
    await using visitor = await visit()
    await visitor.open("/acme/slower-none/slower")
    const text = (await visitor.page.locator("main").textContent()) ?? ""
    assert.include(text, "Nothing to compare yet")
    assert.notInclude(text, "Nothing became slower")
    await visitor.isAccessible()
  })

  it("the page of slower tests fits a narrow screen in dark colours", async () => {
    await history("slower-narrow")
    await using narrow = await visit({ width: 380, theme: "dark" })
    await narrow.open("/acme/slower-narrow/slower")
    await narrow.page.locator("main .rows > li").waitFor()
    assert.deepStrictEqual(await narrow.misplaced(), [])
    await narrow.isAccessible()
  })
})
