import { assert, describe, it } from "vitest"
import { call, ci, ciKey, report } from "./story.ts"
import { visit } from "./visit.ts"

const names = ["cart adds", "cart removes", "cart counts", "login works", "search finds"]

/** Quarantines of these tests, two of them recovered. */
const shelter = async (repository: string, quarantined: ReadonlyArray<string>): Promise<string> => {
  await call("PATCH", `${ci(repository)}/settings`, { quarantine: { recovered_passes: 1, recovered_days: 0 } })
  await report(
    repository,
    "a",
    names.map((name) => [name, name.startsWith("cart") ? "passed" : "failed"])
  )
  for (const [index, name] of quarantined.entries()) {
    const branch = index === 0 ? { branch: "release" } : {}
    await call("POST", `${ci(repository)}/quarantines`, { test_name: name, reason: `Issue ${index + 12}.`, ...branch })
  }
  await report(
    repository,
    "b",
    names.map((name) => [name, name.startsWith("cart") ? "passed" : "failed"])
  )
  return `/acme/${repository}/quarantine`
}

const signedInAsCi = { isSignedIn: false } as const

describe("the quarantine page", () => {
  it("the quarantine page puts several tests in for one reason, found by a part of their name, with the keyboard alone", async () => {
    const path = await shelter("shelter-add", [])
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(path)
    assert.include(await page.locator("main").textContent(), "No test is in quarantine")
    await page.getByRole("button", { name: "Quarantine tests" }).press("Enter")
    const picker = page.getByRole("combobox", { name: "Tests" })
    for (const name of ["cart adds", "cart counts"]) {
      await picker.pressSequentially(name.slice(0, -1).toUpperCase())
      await page.getByRole("option", { name, exact: true }).waitFor()
      await picker.press("Enter")
    }
    await picker.pressSequentially("nobody ran this")
    await page.getByRole("option", { name: "no test that ran lately has this name" }).waitFor()
    assert.strictEqual(await page.getByRole("option", { selected: true }).count(), 0)
    await visitor.isAccessible()
    await visitor.picture("quarantine-add")
    await picker.press("Enter")
    assert.strictEqual(await picker.inputValue(), "nobody ran this")
    await picker.press("ArrowDown")
    await picker.press("Enter")
    await page.getByLabel("Reason").fill("Waits for a port, see issue 12.")
    await page.getByLabel("Reason").press("Tab")
    await page.locator("#quarantine-branch").press("Enter")
    await page.getByText("3 quarantines", { exact: true }).waitFor()
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })

  it("a quarantine gets its end, owner and ticket with it, names its person, and says what it hides of a broken test", async () => {
    const repository = "shelter-terms"
    for (const commit of ["a", "b", "c", "d", "e", "f"]) await report(repository, commit, [["cart adds", "passed"]])
    for (const commit of ["1", "2", "3", "4", "5", "6"]) {
      await report(repository, commit, [
        ["cart adds", "passed"],
        ["login works", "failed"]
      ])
    }
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`/acme/${repository}/quarantine`)
    await page.getByRole("button", { name: "Quarantine tests" }).click()
    const picker = page.getByRole("combobox", { name: "Tests" })
    await picker.fill("login works")
    await page.getByRole("option", { name: "login works", exact: true }).click()
    await page.getByRole("note").getByText("is broken, not flaky").waitFor()
    await page.getByLabel("Reason").fill("Known.")
    await page.getByLabel(/^Ends on/u).fill("2126-05-01")
    await page.getByLabel("Owner", { exact: true }).fill("@acme/web")
    await page.getByLabel("Ticket").fill("https://tickets.example/12")
    await visitor.isAccessible()
    await page.getByRole("dialog").getByRole("button", { name: "Quarantine" }).click()
    const cost = page.getByRole("table", { name: "Cost of quarantines" }).locator("tbody tr")
    assert.match((await cost.textContent()) ?? "", /login works.*@acme\/web.*2126-05-01/u)
    assert.strictEqual(
      await cost.getByRole("link", { name: "ticket" }).getAttribute("href"),
      "https://tickets.example/12"
    )
    const row = page.getByRole("table", { name: "Quarantines", exact: true }).locator("tbody tr")
    assert.match((await row.textContent()) ?? "", /all branches ?key [\w-]+/u)
    await row.getByRole("link", { name: "login works" }).click()
    await page.getByText(/In quarantine on all branches .*, by key /u).waitFor()
    await page.getByText("Ends on 1 May, owner @acme/web").waitFor()
  })

  it("the quarantine page says which of several could not be put in, and keeps those for another try", async () => {
    const path = await shelter("shelter-partial", [])
    await call("POST", `${ci("shelter-partial")}/quarantines`, { test_name: "cart adds", reason: "x" })
    await using visitor = await visit({ expected: /status of 409/u })
    const { page } = visitor
    await visitor.open(path)
    await page.getByRole("button", { name: "Quarantine tests" }).click()
    const picker = page.getByRole("combobox", { name: "Tests" })
    for (const name of ["cart adds", "cart removes"]) {
      await picker.fill(name)
      await page.getByRole("option", { name, exact: true }).click()
    }
    await page.getByLabel("Reason").fill("Another.")
    await page.getByRole("dialog").getByRole("button", { name: "Quarantine" }).click()
    assert.include(await page.getByRole("alert").textContent(), "1 of 2 could not be quarantined")
    assert.include(await page.getByLabel("What did not succeed").textContent(), "cart adds")
    await visitor.isAccessible()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("2 quarantines", { exact: true }).waitFor()
  })

  it("the quarantine page keeps its filters in the address, and releases those that were selected after a question", async () => {
    const path = await shelter("shelter-bulk", ["cart adds", "cart removes", "login works", "search finds"])
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${path}?state=recovered`)
    const rows = page.getByRole("table", { name: "Quarantines", exact: true }).locator("tbody tr")
    const shows = async (count: number) => {
      await rows.nth(count - 1).waitFor()
      await rows.nth(count).waitFor({ state: "detached" })
    }
    await shows(2)
    await page.getByRole("button", { name: "not recovered" }).click()
    await page.getByRole("searchbox", { name: "Name" }).fill("CART")
    await page.getByRole("combobox", { name: "Branch" }).selectOption("release")
    await page.waitForURL(/branch=release/u)
    await shows(1)
    await page.reload()
    await visitor.settled()
    await shows(1)
    await page.getByRole("button", { name: "Remove all" }).click()
    await shows(4)
    await visitor.isAccessible()
    await page.getByRole("button", { name: "Select 2 recovered" }).click()
    await visitor.picture("quarantine-light")
    await page.getByRole("checkbox", { name: "Select login works" }).check()
    await page.getByRole("button", { name: "Release selected" }).click()
    const dialog = page.getByRole("dialog")
    assert.match((await dialog.textContent()) ?? "", /Release 3 tests.*1 of them has not recovered/u)
    await visitor.isAccessible()
    await dialog.getByRole("button", { name: "Release" }).click()
    await page.getByText("1 quarantine", { exact: true }).waitFor()
    await page
      .getByRole("region", { name: "What happened lately" })
      .getByText(/Released by hand/u)
      .first()
      .waitFor()
  })

  it("the quarantine page says which could not be released while the server answers some only", async () => {
    const path = await shelter("shelter-failing", ["cart adds", "cart removes"])
    await using visitor = await visit({ expected: /ERR_FAILED/u })
    const { page } = visitor
    await visitor.open(path)
    let isFirst = true
    await page.route("**/quarantines/*", (route) => {
      const fails = isFirst
      isFirst = false
      return fails ? route.abort() : route.continue()
    })
    await page.getByRole("checkbox", { name: "Select all shown" }).check()
    await page.getByRole("button", { name: "Release selected" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Release" }).click()
    assert.include(await dialog.getByRole("alert").textContent(), "1 of 2 are still in quarantine")
    assert.include(await dialog.getByLabel("What did not succeed").textContent(), "Check that it runs")
    await dialog.getByRole("button", { name: "Release" }).click()
    await page.getByText("No test is in quarantine").waitFor()
  })

  it("the page shows what the automation did, and its evidence", async () => {
    const lenient = { executions: 1, commits: 1, age_hours: 0, flaky_commits: 1 }
    await call("PATCH", `${ci("shelter-auto")}/settings`, { auto_quarantine: "flaky", auto_quarantine_policy: lenient })
    for (const commit of ["a", "b", "c"]) {
      await report("shelter-auto", commit, [["cart adds", "passed"]])
      await report("shelter-auto", commit, [["cart adds", "failed"]])
    }
    await using visitor = await visit({ theme: "dark" })
    const { page } = visitor
    await visitor.open("/acme/shelter-auto/quarantine?activity=auto")
    const main = (await page.locator("main").textContent()) ?? ""
    assert.match(
      main,
      /Auto-quarantine is on: flaky tests.*after it, and all tests every hour.*at most 10 tests.*never by themselves/u
    )
    const activity = page.getByRole("region", { name: "What happened lately" })
    assert.include(await activity.textContent(), "Quarantined automatically on all branches")
    await activity.getByText("Evidence").click()
    assert.match((await activity.textContent()) ?? "", /flaky commits\d/u)
    await visitor.isAccessible()
    await visitor.picture("quarantine-dark")
  })

  it("the quarantine page is as readable on a narrow screen", async () => {
    const path = await shelter("shelter-narrow", ["cart adds", "login works"])
    await using visitor = await visit({ width: 380 })
    await visitor.open(path)
    assert.deepStrictEqual(await visitor.misplaced(), [])
    await visitor.page.getByRole("button", { name: "Filter", exact: true }).click()
    await visitor.page.getByLabel("Name", { exact: true }).waitFor()
    await visitor.isAccessible()
    await visitor.picture("quarantine-380")
  })

  it("the quarantine page says to a CI key what it does not reach", async () => {
    const path = await shelter("shelter-ci", ["cart adds"])
    await using visitor = await visit({ ...signedInAsCi, expected: /status of 403/u })
    await visitor.context.request.post("/session", { data: { key: await ciKey() } })
    await visitor.open(path)
    assert.include(await visitor.page.locator("main").textContent(), "shown to admin keys")
    await visitor.open("/acme/shelter-ci/queue")
    assert.include(await visitor.page.locator("main").textContent(), "A CI key may not read the merge queue")
    await visitor.isAccessible()
    await visitor.open("/acme/shelter-ci/settings")
    assert.include(await visitor.page.locator("main").textContent(), "This key does not reach the settings")
  })
})
