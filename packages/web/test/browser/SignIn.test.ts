import { assert, describe, inject, it } from "vitest"
import { ciKey, demo, key, url, visit } from "./visit.ts"

const refusedAtFirst = /status of 403/u

describe("signing in", () => {
  it("signing in by the printed link works once, and leaves no trace in the address", async () => {
    await using visitor = await visit({ isSignedIn: false, expected: refusedAtFirst })
    const { page } = visitor
    const link = inject("signInLink")
    await page.goto(link)
    await page
      .getByRole("button", { name: /^Signed in with/u })
      .or(page.locator("summary"))
      .first()
      .waitFor()
    assert.notInclude(page.url(), "#")
    assert.notInclude(page.url(), link.split("#")[1] ?? "nothing")
    await using other = await visit({ isSignedIn: false, expected: refusedAtFirst })
    await other.page.goto(link)
    assert.include(await other.page.getByRole("alert").textContent(), "used already")
  })

  it("signing in by a key leads to the page that was asked for, and the key is out of reach for scripts", async () => {
    await using visitor = await visit({ isSignedIn: false, expected: refusedAtFirst })
    const { page } = visitor
    await visitor.open(demo)
    await visitor.isAccessible()
    await visitor.picture("sign-in")
    await page.getByLabel("Application key").fill("nonsense")
    await page.getByRole("button", { name: "Sign in" }).click()
    assert.include(await page.getByRole("alert").textContent(), "does not know this application key")
    await page.getByLabel("Application key").fill(key)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Tests now" }).waitFor()
    assert.include(page.url(), demo)
    const seen = await page.evaluate(() => [document.cookie, location.href, ...Object.values(localStorage)].join(" "))
    assert.notInclude(seen, key)
  })

  it("a session ends when one signs out", async () => {
    await using visitor = await visit({ expected: refusedAtFirst })
    const { page } = visitor
    await visitor.open(demo)
    await page.locator("summary[aria-label^='Signed in']").click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    assert.strictEqual(await page.getByText("Your session has ended").count(), 0)
    await page.reload()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    assert.deepStrictEqual(await visitor.context.cookies(), [])
  })

  it("a session ends when the key is revoked, also on a page that is open", async () => {
    await using visitor = await visit({ isSignedIn: false, expected: refusedAtFirst })
    const { page } = visitor
    const issued = await ciKey()
    await visitor.context.request.post("/session", { data: { key: issued.secret } })
    await visitor.open(`${demo}/tests`)
    const headers = { authorization: `Bearer ${key}` }
    const revoked = await fetch(`${url}/v1/application-keys/${issued.id}`, { method: "DELETE", headers })
    assert.strictEqual(revoked.status, 204)
    const signIn = page.getByRole("heading", { name: "Sign in" })
    // A request that the page still had to send may have ended the session before the click.
    await Promise.any([page.getByRole("button", { name: /^flaky/u }).click(), signIn.waitFor()])
    await signIn.waitFor()
    await page.getByText("Your session has ended").waitFor()
  })
})
