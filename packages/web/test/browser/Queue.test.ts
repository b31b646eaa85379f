import { assert, describe, it } from "vitest"
import { call, queueOf } from "./story.ts"
import { visit } from "./visit.ts"

const minute = 60_000

const check = (name: string, state: string) => ({
  name,
  description: `${name} on linux`,
  url: `https://ci.example.com/${name}`,
  state,
  avatar_url: null
})

/** Three pull requests into main, the first with checks, and one into a branch of releases. */
const fill = async (repository: string): Promise<string> => {
  const now = Date.now()
  const at = (minutesAgo: number) => new Date(now - minutesAgo * minute).toISOString()
  const round = { branch: "main", pull_request: 42 }
  const events = [
    { kind: "queued", branch: "main", pull_request: 40, at: at(50) },
    { kind: "checks_started", branch: "main", pull_request: 40, check_type: "in_place", at: at(49) },
    { kind: "checks_ended", branch: "main", pull_request: 40, state: "success", at: at(37) },
    { kind: "merged", branch: "main", pull_request: 40, at: at(36) },
    { kind: "queued", ...round, priority: "high", queue_rule: "urgent", at: at(9) },
    { kind: "checks_started", ...round, check_type: "draft_pr", check_pull_request: 57, at: at(8) },
    { kind: "check_updated", ...round, check: check("unit", "success"), at: at(6) },
    { kind: "check_updated", ...round, check: check("browser", "failure"), at: at(4) },
    { kind: "check_updated", ...round, check: check("lint", "pending"), at: at(3) },
    { kind: "queued", branch: "main", pull_request: 43, at: at(7) },
    { kind: "queued", branch: "main", pull_request: 44, priority: "low", at: at(6) },
    { kind: "queued", branch: "release/2", pull_request: 45, at: at(5) },
    { kind: "queued", branch: `feature/${"z".repeat(100)}`, pull_request: 46, at: at(5) }
  ].map((event, index) => ({ id: String(index), ...event }))
  await call("POST", `${queueOf(repository)}/queue/events`, { events })
  return `/acme/${repository}/queue`
}

const rules = "queue_rules:\n  - name: urgent\n    batch_size: 1\n  - name: default\n    batch_size: 4\n"

describe("the queue page", () => {
  it("the queue page shows the pull requests of each branch in order, with priority, checks and estimate, and the rules", async () => {
    const path = await fill("queue-shown")
    await call("PUT", `${queueOf("queue-shown")}/queues/configuration`, rules)
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open(path)
    const main = page.getByRole("region", { name: "Into main" })
    assert.deepStrictEqual(await main.locator(".queued-head strong").allTextContents(), ["#42", "#43", "#44"])
    const first = (await main.locator(".queue > li").first().textContent()) ?? ""
    assert.match(first, /high priority.*rule urgent.*merge (?:expected in|due)/u)
    assert.match(first, /1 of 3 checks failed, 1 pending, 1 passed, on #57/u)
    await main.locator("summary").press("Enter")
    await main.getByRole("link", { name: "browser" }).waitFor()
    assert.strictEqual(await page.getByRole("region", { name: "Into release/2" }).locator(".queue > li").count(), 1)
    assert.include(await page.getByRole("region", { name: "Rules" }).textContent(), "urgent")
    await visitor.isAccessible()
    await visitor.picture("queue-light")
  })

  it("the queue page is paused and resumed with a reason", async () => {
    const path = await fill("queue-paused")
    await using visitor = await visit({ theme: "dark" })
    const { page } = visitor
    await visitor.open(path)
    await page.getByRole("button", { name: "Pause" }).press("Enter")
    await page.getByLabel("Reason").pressSequentially("The database is being moved.")
    await visitor.isAccessible()
    await page.getByLabel("Reason").press("Enter")
    await page.getByText("The queue is paused").waitFor()
    assert.strictEqual(await page.locator(".pause .reason").textContent(), "The database is being moved.")
    await page.getByText("no estimate while paused").first().waitFor()
    assert.strictEqual(await page.getByText("no estimate yet").count(), 0)
    await visitor.isAccessible()
    await visitor.picture("queue-dark")
    await page.getByRole("button", { name: "Resume" }).press("Enter")
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).press("Enter")
    await page.getByText("The queue is running").waitFor()
  })

  it("the page refreshes while it is visible, and stops on request", async () => {
    const path = await fill("queue-fresh")
    await using visitor = await visit()
    const { page } = visitor
    await page.clock.install()
    await visitor.open(path)
    const queued = page.getByRole("region", { name: "Into main" }).locator(".queue > li")
    assert.strictEqual(await queued.count(), 3)
    const leaves = (id: string, pull: number) =>
      call("POST", `${queueOf("queue-fresh")}/queue/events`, {
        events: [{ id, at: new Date().toISOString(), branch: "main", pull_request: pull, kind: "dequeued" }]
      })
    await leaves("x", 44)
    await page.clock.runFor(11_000)
    await queued.nth(2).waitFor({ state: "detached" })
    await page.getByRole("checkbox", { name: "every 10 seconds" }).uncheck()
    await leaves("y", 43)
    let asked = 0
    page.on("request", () => (asked += 1))
    await page.clock.runFor(30_000)
    assert.strictEqual(asked, 0)
    await page.getByRole("button", { name: "Update now" }).click()
    await queued.nth(1).waitFor({ state: "detached" })
  })

  it("the queue page keeps what was known with a notice while the server is away, and goes on when it is back", async () => {
    const path = await fill("queue-away")
    await using visitor = await visit({ expected: /ERR_FAILED/u })
    const { page } = visitor
    await page.clock.install()
    await visitor.open(path)
    await page.route("**/v1/repos/**", (route) => route.abort())
    await page.clock.runFor(11_000)
    await page.getByText("The server cannot be reached: this is what was known at").waitFor()
    assert.strictEqual(await page.getByRole("region", { name: "Into main" }).locator(".queue > li").count(), 3)
    assert.strictEqual(await page.getByRole("alert").count(), 0)
    await visitor.isAccessible()
    await page.unroute("**/v1/repos/**")
    await page.clock.runFor(11_000)
    await page.getByText("Updated at").waitFor()
  })

  it("the queue page asks for nothing while its tab is hidden, and catches up when it is shown again", async () => {
    const path = await fill("queue-hidden")
    await using visitor = await visit()
    const { page } = visitor
    await page.clock.install()
    await visitor.open(path)
    const turn = (state: string) =>
      page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, get: () => value })
        document.dispatchEvent(new Event("visibilitychange"))
      }, state)
    await turn("hidden")
    let asked = 0
    page.on("request", () => (asked += 1))
    await page.clock.runFor(60_000)
    assert.strictEqual(asked, 0)
    await turn("visible")
    await visitor.settled()
    assert.isAbove(asked, 0)
  })

  it("the page says what to do without a queue, or when its configuration has faults", async () => {
    await call("PUT", `${queueOf("queue-empty")}/queues/configuration`, "queue_rules: 7\n")
    await using visitor = await visit({ width: 380, expected: /status of 422/u })
    const { page } = visitor
    await visitor.open("/acme/queue-empty/queue")
    const text = (await page.locator("main").textContent()) ?? ""
    assert.include(text, "No pull request is queued")
    assert.include(text, "The configuration file has faults")
    assert.include(text, "queue_rules")
    assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 380)
    await visitor.isAccessible()
    await visitor.open(await fill("queue-narrow"))
    assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 380)
    await visitor.picture("queue-380")
  })
})
