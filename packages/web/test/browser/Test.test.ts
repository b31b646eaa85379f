import { assert, describe, it } from "vitest"
import { call, ci, report } from "./story.ts"
import { demo, key, url, visit } from "./visit.ts"

/** The test of this status that fails most. */
const worst = async (status: string): Promise<string> => {
  const query = `health_status=${status}&sort=failed_executions_ratio&direction=desc&per_page=1`
  const answer = await fetch(`${url}/v1/ci/acme/repositories/demo/search/tests?${query}`, {
    headers: { authorization: `Bearer ${key}` }
  })
  // What is read here is compared with nothing: another shape makes an address that no page has.
  const { tests } = (await answer.json()) as { readonly tests: ReadonlyArray<{ readonly test_id: string }> }
  return `${demo}/tests/${tests[0]?.test_id}`
}

describe("the page of a test", () => {
  it("the page of a test shows how it was, why it has its status, how it failed and where it runs", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(await worst("flaky"))
    const why = page.getByRole("region", { name: "Why" })
    const text = (await why.textContent()) ?? ""
    assert.match(text, /failed and passed|failed again/u)
    assert.match(text, /To be healthy again/u)
    assert.match(text, /Executions that changed the verdict/u)
    assert.isAbove(await why.getByRole("link", { name: "CI job" }).count(), 0)
    await page.getByRole("img", { name: /^Health over time/u }).waitFor()
    await page.getByRole("img", { name: /^Runs over time/u }).waitFor()
    await page.getByRole("img", { name: /^Mean duration over time/u }).waitFor()
    assert.match((await page.locator(".test-head").textContent()) ?? "", /since .*fails in .*What to do: /u)
    const failure = page.getByRole("region", { name: "Last failure" })
    assert.isAbove(((await failure.locator("pre").first().textContent()) ?? "").length, 0)
    // The most wanted information comes first.
    const regions = await page.locator("main section h2").allTextContents()
    assert.deepStrictEqual(regions.slice(0, 3), ["Last failure", "Latest runs", "Why"])
    const marks = page.getByRole("region", { name: "Latest runs" }).locator(".marks a")
    assert.isAbove(await marks.count(), 1)
    assert.match((await marks.first().getAttribute("href")) ?? "", /\/acme\/demo\/runs\/[^/]+$/u)
    await visitor.isStill()
    await visitor.settled()
    // The sticky header covers links: their size is checked at the top.
    await page.evaluate(() => window.scrollTo(0, 0))
    await visitor.isAccessible()
    await visitor.picture("test-light")
  })

  it("owners that load last do not shift the layout of the page of a test", async () => {
    await using visitor = await visit()
    const { page } = visitor
    const path = await worst("flaky")
    const id = path.slice(path.lastIndexOf("/") + 1)
    await page.route(`**/tests/${id}`, async (route) => {
      if (route.request().resourceType() !== "fetch") return route.continue()
      const response = await route.fetch()
      const unknown = {
        test_filepath: null,
        test_function_name: null,
        test_framework: null,
        test_framework_version: null,
        test_programming_language: null
      }
      return route.fulfill({ response, json: { ...(await response.json()), ...unknown } })
    })
    await page.route(`**/tests/${id}/owners`, async (route) => {
      await page.getByRole("region", { name: "Latest runs" }).waitFor()
      await route.fulfill({ json: { source: "uploaded", file: null, owners: ["@acme/pay"] } })
    })
    await visitor.open(path)
    assert.match((await page.locator(".facts").textContent()) ?? "", /@acme\/pay/u)
    await visitor.isStill()
  })

  it("the page of a broken test says how often it failed in a row and since which commit, and so do the lists", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await report("row", "a", [["breaks", "passed"]], { run_id: "1" })
    for (const commit of ["b", "c", "d"]) await report("row", commit, [["breaks", "failed"]], { run_id: commit })
    await visitor.open("/acme/row/tests")
    assert.match((await page.locator(".cell-rate").textContent()) ?? "", /^3 in a row$/u)
    await visitor.open("/acme/row")
    await page.getByText("3 in a row").waitFor()
    await page.getByRole("link", { name: "breaks" }).first().press("Enter")
    const head = page.locator(".test-status")
    await head.getByText("3 failures in a row since commit").waitFor()
    assert.strictEqual(await head.locator("a.mono").textContent(), "bbbbbbbbbbbb")
    assert.notInclude((await head.textContent()) ?? "", "%")
  })

  it("the page of a test that fails on pull requests alone shows these failures, and links to their runs", async () => {
    await using visitor = await visit()
    const { page } = visitor
    for (const commit of ["a", "b", "c"]) await report("shy", commit, [["shy", "passed"]], { run_id: commit })
    for (const [commit, branch] of [
      ["d", "pay"],
      ["e", "ship"]
    ] as const) {
      const run = { branch, base_branch: "main", run_id: `run-${branch}` }
      await report("shy", commit, [["shy", "failed"]], { ...run, exception: "TimeoutError" })
      await report("shy", commit, [["shy", "passed"]], { ...run, run_attempt: "2" })
    }
    await visitor.open("/acme/shy/tests")
    await page.locator("a.row-link").first().press("Enter")
    const head = page.locator(".test-status")
    await head.getByText("failed in 2 runs of other branches").waitFor()
    assert.match((await head.textContent()) ?? "", /^flaky.*never failed on the default branch$/u)
    const failure = page.getByRole("region", { name: "Last failure" })
    await failure.getByText("TimeoutError").waitFor()
    assert.match(
      (await failure.textContent()) ?? "",
      /run run-ship.*branch ship.*failed and passed.*Earlier.*run run-pay/u
    )
    assert.notInclude((await page.locator("main").textContent()) ?? "", "It never failed.")
    const why = page.getByRole("region", { name: "Why" })
    assert.strictEqual(
      await why.getByRole("link", { name: "run run-pay" }).getAttribute("href"),
      "/acme/shy/runs/run-pay"
    )
    await visitor.isAccessible()
    await failure.getByRole("link", { name: "run run-ship" }).press("Enter")
    await page.waitForURL("**/runs/run-ship")
  })

  it("the page of a test shows its stress runs with what they prove, the latest first, and leads to their commits", async () => {
    await report("stressed", "a", [["swings", "passed"]])
    const stress = (run_id: string, commit: string, passed: number, failed: number) =>
      call("POST", `${ci("stressed")}/stress-runs`, {
        run_id,
        commit: commit.repeat(40),
        confidence: 0.95,
        below: 0.1,
        tests: [{ test_name: "swings", passed, failed }]
      })
    await stress("1", "b", 2, 1)
    await stress("2", "a", 29, 0)
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open("/acme/stressed/tests")
    await page.locator("a.row-link").first().press("Enter")
    const runs = page.getByRole("region", { name: "Stress runs" }).locator(".rows > li")
    await runs.first().waitFor()
    const texts = await runs.allTextContents()
    assert.lengthOf(texts, 2)
    assert.match(texts[0] ?? "", /^29 clean runs: fails in less than 9\.8 % of its runs, with 95 %\..*commit a{12}/u)
    assert.match(texts[1] ?? "", /^Passed 2 and failed 1 of 3 runs on one commit: it is flaky\./u)
    await visitor.settled()
    await visitor.isAccessible()
    await runs.first().getByRole("link").press("Enter")
    await page.waitForURL(/\/commits\/a{40}/u)
  })

  it("the page of a test without stress runs has no section of them", async () => {
    await report("unstressed", "a", [["steady", "passed"]])
    await using visitor = await visit()
    await visitor.open("/acme/unstressed/tests")
    await visitor.page.locator("a.row-link").first().press("Enter")
    await visitor.page.getByRole("heading", { name: "Latest runs" }).waitFor()
    await visitor.settled()
    assert.strictEqual(await visitor.page.getByRole("region", { name: "Stress runs" }).count(), 0)
  })

  it("the page of a test is as readable in the dark and on a narrow screen", async () => {
    const path = await worst("broken")
    await using dark = await visit({ theme: "dark" })
    await dark.open(path)
    await dark.isAccessible()
    await dark.picture("test-dark")
    await using narrow = await visit({ width: 380 })
    await narrow.open(path)
    assert.deepStrictEqual(await narrow.misplaced(), [])
    await narrow.picture("test-380")
  })

  it("the page of a test puts it into quarantine with a reason, and releases it, with the keyboard alone", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(await worst("broken"))
    await page.getByRole("button", { name: "Quarantine" }).press("Enter")
    await page.getByLabel("Reason").pressSequentially("Waits for a port, see issue 12.")
    await visitor.isAccessible()
    await page.getByLabel("Branch", { exact: true }).press("Enter")
    await page.getByText("In quarantine on all branches").waitFor()
    await page.getByRole("button", { name: "Release" }).press("Enter")
    await page.getByRole("dialog").getByRole("button", { name: "Release" }).press("Enter")
    await page.getByText("Not in quarantine").waitFor()
    assert.strictEqual(await page.getByRole("dialog").count(), 0)
  })

  it("the page of a test shows the time that is asked for", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(await worst("flaky"))
    await page.getByRole("button", { name: "7 days" }).click()
    await page.waitForURL(/days=7/u)
    await visitor.settled()
    assert.strictEqual(await page.getByRole("button", { name: "7 days" }).getAttribute("aria-pressed"), "true")
  })

  it("the page of an unknown test says so", async () => {
    await using visitor = await visit({ expected: /status of (?:404|422)/u })
    for (const id of ["0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55", "misspelt"]) {
      await visitor.open(`${demo}/tests/${id}`)
      await visitor.page.getByText("No such test").waitFor()
      assert.strictEqual(await visitor.page.getByRole("alert").count(), 0)
    }
    await visitor.isAccessible()
    await visitor.page.getByRole("link", { name: "Find it by its name" }).click()
    await visitor.page.waitForURL(`**${demo}/tests`)
  })

  it("the page of a test is named in the title of its tab, and takes the focus", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(await worst("flaky"))
    const name = (await page.getByRole("heading", { level: 1 }).textContent()) ?? ""
    assert.strictEqual(await page.title(), `${name} · acme/demo · Lazaret`)
    assert.isTrue(await page.locator("#page-title").evaluate((heading) => heading === document.activeElement))
  })

  it("a test gets its former name in a dialog, shows the results of both, and loses it again", async () => {
    const passed = (name: string) => [name, "passed"] as const
    await report("renamed", "a", [["pays", "failed"], passed("other")])
    await report("renamed", "b", [passed("pays in cash"), passed("other")])
    // The server refuses the own name of the test; the failure of both names is deleted in the end.
    await using visitor = await visit({ expected: /409 \(Conflict\)|404 \(Not Found\)/u })
    const { page } = visitor
    await visitor.open("/acme/renamed/tests")
    await page.getByRole("link", { name: "pays in cash" }).first().click()
    const names = page.getByRole("region", { name: "Also known as" })
    await names.getByRole("button", { name: "Add a name…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Former name").fill("pays in cash")
    await dialog.getByRole("button", { name: "Add" }).click()
    await dialog.getByRole("alert").getByText("is the name itself").waitFor()
    await dialog.getByLabel("Former name").fill("pays")
    await visitor.isAccessible()
    await dialog.getByRole("button", { name: "Add" }).click()
    await names.getByRole("button", { name: "Separate…" }).waitFor()
    assert.match((await page.locator(".test-head").textContent()) ?? "", /last failure/u)
    await names.getByRole("button", { name: "Separate…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Separate" }).click()
    await names.getByText("Was it renamed?").waitFor()
  })
})
