import { assert, describe, it } from "vitest"
import { demo, visit } from "./visit.ts"

const names = "tbody .cell-name a"

const order = ["broken", "flaky", "healthy"]

describe("the list of tests", () => {
  it("the list of tests opens on what is broken or flaky, with the figures that a person decides on", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${demo}/tests`)
    const statuses = await page.locator("tbody .cell-health").allTextContents()
    assert.deepStrictEqual(
      statuses,
      statuses.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    )
    assert.notStrictEqual(statuses[0], "healthy")
    const strip = page
      .locator("tbody tr")
      .first()
      .getByRole("group", { name: /^The latest \d+ runs?/u })
    await strip.waitFor()
    const row = (await page.locator("tbody tr").first().textContent()) ?? ""
    assert.match(row, /(?:\d %|in a row).*ago.*m?s/u)
    await visitor.isAccessible()
    await visitor.isStill()
    await visitor.picture("tests-light")
    await page.setViewportSize({ width: 380, height: 900 })
    assert.deepStrictEqual(await visitor.misplaced(), [])
    assert.isTrue(await page.locator(names).first().isVisible())
    assert.isBelow((await page.locator(names).first().boundingBox())?.y ?? Infinity, 900)
    await page.getByRole("button", { name: "Filter and sort" }).click()
    await page.getByRole("group", { name: "Health" }).waitFor()
    await visitor.isAccessible()
    await visitor.picture("tests-380")
    await strip
      .getByRole("link", { name: /^failed on .*, run / })
      .first()
      .click()
    await page.waitForURL(/\/acme\/demo\/runs\/[^/]+$/u)
  })

  it("the list of tests finds parts of names in any case, counts every filter, and keeps the view in the address", async () => {
    await using visitor = await visit({ theme: "dark" })
    const { page } = visitor
    await visitor.open(`${demo}/tests`)
    await page.getByRole("combobox", { name: "Search by name" }).fill("INVOICE !escapes")
    await page.waitForURL(/search=/u)
    await page.getByRole("button", { name: /^healthy/u }).click()
    await page.getByRole("button", { name: "Runs", exact: true }).click()
    await visitor.settled()
    const query = new URL(page.url()).searchParams
    assert.deepStrictEqual(Object.fromEntries(query), {
      search: "INVOICE !escapes",
      health_status: "healthy",
      sort: "executions_count"
    })
    const shown = await page.locator(names).allTextContents()
    assert.isAbove(shown.length, 0)
    for (const name of shown) {
      assert.include(name, "invoice")
      assert.notInclude(name, "escapes")
    }
    const counted = (await page.getByRole("button", { name: /^healthy/u }).textContent()) ?? ""
    const heading =
      (await page
        .getByRole("heading", { name: /tests?$/u })
        .last()
        .textContent()) ?? ""
    assert.include(heading, counted.replace(/\D/gu, ""))
    assert.strictEqual(
      await page.getByRole("columnheader", { name: "Runs", exact: true }).getAttribute("aria-sort"),
      "descending"
    )
    await visitor.isAccessible()
    await visitor.picture("tests-dark")
    await using other = await visit()
    await other.open(new URL(page.url()).pathname + new URL(page.url()).search)
    assert.deepStrictEqual(await other.page.locator(names).allTextContents(), shown)
    await page.getByRole("button", { name: "Clear all filters" }).press("Enter")
    await page.waitForURL((url) => !url.search.includes("search"))
    assert.isTrue(await page.locator("#search").evaluate((field) => field === document.activeElement))
  })

  it("the list of tests goes on page by page, says which one it is, and comes back to the same place", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${demo}/tests?sort=test_name&direction=asc`)
    const first = await page.locator(names).allTextContents()
    assert.strictEqual(first.length, 25)
    await page.getByRole("link", { name: "Next" }).click()
    await page.waitForURL(/cursor=/u)
    await visitor.settled()
    assert.include((await page.getByRole("navigation", { name: "Pages" }).textContent()) ?? "", "Page 2 of")
    const second = await page.locator(names).allTextContents()
    assert.isTrue((first.at(-1) ?? "") <= (second[0] ?? ""))
    assert.notDeepEqual(first, second)
    await page.goBack()
    await visitor.settled()
    assert.deepStrictEqual(await page.locator(names).allTextContents(), first)
  })

  it("a visitor comes back from a test to the row and the place of the list", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${demo}/tests`)
    const row = page.locator(names).nth(20)
    const name = await row.textContent()
    await row.scrollIntoViewIfNeeded()
    const place = await page.evaluate(() => window.scrollY)
    assert.isAbove(place, 0)
    await row.press("Enter")
    await page.waitForURL(/tests\/[0-9a-f-]{36}/u)
    await visitor.settled()
    await page.goBack()
    await visitor.settled()
    await page.waitForFunction((y) => Math.abs(window.scrollY - y) < 5, place)
    assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), name)
  })

  it("a person walks from page to page with the keyboard alone: Ctrl K finds a test and a repository", async () => {
    await using visitor = await visit({ width: 390 })
    const { page } = visitor
    await visitor.open(`${demo}/quarantine`)
    await page.keyboard.press("Control+k")
    const dialog = page.getByRole("dialog", { name: "Search tests, pull requests, commits and repositories" })
    await page.keyboard.type("cart")
    await dialog.getByRole("option", { name: /cart/iu }).first().waitFor()
    await visitor.isAccessible()
    await visitor.picture("search-390")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/tests\/[0-9a-f-]{36}$/u)
    await visitor.settled()
    assert.match((await page.locator("h1").textContent()) ?? "", /cart/iu)
    await page.keyboard.press("g")
    await page.keyboard.press("t")
    await page.waitForURL("**/tests")
    await visitor.settled()
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/tests\/[0-9a-f-]{36}$/u)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("acme/demo")
    await dialog.getByRole("option", { name: "acme/demo", exact: true }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/acme\/demo$/u)
    assert.strictEqual(await dialog.count(), 0)
    await page.keyboard.press("Control+k")
    await page.keyboard.press("Escape")
    assert.strictEqual(await dialog.count(), 0)
  })

  it("the list of tests is used with the keyboard alone: search, next and previous row, help", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${demo}/tests`)
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    const rows = await page.locator(names).allTextContents()
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    assert.strictEqual(await focused(), rows[1])
    await page.keyboard.press("k")
    assert.strictEqual(await focused(), rows[0])
    await page.keyboard.press("/")
    assert.isTrue(await page.locator("#search").evaluate((field) => field === document.activeElement))
    await page.keyboard.type("j/k?")
    assert.strictEqual(await page.locator("#search").inputValue(), "j/k?")
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor()
    await visitor.isAccessible()
    await page.keyboard.press("Escape")
    assert.strictEqual(await page.getByRole("dialog").count(), 0)
  })

  it("the list of tests says what to do when nothing matches, and which filter is too many", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${demo}/tests?search=no-such-test`)
    assert.include(await page.locator("main").textContent(), "shorter part of the name")
    await visitor.open(`${demo}/tests?search=test&health_status=flaky&health_status=broken&job_name=no-such-job`)
    await page.getByRole("button", { name: /^Without the filter of job/u }).click()
    await page.waitForURL((url) => !url.search.includes("job_name"))
  })

  it("a link with a filter that does not exist is explained in words for people", async () => {
    await using visitor = await visit({ expected: /status of 422/u })
    await visitor.open(`${demo}/tests?health_status=fluky`)
    const text = (await visitor.page.locator("main").textContent()) ?? ""
    assert.include(text, "This link is not quite right")
    assert.notInclude(text, "query.health_status")
    await visitor.page.getByRole("link", { name: "Open the page without it" }).click()
    await visitor.page.locator(names).first().waitFor()
  })
})
