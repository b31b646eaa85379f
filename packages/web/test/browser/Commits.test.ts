import { assert, beforeAll, describe, it } from "vitest"
import { report } from "./story.ts"
import { visit } from "./visit.ts"

const repository = "commits"

const home = `/acme/${repository}`

const pull = (number: number, title: string) =>
  JSON.stringify({ id: number, number, title, user: { id: 7, login: "octocat" } })

/** Pull request 42 is red, 5 is green and known by its number alone; forty times "a" is a commit of main. */
const fill = async (): Promise<void> => {
  await report(repository, "a", [["adds", "passed"]], { branch: "main", run_id: "1" })
  const own = { branch: "pay", base_branch: "main", run_id: "2", pull_request: pull(42, "Pay with a card") }
  await report(repository, "b", [["adds", "failed"]], own)
  const other = { branch: "api", base_branch: "main", run_id: "3", pull_request: "5" }
  await report(repository, "c", [["adds", "passed"]], other)
}

describe("the list of pull requests", () => {
  beforeAll(fill)

  it("a tab shows the pull requests, the red ones alone on request, and each leads to its failures", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(home)
    await page.click("nav.tabs a:text-is('Pull requests')")
    await page.waitForSelector("text=#42 Pay with a card")
    assert.strictEqual(await page.locator("main ul.rows > li").count(), 2)
    await page.click("button:text-is('Red only')")
    await page.waitForSelector("text=1 pull request")
    assert.match(
      await page.innerText("main ul.rows"),
      /#42 Pay with a card[^]*by octocat[^]*1 of 1 job failed, 1 failure/u
    )
    await page.click("text=#42 Pay with a card")
    await page.waitForURL(/\/pulls\/42$/u)
    await page.waitForSelector("text=1 failure")
  })

  it("a pull request that is known by its number alone is found by it", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(`${home}/pulls?search=%235`)
    await page.waitForSelector("text=1 pull request")
    await page.click("main ul.rows a.row-link")
    await page.waitForURL(/\/pulls\/5$/u)
    assert.match(await page.innerText("h1"), /#?5/u)
  })

  it("Ctrl K finds a pull request by its number and a commit by its first characters", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(home)
    await page.keyboard.press("Control+k")
    await page.fill("#palette", "#42")
    await page.click("#palette-options >> text=Pull request #42 Pay with a card")
    await page.waitForURL(/\/pulls\/42$/u)
    await page.keyboard.press("Control+k")
    await page.fill("#palette", "aaaa")
    await page.click("#palette-options >> text=Commit aaaaaaa")
    await page.waitForURL(/\/commits\/a{40}$/u)
    assert.match(await page.innerText("h1"), /aaaaaaa/u)
  })
})
