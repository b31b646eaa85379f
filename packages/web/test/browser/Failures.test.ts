import { assert, beforeAll, describe, it } from "vitest"
import { call, ci, report } from "./story.ts"
import { visit } from "./visit.ts"

const repository = "failures"

const home = `/acme/${repository}`

const pull = {
  branch: "pay-with-a-card",
  base_branch: "main",
  run_id: "run/7",
  pull_request: JSON.stringify({ id: 901, number: 42, title: "Pay with a card", user: { id: 7, login: "octocat" } }),
  job_url: "https://ci.example/7"
}

const long = `Cart > ${"aLongPartOfAName".repeat(12)}`

/**
 * On main `totals` and `sorts` pass and `stays` fails, in three jobs. On the pull request `totals` fails in two of them,
 * `sorts` passes in its second attempt, and the third job is missing; `stays` is in quarantine. Another repository has
 * many failures, and a green run has none.
 */
const fill = async (): Promise<void> => {
  const base = [
    ["totals", "passed"],
    ["sorts", "passed"],
    ["stays", "failed"]
  ] as const
  for (const commit of ["a", "b"]) {
    for (const job_name of ["unit", "e2e", "lint"]) {
      await report(repository, commit, base, { branch: "main", run_id: commit, job_name })
    }
  }
  await report(
    repository,
    "c",
    [
      ["totals", "failed"],
      ["sorts", "failed"],
      ["stays", "failed"],
      [long, "failed"]
    ],
    pull
  )
  await report(repository, "c", [["totals", "failed"]], { ...pull, job_name: "e2e" })
  await report(repository, "c", [["sorts", "passed"]], { ...pull, run_attempt: "2" })
  await call("POST", `${ci(repository)}/quarantines`, { test_name: "stays", reason: "Known, see issue 12." })
  const many = Array.from({ length: 30 }, (_, index) => [`many ${index}`, "failed"] as const)
  await report(`${repository}-many`, "d", many, { branch: "other", base_branch: "main", run_id: "many" })
  await report(repository, "e", [["totals", "passed"]], { branch: "main", run_id: "green" })
  await report(repository, "e", [["planted", "failed"]], { branch: "eve:topic", base_branch: "main", run_id: "fork" })
}

describe("the failures of a commit, a run and a pull request", () => {
  beforeAll(fill)

  it("the page answers whose each failure is, the new ones first, and says that it is not final", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${home}/pulls/42`)
    assert.strictEqual(await page.title(), "Failures of pull request #42 · acme/failures · Lazaret")
    const conclusion = (await page.getByRole("region", { name: "Conclusion" }).textContent()) ?? ""
    assert.match(conclusion, /^5 failures: 2 probably caused by this change.*4 block\./u)
    assert.match(conclusion, /Not final/u)
    const rows = page.locator(".judged > li")
    assert.deepStrictEqual(await rows.locator("h3").allTextContents(), ["totals", long, "sorts", "stays"])
    const [first = "", , flaky = "", last = ""] = await rows.allTextContents()
    assert.match(first, /^totals.*new failure \(probably this change\).*chance to pass.*main.*E.*Blocks: .*CI · /u)
    for (const job of ["CI · unit", "CI · e2e"]) assert.include(first, job)
    assert.match(flaky, /^sorts.*flaky.*99 % chance to pass.*passed on this commit/u)
    assert.match(last, /^stays.*broken on the base branch.*Passes: the test is quarantined/u)
    // The pull request says what it is, and who made it.
    assert.match((await page.locator("main .facts").first().textContent()) ?? "", /Pay with a card.*by octocat/u)
    assert.strictEqual(
      await rows.first().getByRole("link", { name: "CI job" }).first().getAttribute("href"),
      pull.job_url
    )
    await visitor.isAccessible()
    await visitor.picture("failures-light")
    await rows.last().getByRole("link", { name: "stays" }).press("Enter")
    const why = page.getByRole("region", { name: "Why" })
    await why
      .getByRole("link", { name: /^[ab]{12}$/u })
      .first()
      .press("Enter")
    await page.getByText("Failures of commit").waitFor()
    await visitor.open(`${home}/commits/${"c".repeat(40)}`)
    await page.getByRole("link", { name: "run run/7" }).first().press("Enter")
    await page.waitForURL(`**${home}/runs/run%2F7`)
    await visitor.settled()
    assert.deepStrictEqual(await rows.locator("h3").allTextContents(), ["totals", long, "sorts", "stays"])
  })

  it("runs of forks without proof are listed apart, and change nothing", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${home}/commits/${"e".repeat(40)}`)
    assert.include(await page.locator("main").textContent(), "No failures")
    const forks = page.getByRole("region", { name: "Runs of forks, unproven" })
    assert.match((await forks.textContent()) ?? "", /from eve:topic, unproven.*1 failed/u)
    await visitor.isAccessible()
  })

  it("the page of failures shows one verdict alone with the keyboard, as well in the dark and on a narrow screen", async () => {
    await using dark = await visit({ theme: "dark" })
    await dark.open(`${home}/pulls/42`)
    await dark.isAccessible()
    await dark.picture("failures-dark")
    await dark.page.getByRole("button", { name: "1 flaky" }).press("Enter")
    await dark.page.waitForURL(/verdict=flaky/u)
    await dark.settled()
    assert.deepStrictEqual(await dark.page.locator(".judged h3").allTextContents(), ["sorts"])
    await dark.isAccessible()
    await using narrow = await visit({ width: 380 })
    await narrow.open(`${home}/pulls/42`)
    assert.deepStrictEqual(await narrow.misplaced(), [])
    await narrow.picture("failures-380")
  })

  it("the page of failures names the owners of a failure's file, and says when nobody owns it", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.route("**/pulls/42/failures?**", async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      answer.failures[0].owners = ["@acme/cart", "ada@example.com"]
      for (const failure of answer.failures) {
        if (failure.test_name === "totals") failure.owners = ["@acme/cart", "ada@example.com"]
        if (failure.test_name.startsWith("Cart")) failure.owners = ["no-owner"]
        if (failure.test_name === "sorts") failure.owners = ["no-file"]
      }
      await route.fulfill({ response, json: answer })
    })
    await visitor.open(`${home}/pulls/42`)
    const rows = await page.locator(".judged > li").allTextContents()
    assert.include(rows[0], "owned by @acme/cart, ada@example.com")
    assert.include(rows[1], "no owner")
    assert.include(rows[2], "no file")
    assert.notMatch(rows.slice(3).join(""), /owned by|no owner|no file/u)
  })

  it("a person marks a verdict as right or wrong, and the page says how often flaky was right", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${home}/pulls/42`)
    await page.getByText("In this repository: ").waitFor()
    assert.strictEqual(await page.getByRole("group", { name: "Was the verdict on sorts right?" }).count(), 0)
    const marks = page.getByRole("group", { name: "Was the verdict on totals right?" }).first()
    await marks.getByRole("button", { name: "It was flaky" }).press("Enter")
    await page.getByText("Marked as flaky.").waitFor()
    await marks.getByRole("button", { name: "It was real" }).press("Enter")
    await page.getByText("Marked as real.").waitFor()
    const precision = await call("GET", `${ci(repository)}/failures/precision`)
    assert.include(JSON.stringify(precision), '"marked_flaky":0,"marked_real":2')
    await page.reload()
    await page.getByText("Marked as real by ").first().waitFor()
    await marks.getByRole("button", { name: "It was real", pressed: true }).waitFor()
    await visitor.isAccessible()
  })

  it("a test of a pull request alone is listed and has a page, and a repository without outages says so", async () => {
    await using visitor = await visit({ expected: /status of 404/u })
    const { page } = visitor
    await visitor.open(`${home}/tests`)
    await page.getByRole("link", { name: "Tests that have run on other branches only" }).press("Enter")
    await page.getByText("failed in 1 of 1 job run on 1 branch").waitFor()
    await visitor.isAccessible()
    await page.locator("a.row-link").first().press("Enter")
    await page.getByText("has no health yet").waitFor()
    await page.getByText("It has not run on the default branch. It failed in 1 of 1 job run").waitFor()
    await visitor.isAccessible()
    await visitor.open(`${home}/outages`)
    await page.getByText("No outage").waitFor()
    assert.strictEqual(await page.getByRole("alert").count(), 0)
    await visitor.isAccessible()
  })

  it("the page of failures goes on page by page, and says when nothing failed or nothing is known", async () => {
    await using visitor = await visit({ expected: /status of (?:404|422)/u })
    const { page } = visitor
    await visitor.open(`${home}-many/commits/${"d".repeat(40)}`)
    assert.strictEqual(await page.locator(".judged > li").count(), 25)
    await page.getByRole("link", { name: "Next" }).press("Enter")
    await page.waitForURL(/cursor=/u)
    await visitor.settled()
    assert.strictEqual(await page.locator(".judged > li").count(), 5)
    await visitor.open(`${home}/runs/green`)
    await page.getByText("No test failed.").waitFor()
    await page.getByText("No failures").waitFor()
    await visitor.isAccessible()
    for (const path of ["commits/4f1c2a", "runs/nobody", "pulls/7", "pulls/seven"]) {
      await visitor.open(`${home}/${path}`)
      await page.getByText("There are no results of").waitFor()
      await page.getByText("have been uploaded").waitFor()
      assert.strictEqual(await page.getByRole("alert").count(), 0)
    }
    await visitor.isAccessible()
  })
})
