import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { call, ci, report } from "./story.ts"
import { ciKey, demo, key, visit } from "./visit.ts"

const lazaret = join(import.meta.dirname, "../../../server/start.js")

describe("the overview", () => {
  it("the overview shows how many tests can be trusted, what fails, and what hurts most", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(demo)
    const figures = await page.locator(".figure-value").allTextContents()
    assert.strictEqual(figures.length, 4)
    for (const figure of figures) assert.match(figure, /^[\d,]+$/u)
    const worst = page.getByRole("region", { name: "What needs attention" }).locator("li")
    for (const row of await worst.allTextContents())
      assert.match(row, /since \d+ \w+, last failed .*(?:\d+ in a row.*broken|fails in .* %)/u)
    assert.isAbove(await worst.count(), 0)
    assert.strictEqual(await page.locator("canvas").count(), 3)
    assert.match(
      (await page.locator("main").textContent()) ?? "",
      /of the job runs were red, and only tests failed in them that are flaky now: \d+ of \d+\. Their tests took [\d. hmins]+ together/u
    )
    await visitor.isAccessible()
    await visitor.isStill()
    await visitor.picture("overview-light")
  })

  it("the overview is as readable in the dark and on a narrow screen", async () => {
    await using dark = await visit({ theme: "dark" })
    await dark.open(demo)
    await dark.isAccessible()
    await dark.picture("overview-dark")
    await using narrow = await visit({ width: 380 })
    await narrow.open(demo)
    assert.deepStrictEqual(await narrow.misplaced(), [])
    await narrow.picture("overview-380")
  })

  it("remembers which colours were chosen", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(demo)
    await page.getByRole("button", { name: "Use dark colours" }).click()
    await page.reload()
    await page.getByRole("button", { name: "Use light colours" }).waitFor()
    assert.strictEqual(await page.locator("html").getAttribute("data-theme"), "dark")
  })

  it("the overview says so when nothing has been uploaded, and what to do", async () => {
    await using visitor = await visit({ expected: /status of 404/u })
    await visitor.open("/acme/nothing")
    assert.include(await visitor.page.locator("main").textContent(), "No report was ever sent for this repository")
    assert.include(await visitor.page.locator("main").textContent(), "lazaret ingest --repo acme/nothing")
    await visitor.isAccessible()
    await visitor.picture("overview-empty")
  })

  it("the overview says so when nothing failed", async () => {
    await report("overview-green", "a", [["passes", "passed"]])
    await using visitor = await visit()
    await visitor.open("/acme/overview-green")
    const failed = visitor.page.getByRole("region", { name: "Failed executions per day" })
    assert.include(await failed.textContent(), "No execution failed")
    await visitor.isAccessible()
  })

  it("the overview marks what is quarantined already among what hurts most", async () => {
    await report("overview-known", "a", [
      ["known", "failed"],
      ["new", "failed"]
    ])
    const known = { test_name: "known", reason: "see the board" }
    await call("POST", `${ci("overview-known")}/quarantines`, known)
    await using visitor = await visit()
    await visitor.open("/acme/overview-known")
    const worst = visitor.page.getByRole("region", { name: "What needs attention" }).locator("li")
    const marked = worst.filter({ hasText: "quarantined" })
    assert.deepStrictEqual(await marked.locator("a").allTextContents(), ["known"])
    assert.strictEqual(await worst.count(), 2)
    await visitor.isAccessible()
  })

  it("the overview finds the quarantines that have recovered on every page of the list", async () => {
    await using visitor = await visit()
    const { page } = visitor
    const row = (id: string, isRecovered: boolean) => ({
      id,
      test_id: id,
      test_name: `test ${id}`,
      branch: null,
      created_at: "2026-01-31T12:00:00Z",
      is_recovered: isRecovered
    })
    await page.route("**/quarantines?**", (route) => {
      const isLast = route.request().url().includes("cursor=")
      const quarantines = { quarantined_tests: isLast ? [row("b", true), row("c", true)] : [row("a", false)] }
      const headers = isLast ? {} : { link: '</v1/x?cursor=more>; rel="next"' }
      return route.fulfill({ json: quarantines, headers })
    })
    await visitor.open(demo)
    const recovered = page.getByRole("region", { name: "Recovered in quarantine" })
    assert.deepStrictEqual(await recovered.locator("li a").allTextContents(), ["test b", "test c"])
    await recovered.getByRole("link", { name: "Release some of 2" }).click()
    await page.waitForURL("**/quarantine?state=recovered")
  })

  it("explains to a key of CI what it cannot see, and shows the rest", async () => {
    await using visitor = await visit({ isSignedIn: false, expected: /status of 403/u })
    await visitor.context.request.post("/session", { data: { key: (await ciKey()).secret } })
    await visitor.open(demo)
    const { page } = visitor
    const failed = page.getByRole("region", { name: "Failed executions per day" })
    assert.include(await failed.textContent(), "admin key")
    assert.isAbove(await page.getByRole("region", { name: "What needs attention" }).locator("li").count(), 0)
    await visitor.isAccessible()
  })

  it("the commands for a first report work where they are pasted, and the page shows the report then", async () => {
    await using visitor = await visit({ expected: /status of 404/u })
    const { page } = visitor
    await visitor.open("/acme/first-report")
    const shown = (await page.getByRole("group", { name: "Commands for a first report" }).textContent()) ?? ""
    const commands = shown.replace("your-key", key).replaceAll(/^lazaret /gmu, `"${process.execPath}" "${lazaret}" `)
    const home = mkdtempSync(join(tmpdir(), "lazaret-first-"))
    const { status, stderr } = spawnSync("sh", ["-e", "-c", commands], { cwd: home, encoding: "utf8" })
    rmSync(home, { recursive: true })
    assert.strictEqual(status, 0, stderr)
    await visitor.open("/acme/first-report/tests")
    await page.getByRole("link", { name: "first test" }).waitFor()
    // A repository without a merge queue has no tab for one.
    assert.strictEqual(await page.getByRole("link", { name: "Queue" }).count(), 0)
    await visitor.open("/manual")
    await visitor.isAccessible()
  })

  it("the start page counts the tests of each repository and says when the last upload came", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open("/?all=1")
    const row = page.locator(".repository", { hasText: "demo" })
    await row.getByText(/\d+ flaky/u).waitFor()
    assert.match((await row.textContent()) ?? "", /\d+ broken.*\d+ quarantined.*\d+ tests.*last upload/u)
    await visitor.isAccessible()
    await visitor.isStill()
  })
})
