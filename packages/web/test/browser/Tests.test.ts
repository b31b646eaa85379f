import { assert, describe, it } from "vitest"
import { demo, visit } from "./visit.ts"

const names = "tbody .cell-name a"

describe("the list of tests", () => {
  it("the list of tests shows health, confidence, impact and the latest runs of each", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${demo}/tests?health_status=flaky&health_status=broken&sort=failed_executions_ratio`)
    assert.isAbove(await page.locator(names).count(), 0)
    await page
      .locator("tbody tr")
      .first()
      .getByRole("img", { name: /^The latest \d+ runs?/u })
      .waitFor()
    const row = (await page.locator("tbody tr").first().textContent()) ?? ""
    assert.match(row, /(flaky|broken).*(low|medium|high)/u)
    await visitor.isAccessible()
    await visitor.picture("tests-light")
    await page.setViewportSize({ width: 380, height: 900 })
    assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 380)
    await visitor.picture("tests-380")
  })

  it("the list of tests keeps every filter and the sort in the address, so that a link shows the same", async () => {
    await using visitor = await visit({ theme: "dark" })
    const { page } = visitor
    await visitor.open(`${demo}/tests`)
    await page.getByRole("searchbox", { name: "Name" }).fill("invoice")
    await page.waitForURL(/test_name=\*invoice\*/u)
    await page.getByRole("searchbox", { name: "Name" }).press("Enter")
    await page.getByRole("searchbox", { name: "Name" }).fill("!escapes")
    await page.waitForURL(/test_name_exclude=\*escapes\*/u)
    await page.getByRole("button", { name: "healthy", exact: true }).click()
    await page.getByRole("button", { name: "Confidence", exact: true }).click()
    await visitor.settled()
    const query = new URL(page.url()).searchParams
    assert.deepStrictEqual(Object.fromEntries(query), {
      test_name: "*invoice*",
      test_name_exclude: "*escapes*",
      health_status: "healthy",
      sort: "health_confidence",
      direction: "desc"
    })
    const shown = await page.locator(names).allTextContents()
    assert.isAbove(shown.length, 0)
    for (const name of shown) {
      assert.include(name, "invoice")
      assert.notInclude(name, "escapes")
    }
    await visitor.isAccessible()
    await visitor.picture("tests-dark")
    await using other = await visit()
    await other.open(new URL(page.url()).pathname + new URL(page.url()).search)
    assert.deepStrictEqual(await other.page.locator(names).allTextContents(), shown)
    await page.getByRole("button", { name: "Remove all" }).press("Enter")
    await page.waitForURL((url) => !url.search.includes("test_name"))
    assert.isTrue(await page.locator("#filter-test_name").evaluate((field) => field === document.activeElement))
  })

  it("the list of tests goes on page by page, and back", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${demo}/tests?sort=test_name&direction=asc`)
    const first = await page.locator(names).allTextContents()
    assert.strictEqual(first.length, 25)
    await page.getByRole("link", { name: "Next" }).click()
    await page.waitForURL(/cursor=/u)
    await visitor.settled()
    const second = await page.locator(names).allTextContents()
    assert.isTrue((first.at(-1) ?? "") <= (second[0] ?? ""))
    assert.notDeepEqual(first, second)
    await page.goBack()
    await visitor.settled()
    assert.deepStrictEqual(await page.locator(names).allTextContents(), first)
  })

  it("the list of tests says what to do when nothing matches", async () => {
    await using visitor = await visit()
    await visitor.open(`${demo}/tests?test_name=no-such-test`)
    assert.include(await visitor.page.locator("main").textContent(), "Remove a filter")
  })
})
