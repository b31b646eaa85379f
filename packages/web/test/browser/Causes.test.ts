import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as CausesServer from "./causesServer.ts"
import { key, visit } from "./visit.ts"

const names = ["net opens a connection", "net closes a connection", "ui shows a button"]

const [opens = "", closes = "", button = ""] = names

let server: Awaited<ReturnType<typeof CausesServer.start>>

beforeAll(async () => {
  server = await CausesServer.start()
  // The search follows seconds later: the tests of causes run meanwhile.
  await losing("missing-shown", 8)
  await losing("missing-few", 2)
})

afterAll(() => server.stop())

/** An answer of the server to the admin key. */
const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/xml" }
  const answer = await fetch(`${server.url}${path}`, { ...init, headers })
  assert.isTrue(answer.ok, `${path} answered ${answer.status}`)
  return answer.json()
}

const upload = async (repository: string, commit: string, failed: ReadonlyArray<string>): Promise<void> => {
  const cases = names.map((name) => {
    const failure = failed.includes(name) ? `<failure type="Error" message="connect ECONNREFUSED">no</failure>` : ""
    return `<testcase classname="${name.split(" ")[0]}" name="${name}" time="0.1">${failure}</testcase>`
  })
  const query = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", branch: "main", commit, run_id: commit })
  const body = `<testsuite>${cases.join("")}</testsuite>`
  await ask(`/v1/ci/acme/repositories/${repository}/reports?${query}`, { method: "POST", body })
}

const job = async (repository: string, run: number, name: string, tests: ReadonlyArray<string>): Promise<void> => {
  const commit = `${run}c`.repeat(20)
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: name,
    branch: "main",
    commit,
    run_id: commit,
    finished_at: new Date(Date.now() - (9 - run) * 3_600_000).toISOString()
  })
  const body = `<testsuite>${tests.map((test) => `<testcase classname="${suite}" name="${test}" time="0.1"/>`).join("")}</testsuite>`
  await ask(`/v1/ci/acme/repositories/${repository}/reports?${query}`, { method: "POST", body })
}

const suite = `com.example.${"department.of.redundancy.".repeat(3)}PaymentServiceTest`

const numbered = Array.from({ length: 12 }, (_, index) => `pays ${index + 1}`)

/** Runs of three jobs. In the last of eight, one job lacks four tests, one has a test with another name, and one does not report. */
const losing = async (repository: string, runs: number): Promise<void> => {
  await Promise.all(
    Array.from({ length: runs }, async (_, run) => {
      const isLast = run === 7
      await job(repository, run, "unit", isLast ? numbered.slice(4) : numbered)
      await job(repository, run, "forms", [isLast ? "shows a large button" : "shows a button", "hides", "moves"])
      if (!isLast) await job(repository, run, "e2e", ["buys a book"])
    })
  )
}

/** Waits for the search, and yields the path of the page. */
const searched = async (repository: string): Promise<string> => {
  await vi.waitUntil(
    async () => {
      // Before the search there is no time of it.
      const page = (await ask(`/v1/ci/acme/repositories/${repository}/losses`)) as { readonly computed_at?: string }
      return typeof page.computed_at === "string"
    },
    { timeout: 10_000 }
  )
  return `/acme/${repository}/missing`
}

/** Green and red job runs in turn, and their causes; yields the path of the page. */
const failing = async (repository: string, reds: ReadonlyArray<ReadonlyArray<string>>): Promise<string> => {
  for (const [index, failed] of reds.entries()) {
    await upload(repository, `${index}a`.repeat(20), [])
    await upload(repository, `${index}b`.repeat(20), failed)
  }
  await vi.waitUntil(
    async () => {
      // What is read here is compared with a number: another shape never is one.
      const page = (await ask(`/v1/ci/acme/repositories/${repository}/causes`)) as { readonly red_job_runs?: number }
      return page.red_job_runs === reds.length
    },
    { timeout: 10_000 }
  )
  return `/acme/${repository}/causes`
}

const both = [opens, closes]

const often = [both, [button], both, both, [button], both]

const enter = (options: Parameters<typeof visit>[0] = {}) => visit({ ...options, origins: [server.url] })

describe("the page of causes", () => {
  it("the page of causes shows tests that fail together as one, with its red job runs, and leads to its tests", async () => {
    const path = await failing("causes-together", often)
    await using visitor = await enter()
    const { page } = visitor
    await visitor.open("/acme/causes-together")
    await page.getByRole("link", { name: "Causes", exact: true }).click()
    await page.waitForURL(`**${path}`)
    await visitor.settled()
    await page.getByRole("heading", { name: "2 causes" }).waitFor()
    const row = page.locator("main .rows > li").first()
    const text = (await row.textContent()) ?? ""
    assert.match(text, /2 tests of net/u)
    assert.match(text, /4 red job runs, 67\s?% of all/u)
    await row.getByText("2 tests", { exact: true }).press("Enter")
    assert.strictEqual(await row.getByRole("link", { name: /a connection/u }).count(), 2)
    await visitor.isAccessible()
    await visitor.picture("causes-light")
    await visitor.open(path)
    await visitor.isStill()
    await row.getByText("2 tests", { exact: true }).click()
    await row.getByRole("link", { name: opens }).click()
    await page.waitForURL(/\/tests\/[0-9a-f-]{36}$/u)
    await page.getByRole("heading", { name: opens }).waitFor()
  })

  it("the page of causes says how many job runs are missing where there are few", async () => {
    const path = await failing("causes-few", [both, both])
    await using visitor = await enter()
    await visitor.open(path)
    const text = await visitor.page.locator("main").textContent()
    assert.include(text, "No cause")
    assert.include(text, "Not enough data yet: 3 more job runs with failures")
    await visitor.isAccessible()
    await visitor.isStill()
    await visitor.picture("causes-few")
  })

  it("a cause is owned, silenced, closed and reopened on the page", async () => {
    const path = await failing("causes-decided", often)
    await using visitor = await enter({ theme: "dark" })
    const { page } = visitor
    await visitor.open(path)
    const row = page.locator("main .rows > li").filter({ hasText: "2 tests of net" })
    const dialog = page.getByRole("dialog")
    const click = (name: string) => row.getByRole("button", { name, exact: true }).click()
    const confirm = async (name: string) => {
      await visitor.isAccessible()
      await dialog.getByRole("button", { name, exact: true }).click()
      await dialog.waitFor({ state: "detached" })
    }
    await click("Own")
    await dialog.getByLabel(/^Owner/u).fill("@acme/net")
    await dialog.getByLabel(/^Ticket/u).fill("https://tracker.example/NET-1")
    await confirm("Save")
    await row.getByText("owned by @acme/net").waitFor()
    assert.strictEqual(
      await row.getByRole("link", { name: "ticket" }).getAttribute("href"),
      "https://tracker.example/NET-1"
    )
    await click("Silence")
    await confirm("Silence")
    await row.getByText(/^silenced until/u).waitFor()
    await visitor.isAccessible()
    await visitor.picture("causes-dark")
    await click("End silence")
    await confirm("End silence")
    await row.getByText("open", { exact: true }).waitFor()
    await click("Close")
    await confirm("Close")
    await row.getByText("closed", { exact: true }).waitFor()
    await page.reload()
    await visitor.settled()
    await click("Reopen")
    await confirm("Reopen")
    await row.getByText("open", { exact: true }).waitFor()
  })

  it("the page of a test names the cause that it shares, and leads to it without moving anything", async () => {
    await failing("causes-of-test", often)
    await using visitor = await enter()
    const { page } = visitor
    await visitor.open("/acme/causes-of-test/tests")
    const href = (name: string) => page.locator("[data-row]").filter({ hasText: name }).getAttribute("href")
    const [shared, alone] = [(await href(opens)) ?? "", (await href(button)) ?? ""]
    await visitor.open(alone)
    assert.notInclude((await page.locator("main").textContent()) ?? "", "Cause:")
    await visitor.open(shared)
    const cause = page.locator("main p").filter({ hasText: "Cause:" })
    assert.match((await cause.textContent()) ?? "", /one of 2 tests with this cause, 4 red job runs/u)
    await visitor.isStill()
    await visitor.isAccessible()
    await visitor.picture("causes-test")
    await cause.getByRole("link").click()
    await page.waitForURL(/\/causes\?test_id=/u)
    await page.getByRole("heading", { name: "1 cause", exact: true }).waitFor()
  })

  it("the page of causes is as readable on a narrow screen", async () => {
    const path = await failing("causes-narrow", often)
    await using visitor = await enter({ width: 390 })
    await visitor.open(path)
    assert.deepStrictEqual(await visitor.misplaced(), [])
    await visitor.isAccessible()
    await visitor.isStill()
    await visitor.picture("causes-390")
  })
})

describe("the page of missing tests", () => {
  it("the page of missing tests shows each loss with its job, its commit and the names, and leads to the commit", async () => {
    const path = await searched("missing-shown")
    await using visitor = await enter()
    const { page } = visitor
    await visitor.open("/acme/missing-shown")
    await page.getByRole("link", { name: "Missing", exact: true }).click()
    await page.waitForURL(`**${path}`)
    await visitor.settled()
    const row = page.locator("main .rows > li").filter({ hasText: "4 of 12 tests did not run" })
    assert.match((await row.textContent()) ?? "", /CI \/ unit · missing in 1 run so far · since 7c7c7c7/u)
    await row.getByText("4 tests", { exact: true }).press("Enter")
    assert.strictEqual(
      await row
        .locator("details li")
        .filter({ hasText: /pays [1-4]$/u })
        .count(),
      4
    )
    const others = (await page.locator("main .rows").textContent()) ?? ""
    assert.include(others, "1 of 3 jobs did not report")
    assert.include(others, "lazaret tests renames --accept")
    await visitor.isAccessible()
    await visitor.picture("missing-light")
    await visitor.open(path)
    await visitor.isStill()
    await row.getByRole("link").first().click()
    await page.waitForURL(/\/commits\/(?:7c){20}$/u)
  })

  it("the page of missing tests says how many runs are missing where there are few", async () => {
    const path = await searched("missing-few")
    await using visitor = await enter()
    await visitor.open(path)
    const text = (await visitor.page.locator("main").textContent()) ?? ""
    assert.include(text, "Not enough data yet: 3 more runs on the default branch.")
    assert.notInclude(text, "Nothing is missing")
    await visitor.isAccessible()
    await visitor.picture("missing-few")
  })

  it("the page of missing tests does not say that nothing is missing before the first search", async () => {
    await job("missing-later", 0, "unit", numbered)
    await using visitor = await enter()
    await visitor.open("/acme/missing-later/missing")
    const text = (await visitor.page.locator("main").textContent()) ?? ""
    assert.include(text, "Not searched yet")
    assert.notInclude(text, "Nothing is missing")
    await visitor.isAccessible()
  })

  it("the page of missing tests is as readable on a narrow screen in dark colours", async () => {
    const path = await searched("missing-shown")
    await using visitor = await enter({ width: 390, theme: "dark" })
    await visitor.open(path)
    for (const summary of await visitor.page.locator("main summary").all()) await summary.click()
    assert.deepStrictEqual(await visitor.misplaced(), [])
    await visitor.isAccessible()
    await visitor.picture("missing-390")
  })
})
