import { assert, describe, it } from "vitest"
import { call, ci, report } from "./story.ts"
import { visit } from "./visit.ts"

/** As long as a hosting platform allows names of owners and repositories to be. */
const long = `an-organisation-with-39-characters-long/${"a-repository-with-100-characters-".repeat(4).slice(0, 100)}`

const owner = "an-organisation-with-39-characters-long"

const test = `com.example.${"department.of.redundancy.".repeat(4)}PaymentServiceIntegrationTest.${"returnsTheMoney".repeat(4)}`

const run = {
  pipeline_name: "Continuous integration of the whole organisation, nightly and on every push",
  job_name: "integration tests (ubuntu-24.04-arm, node 24, postgres 17, chromium, shard 3 of 12)",
  branch: "main",
  exception: "java.lang.IllegalStateExceptionOfADepartmentOfRedundancyDepartment"
}

describe("a narrow screen", () => {
  it("long names of owners, repositories, jobs and tests fit on a phone, on every page", async () => {
    for (const [attempt, outcome] of ["failed", "passed", "failed"].entries()) {
      await report(long, attempt === 2 ? "b" : "a", [[test, outcome as "passed" | "failed"]], {
        ...run,
        run_id: `${attempt}`
      })
    }
    const team = `@${owner}/the-team-that-mends-payments-and-refunds`
    await call("PUT", `${ci(long)}/owners/file`, { text: `* ${team}\n` })
    await call("POST", `${ci(long)}/quarantines`, {
      test_name: test,
      reason: "https://tracker.example/".padEnd(200, "x")
    })
    await using visitor = await visit({ width: 390 })
    const { page } = visitor
    await visitor.open(`/${long}/tests`)
    assert.deepStrictEqual(await visitor.misplaced(), [])
    const address = (await page.locator("[data-row]").first().getAttribute("href")) ?? ""
    for (const path of ["", "/quarantine", `/commits/${"b".repeat(40)}`]) {
      await visitor.open(`/${long}${path}`)
      assert.deepStrictEqual(await visitor.misplaced(), [])
    }
    await visitor.open(address.startsWith("/") ? address : `/${address}`)
    assert.deepStrictEqual(await visitor.misplaced(), [])
    const named = page.locator("header.top").getByText(long.slice(owner.length + 1))
    assert.isAbove((await named.boundingBox())?.height ?? 0, 0)
    assert.isBelow((await page.locator("header.top").boundingBox())?.height ?? Infinity, 130)
    await visitor.isAccessible()
  })

  it("the tab of the page and the buttons of tables are in sight on a phone", async () => {
    await call("POST", "/v1/application-keys", { name: "a key to revoke", scope: "upload", owner: "acme" })
    await using visitor = await visit({ width: 390 })
    const { page } = visitor
    await visitor.open(`/${long}/settings`)
    const tab = await page.getByRole("link", { name: "Settings", exact: true }).boundingBox()
    assert.isAtLeast(tab?.x ?? -1, 0)
    assert.isAtMost((tab?.x ?? 390) + (tab?.width ?? 0), 390)
    await visitor.open("/admin")
    const revoke = await page.getByRole("button", { name: "Revoke a key to revoke" }).first().boundingBox()
    assert.isAtMost((revoke?.x ?? 390) + (revoke?.width ?? 0), 390)
    assert.deepStrictEqual(await visitor.misplaced(), [])
    await visitor.isAccessible()
  })
})
