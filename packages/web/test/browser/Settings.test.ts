import { assert, describe, it } from "vitest"
import { call, ci, report } from "./story.ts"
import { demo, visit, type Visitor } from "./visit.ts"

const made = async (repository: string): Promise<string> => {
  await report(repository, "a", [["cart adds", "passed"]])
  return `/acme/${repository}/settings`
}

/** In a window as tall as the page: what sticks to an edge of a smaller one covers something for the moment. */
const isAccessible = async (visitor: Visitor): Promise<void> => {
  const width = await visitor.page.evaluate(() => window.innerWidth)
  await visitor.page.setViewportSize({ width, height: 6000 })
  await visitor.isAccessible()
}

describe("the settings page", () => {
  it("the settings page shows every number with its reason and default, and saves what was changed", async () => {
    const path = await made("settings-saved")
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(path)
    assert.isTrue(await page.getByRole("button", { name: "Save" }).isDisabled())
    assert.isFalse(await page.getByLabel("Share of failed runs for high impact").isVisible())
    await page.locator("summary", { hasText: "Advanced: Health" }).press("Enter")
    await page.getByLabel("Default branch", { exact: true }).fill("trunk")
    await page.getByRole("combobox", { name: "Auto-quarantine" }).selectOption("flaky tests")
    await page.getByLabel("Clean passes until a flaky test may be healthy").fill("20")
    await page.getByLabel("Share of failed runs for high impact").fill("50")
    await isAccessible(visitor)
    await visitor.picture("settings-light")
    await page.getByRole("button", { name: "Save" }).press("Enter")
    await page.getByText("Saved.").waitFor()
    const held = (await call("GET", `${ci("settings-saved")}/settings`)) as Readonly<Record<string, unknown>>
    assert.deepInclude(held, { default_branch: "trunk", auto_quarantine: "flaky", auto_removal: null })
    assert.deepStrictEqual(held["overridden"], ["health.clean_passes", "health.impact_high"])
    await page.getByLabel("Clean passes until a flaky test may be healthy").fill("")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.").waitFor()
    const after = (await call("GET", `${ci("settings-saved")}/settings`)) as Readonly<Record<string, unknown>>
    assert.deepStrictEqual(after["overridden"], ["health.impact_high"])
    assert.deepInclude(after["health"], { impact_high: 0.5 })
  })

  it("the gate is a choice of the settings page, with a recommended value", async () => {
    const path = await made("settings-gate")
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(path)
    const flaky = page.getByRole("combobox", { name: "Flaky failures" })
    assert.strictEqual(await flaky.inputValue(), "")
    await flaky.selectOption("from 95 % (recommended)")
    await page.getByRole("combobox", { name: "Outages of the environment" }).selectOption("from 99 %")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.").waitFor()
    const gateOf = async () =>
      ((await call("GET", `${ci("settings-gate")}/settings`)) as { readonly gate: Readonly<Record<string, unknown>> })
        .gate
    assert.deepInclude(await gateOf(), { quarantined: true, flaky: 0.95, outage: 0.99, broken_on_base: null })
    await flaky.selectOption("never")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.").waitFor()
    assert.deepInclude(await gateOf(), { flaky: null, outage: 0.99 })
    const missing = page.getByRole("combobox", { name: "Tests that did not run" })
    assert.strictEqual(await missing.inputValue(), "pass")
    for (const chosen of ["block", "pass"]) {
      await missing.selectOption(chosen)
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Saved.").waitFor()
      assert.deepInclude(await gateOf(), { missing: chosen })
    }
  })

  it("every choice of the settings page shows its value", async () => {
    const path = await made("settings-choices")
    await using visitor = await visit()
    await visitor.open(path)
    const values = await visitor.page
      .locator("main select")
      .evaluateAll((all) => all.map((each) => (each as HTMLSelectElement).selectedOptions[0]?.textContent ?? each.id))
    assert.isAbove(values.length, 10)
    assert.deepStrictEqual(
      values.filter((text) => !/[a-z]/u.test(text) || text.startsWith("gate.")),
      []
    )
  })

  it("the settings page shows faults next to their fields, and saves nothing then", async () => {
    const path = await made("settings-wrong")
    await using visitor = await visit({ theme: "dark", expected: /status of 422/u })
    const { page } = visitor
    await visitor.open(path)
    await page.getByLabel("Default branch", { exact: true }).fill("trunk")
    const health = page.locator("summary", { hasText: "Advanced: Health" })
    await health.click()
    await page.getByLabel("Share of failed runs for medium impact").fill("90")
    await health.click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("must not be above impact_high").waitFor()
    assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "setting-health-impact_medium")
    await isAccessible(visitor)
    await visitor.picture("settings-dark")
    await page.getByLabel("Share of failed runs for medium impact").fill("200")
    await page.getByRole("button", { name: "Save" }).click()
    await page.locator("#setting-health-impact_medium-fault", { hasText: "between" }).waitFor()
    const held = (await call("GET", `${ci("settings-wrong")}/settings`)) as Readonly<Record<string, unknown>>
    assert.isNull(held["default_branch"])
    await page.getByRole("button", { name: "Undo" }).click()
    assert.strictEqual(await page.getByLabel("Default branch", { exact: true }).inputValue(), "")
  })

  it("the settings page asks before it is left with changes that are not saved", async () => {
    const path = await made("settings-left")
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(path)
    await page.getByLabel("Default branch", { exact: true }).fill("trunk")
    const answers = [false, true]
    page.on("dialog", (dialog) => void (answers.shift() === true ? dialog.accept() : dialog.dismiss()))
    await page.getByRole("link", { name: "Tests" }).click()
    assert.strictEqual(new URL(page.url()).pathname, path)
    assert.strictEqual(await page.getByLabel("Default branch", { exact: true }).inputValue(), "trunk")
    await page.getByRole("link", { name: "Tests" }).click()
    await page.waitForURL("**/tests")
    assert.deepStrictEqual(answers, [])
  })

  it("the settings page deletes a repository whose name is typed, with the keyboard alone", async () => {
    const path = await made("settings-deleted")
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(path)
    await page.getByRole("button", { name: "Delete…" }).press("Enter")
    const dialog = page.getByRole("dialog", { name: "Delete acme/settings-deleted" })
    await dialog.getByLabel("Name of the repository").fill("acme/settings")
    await page.keyboard.press("Enter")
    await dialog.getByRole("alert").waitFor()
    await visitor.isAccessible()
    await dialog.getByLabel("Name of the repository").fill("acme/settings-deleted")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/?all=1")
    await visitor.settled()
    assert.strictEqual(await page.getByRole("link", { name: "acme / settings-deleted" }).count(), 0)
  })

  it("turns the badge on, and offers the line that shows it", async () => {
    const path = await made("settings-badge")
    await using visitor = await visit({ width: 380 })
    const { page } = visitor
    await visitor.open(path)
    await page.getByRole("combobox", { name: "Badges" }).selectOption("on")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.").waitFor()
    await page.locator("summary", { hasText: "Badge" }).click()
    await page.getByRole("img", { name: "The badge as it is now" }).waitFor()
    assert.match((await page.locator(".copy code").textContent()) ?? "", /badges\/acme\/settings-badge\.svg\)\]/u)
    await visitor.context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.getByRole("button", { name: "Copy: The badge in Markdown" }).click()
    await page.getByText("Copied").waitFor()
    assert.include(await page.evaluate(() => navigator.clipboard.readText()), "[![Tests](http")
    assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 380)
    await isAccessible(visitor)
    await visitor.picture("settings-380")
  })

  it("the settings page says on other pages where badges are turned on while they are off", async () => {
    await using visitor = await visit({ expected: /status of 404/u })
    await visitor.open(demo)
    await visitor.page.locator("summary", { hasText: "Badge" }).click()
    const offer = visitor.page.locator(".badge-offer", { hasText: "Badges are off for this repository" })
    assert.include((await offer.innerHTML()) ?? "", "/acme/demo/settings")
    await isAccessible(visitor)
  })
})
