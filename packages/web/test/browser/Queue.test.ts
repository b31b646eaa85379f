import type { Wire } from "@lazaret/api"
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

const group = (
  number: number,
  explanation: string,
  checks: Wire.MergeQueueEngines["engines"][number]["groups"][number]["checks"]
) => ({
  id: String(number).padStart(40, "0"),
  onto: "f".repeat(40),
  tree: "e".repeat(40),
  pulls: [number],
  seen_at: new Date(Date.now() - 5 * minute).toISOString(),
  attempt: number === 42 ? 2 : 1,
  checks,
  conclusion: null,
  explanation
})

/** A gate in the shadow, as the server answers for one. */
const shadowed: Wire.MergeQueueEngines = {
  explanation: null,
  pull_sign: "#",
  engines: [
    {
      branch: "main",
      mode: "gate",
      shadow: true,
      is_acting: false,
      explanation: "The gate is in the shadow: it decides and writes nothing.",
      required_checks: ["unit"],
      pause: null,
      incident: null,
      findings: [
        { level: "impossible", rule: "required check e2e", message: "GitHub evicts a pull request when it fails." },
        { level: "fine", rule: "merge queue", message: "GitHub forms and merges the groups." }
      ],
      groups: [
        group(42, "It would pass the gate.", [{ name: "unit", state: "success", attempt: 2, url: null }]),
        group(43, "unit failed; waiting for the group ahead.", [
          { name: "unit", state: "failure", attempt: 1, url: "https://ci.example.com/unit" }
        ])
      ],
      waiting: [44],
      returning: [45],
      evicted: [{ number: 41, head: "d".repeat(40), explanation: "unit failed in 2 attempts." }],
      batches: [],
      queued: [],
      foresight: null,
      savings: [
        {
          week: "2026-11-23",
          evictions: 12,
          saved_evictions: 9,
          saved_ci_hours: 31.5,
          reused_groups: 0,
          sentence:
            "Week of 2026-11-23: 12 evictions; the gate would have kept 9 of the pull requests, and 31.5 hours of CI."
        }
      ]
    }
  ]
}

type Engine = Wire.MergeQueueEngines["engines"][number]

const batch = (id: string, phase: Engine["batches"][number]["phase"], pulls: ReadonlyArray<number>) => ({
  id,
  phase,
  pulls,
  onto: id === "b1" ? [] : [42],
  commit: phase === "planned" ? null : id.repeat(20),
  attempt: id === "b1" ? 2 : phase === "planned" ? 0 : 1,
  checks:
    phase === "planned"
      ? []
      : [
          { name: "unit", state: id === "b1" ? ("success" as const) : ("pending" as const), attempt: 1, url: null },
          { name: "browser", state: "pending" as const, attempt: 2, url: "https://ci.example.com/browser" }
        ]
})

const member = (number: number, of: string | null, explanation: string) => ({
  number,
  head: String(number).repeat(20),
  rule: "default",
  priority: 2000,
  batch: of,
  explanation
})

/** A queue that is driven, as the server answers for one; in the shadow it also says what it would have done. */
const driven = (isActing: boolean, sign: Wire.MergeQueueEngines["pull_sign"] = "#"): Wire.MergeQueueEngines => ({
  explanation: null,
  pull_sign: sign,
  engines: shadowed.engines.map((engine) => ({
    ...engine,
    mode: "drive",
    shadow: !isActing,
    is_acting: isActing,
    explanation: isActing ? "Lazaret forms, tests and merges batches." : "The queue is in the shadow.",
    findings: null,
    groups: [],
    waiting: [],
    returning: [],
    evicted: [],
    savings: [],
    batches: [batch("b1", "testing", [42]), batch("b2", "testing", [43, 44]), batch("b3", "planned", [47])],
    queued: [
      member(42, "b1", "Its checks run (attempt 2): browser."),
      member(43, "b2", "Its checks run: unit, browser."),
      member(44, "b2", "Its checks run: unit, browser."),
      member(47, "b3", "A batch ahead failed; it is tested when the cause among #43, #44 is found."),
      member(48, null, "It waits for an approval.")
    ],
    foresight: {
      batches: 5,
      pulls: 12,
      reruns: 3,
      reruns_that_passed: 2,
      evictions: 4,
      evictions_of_innocents: 1
    }
  }))
})

const log: Wire.MergeQueueLog = {
  size: 1,
  per_page: 20,
  lines: [
    {
      seq: 9,
      at: new Date(Date.now() - minute).toISOString(),
      kind: "round_rerun",
      pulls: [42],
      sentence: "#42: unit failed, judged flaky; the failed jobs run again."
    }
  ]
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

  it("a gate in the shadow shows its chain, why each group waits, what it would do, and its log", async () => {
    const path = await fill("queue-shadow")
    await using visitor = await visit({ width: 380 })
    const { page } = visitor
    await page.route("**/merge-queue/engine", (route) => route.fulfill({ json: shadowed }))
    await page.route("**/merge-queue/log?*", (route) => route.fulfill({ json: log }))
    await visitor.open(path)
    const chain = page.getByRole("region", { name: "Groups of main" })
    assert.deepStrictEqual(await chain.locator(".queue p").allTextContents(), [
      "It would pass the gate.",
      "unit failed; waiting for the group ahead."
    ])
    const text = (await chain.textContent()) ?? ""
    assert.match(text, /gate in the shadow.*it decides and writes nothing/u)
    assert.match(text, /attempt 2/u)
    assert.match(text, /no group yet for #44.*queued again: #45.*#41 was evicted: unit failed in 2 attempts/u)
    assert.match(text, /12 evictions; the gate would have kept 9 of the pull requests/u)
    assert.isTrue(await chain.getByText("GitHub evicts a pull request when it fails.").isVisible())
    const shown = await page.getByRole("region", { name: "Log of main" }).textContent()
    assert.include(shown, "judged flaky; the failed jobs run again")
    assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 380)
    await visitor.isAccessible()
    await visitor.picture("queue-gate-380")
  })

  it("a driven queue shows its batches in the order of landing, why each pull request waits, and what the shadow would save", async () => {
    const path = await fill("queue-driven")
    for (const theme of ["light", "dark"] as const) {
      const isActing = theme === "light"
      await using visitor = await visit({ width: 390, theme })
      const { page } = visitor
      await page.route("**/merge-queue/engine", (route) => route.fulfill({ json: driven(isActing) }))
      const landed = {
        ...log.lines[0],
        seq: 8,
        kind: "land",
        pulls: [41],
        sentence: "#41 passed and is landed as abc."
      }
      await page.route("**/merge-queue/log?*", (route) =>
        route.fulfill({ json: { ...log, size: 2, lines: [...log.lines, landed] } })
      )
      await visitor.open(path)
      const region = page.getByRole("region", { name: "Batches of main" })
      const batches = region.getByRole("list", { name: "Batches, the next to land first" }).locator(":scope > li")
      const texts = await batches.allTextContents()
      assert.match(
        texts[0] ?? "",
        /#42being tested.*on the base branch · attempt 2.*Its checks run \(attempt 2\): browser/u
      )
      assert.match(texts[1] ?? "", /#43, #44being tested.*on #42.*#43.*rule default · priority 2000.*#44/u)
      assert.match(texts[2] ?? "", /#47planned.*the cause among #43, #44 is found/u)
      const text = (await region.textContent()) ?? ""
      assert.match(text, /Not in a batch yet.*#48.*It waits for an approval.*Last landings.*#41 passed and is landed/u)
      assert.strictEqual(await region.getByText(/merge expected|merge due|no estimate/u).count(), 3)
      const foresight =
        /12 pull requests would have landed in 5 rounds.*2 passed later.*4 pull requests would have left, of which 1/u
      assert.strictEqual(foresight.test(text), !isActing)
      assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 390)
      await visitor.isAccessible()
      await visitor.picture(`queue-driven-390-${theme}`)
    }
  })

  it("numbers of merge requests have the sign of GitLab, in batches and in the queue of a branch", async () => {
    const path = await fill("queue-gitlab")
    await using visitor = await visit()
    const { page } = visitor
    await page.route("**/merge-queue/engine", (route) => route.fulfill({ json: driven(true, "!") }))
    await visitor.open(path)
    const batches = page.getByRole("region", { name: "Batches of main" }).locator("ol.queue > li")
    assert.match((await batches.nth(1).textContent()) ?? "", /^2!43, !44being tested.*on !42.*!43rule/u)
    const queued = page.getByRole("region", { name: "Into main" }).locator(".queued-head strong")
    assert.deepStrictEqual(await queued.allTextContents(), ["!42", "!43", "!44"])
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
    await page.getByText("The server cannot be reached. The page shows the state at").waitFor()
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
