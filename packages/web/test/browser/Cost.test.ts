import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as CausesServer from "./causesServer.ts"
import { key, visit } from "./visit.ts"

let server: Awaited<ReturnType<typeof CausesServer.start>>

beforeAll(async () => {
  server = await CausesServer.start()
})

afterAll(() => server.stop())

/** An answer of the server to the admin key. */
const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/xml" }
  const answer = await fetch(`${server.url}${path}`, { ...init, headers })
  assert.isTrue(answer.ok, `${path} answered ${answer.status}`)
  return answer.json()
}

const names = [
  `net opens a connection ${"whose name is rather long ".repeat(8).trim()}`,
  "net closes a connection",
  "ui shows a button"
]

interface Run {
  readonly number: number
  readonly attempt?: number
  readonly failed?: ReadonlyArray<string>
}

/** A job run of three tests that take 20 minutes each; one hour lies between two numbers. */
const upload = async (repository: string, { attempt = 1, failed = [], number }: Run): Promise<void> => {
  const cases = names.map((name) => {
    const failure = failed.includes(name) ? `<failure type="Error" message="connect ECONNREFUSED">no</failure>` : ""
    return `<testcase name="${name}" time="1200">${failure}</testcase>`
  })
  const commit = number.toString(16).padStart(2, "0").repeat(20)
  const at = Date.now() - (30 - number) * 3_600_000 + (attempt - 1) * 1_200_000
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: "unit",
    branch: "main",
    commit,
    run_id: commit,
    run_attempt: String(attempt),
    finished_at: new Date(at).toISOString()
  })
  const body = `<testsuite>${cases.join("")}</testsuite>`
  await ask(`/v1/ci/acme/repositories/${repository}/reports?${query}`, { method: "POST", body })
}

/** Green commits, and red ones that are green in the second attempt; yields the path of the page. */
const history = async (repository: string, green: number, reds: ReadonlyArray<ReadonlyArray<string>>) => {
  for (let number = 0; number < green; number++) await upload(repository, { number })
  for (const [index, failed] of reds.entries()) {
    await upload(repository, { number: green + index, failed })
    await upload(repository, { number: green + index, attempt: 2 })
  }
  const runs = green + 2 * reds.length
  await vi.waitUntil(
    async () => {
      // Before all job runs are read, another number of them is missing, or is shown.
      const page = (await ask(`/v1/ci/acme/repositories/${repository}/costs`)) as {
        readonly missing_job_runs: number | null
        readonly figures: { readonly job_runs: { readonly all: number } } | null
      }
      return page.figures === null ? page.missing_job_runs === 20 - runs : page.figures.job_runs.all === runs
    },
    { timeout: 10_000 }
  )
  return `/acme/${repository}/cost`
}

const [opens = "", closes = "", button = ""] = names

const reds = [[opens, closes], [button], [opens, closes]]

const enter = (options: Parameters<typeof visit>[0] = {}) => visit({ ...options, origins: [server.url] })

describe("the page of costs", () => {
  it("the page of costs shows what only flakes made red, by week and by test, and leads to the tests", async () => {
    const path = await history("cost-shown", 20, reds)
    await using visitor = await enter()
    const { page } = visitor
    await visitor.open("/acme/cost-shown")
    await page.getByRole("link", { name: "Cost", exact: true }).click()
    await page.waitForURL(`**${path}`)
    await visitor.settled()
    const text = (await page.locator("main").textContent()) ?? ""
    assert.match(text, /13\s?%of commits red by flakes alone \(3 of 23\)/u)
    assert.match(text, /3 h\s*of jobs for flakes/u)
    assert.match(text, /1 h\s*of waiting for a green job run/u)
    assert.include(text, "Times come from the durations of tests in reports.")
    await visitor.isAccessible()
    await visitor.picture("cost-light")
    await page.getByRole("button", { name: "test", exact: true }).click()
    await page.waitForURL(/by=test/u)
    await visitor.settled()
    const table = page.getByRole("region", { name: "Costs by test" })
    assert.strictEqual(await table.locator("tbody tr").count(), 3)
    assert.deepStrictEqual(await visitor.misplaced(), [])
    await table.getByRole("link", { name: button }).click()
    await page.waitForURL(/\/tests\/[0-9a-f-]{36}$/u)
    await visitor.open(path)
    await visitor.isStill()
  })

  it("the page of costs says how many job runs are missing where there are few", async () => {
    const path = await history("cost-few", 2, [[button]])
    await using visitor = await enter({ theme: "dark" })
    await visitor.open(path)
    const text = await visitor.page.locator("main").textContent()
    assert.include(text, "Not enough data yet: 16 more job runs.")
    await visitor.isAccessible()
    await visitor.picture("cost-few")
  })

  it("the page of costs is as readable on a narrow screen in dark colours", async () => {
    const path = await history("cost-narrow", 20, reds)
    await using visitor = await enter({ width: 390, theme: "dark" })
    await visitor.open(`${path}?by=week&weeks=12`)
    assert.deepStrictEqual(await visitor.misplaced(), [])
    await visitor.isAccessible()
    await visitor.isStill()
    await visitor.picture("cost-390")
  })
})
