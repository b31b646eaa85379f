import { assert, describe, it } from "vitest"
import { call, ci, report } from "./story.ts"
import { ciKey, url, visit } from "./visit.ts"

describe("the administration page", () => {
  it("the administration page creates a narrow key, shows its secret once, and revokes it", async () => {
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open("/")
    await page.locator("header summary").click()
    await page.getByRole("link", { name: "Administration" }).click()
    await visitor.settled()
    await page.getByLabel("Name").fill("CI of gadgets")
    await page.getByRole("combobox", { name: "Scope" }).selectOption("upload: sends reports")
    await page.getByRole("textbox", { name: "Owner" }).fill("acme")
    await page.getByRole("button", { name: "Create key" }).press("Enter")
    const secret = (await page.locator(".new-secret code").textContent()) ?? ""
    const found = await fetch(`${url}/v1/application`, { headers: { authorization: `Bearer ${secret}` } })
    assert.deepInclude(await found.json(), { name: "CI of gadgets", narrow_scope: "upload" })
    await visitor.isAccessible()
    await visitor.picture("admin")
    const row = page.getByRole("row", { name: /CI of gadgets/u })
    await row.getByText("acme").waitFor()
    await page.getByRole("button", { name: "Revoke CI of gadgets" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
    await row.getByText("revoked").waitFor()
    const after = await fetch(`${url}/v1/application`, { headers: { authorization: `Bearer ${secret}` } })
    assert.strictEqual(after.status, 403)
    await visitor.open("/admin")
    assert.notInclude(await page.content(), secret)
  })

  it("the administration page gives roles, says where each holds and why one is refused, and takes them away", async () => {
    await using visitor = await visit({ expected: /status of 422/u })
    const { page } = visitor
    const providers = [{ kind: "github", title: "GitHub", url: `${url}/sign-in/with-github` }]
    await page.route("**/session", (route) =>
      route.request().method() === "GET" ? route.fulfill({ json: { providers } }) : route.continue()
    )
    await visitor.open("/admin")
    const give = async (login: string, role: string, place: string) => {
      await page.getByLabel("Login").fill(login)
      await page.getByRole("combobox", { name: "Role" }).selectOption(role)
      await page.getByRole("textbox", { name: "Where" }).fill(place)
      await page.getByRole("button", { name: "Give role" }).click()
    }
    await give("browser-ada", "admin", "acme/widgets")
    const ada = page.getByRole("row", { name: /browser-ada/u })
    await ada.getByText("acme/widgets").waitFor()
    await ada.getByText("has not signed in yet").waitFor()
    await give("browser-bob", "member", "acme")
    await page
      .getByRole("row", { name: /browser-bob/u })
      .getByText("all of acme")
      .waitFor()
    await give("browser-eve", "viewer", "acme/a/b")
    await page.getByRole("alert").waitFor()
    await visitor.isAccessible()
    const given = JSON.stringify(await call("GET", "/v1/roles"))
    assert.match(given, /"browser-ada","person_id":null,"role":"admin","owner":"acme","repository":"widgets"/u)
    assert.match(given, /"browser-bob","person_id":null,"role":"member","owner":"acme","repository":null/u)
    assert.notInclude(given, "browser-eve")
    for (const login of ["browser-ada", "browser-bob"]) {
      await page.getByRole("button", { name: `Take away the role of ${login}` }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Take away" }).click()
      await page.getByRole("row", { name: new RegExp(login, "u") }).waitFor({ state: "detached" })
    }
  })

  it("the administration page adds a notifier of several repositories, shows why a test fails, and removes it", async () => {
    await using visitor = await visit({ expected: /status of 409/u })
    const { page } = visitor
    await visitor.open("/admin")
    await page.getByRole("button", { name: "Notify people of events" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("To", { exact: true }).selectOption("email")
    await dialog.getByLabel("E-mail addresses").fill("house@example.com")
    assert.strictEqual(await dialog.getByLabel("Repositories").inputValue(), "*/*")
    await dialog.getByLabel("Repositories").fill("acme/* other/web")
    await dialog.getByLabel("When").selectOption("every day")
    await dialog.getByRole("button", { name: "Add" }).click()
    const row = page.getByRole("listitem").filter({ hasText: "house@example.com" })
    await row.getByText(/acme\/\*, other\/web: /u).waitFor()
    await row.getByText(/every day at 9:00/u).waitFor()
    await visitor.isAccessible()
    await page.getByRole("button", { name: "Send a test to house@example.com" }).click()
    await row.getByText(/no mail server is configured/u).waitFor()
    await page.getByRole("button", { name: "Remove house@example.com" }).click()
    await row.waitFor({ state: "detached" })
  })

  it("the administration page says what is missing before an app can be created, and is not for keys of CI jobs", async () => {
    await using visitor = await visit({ width: 380, theme: "dark" })
    const { page } = visitor
    await visitor.open("/admin")
    await page.getByText("Set LAZARET_PUBLIC_URL").waitFor()
    assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 380)
    await visitor.isAccessible()
    await using other = await visit({ isSignedIn: false })
    await other.context.request.post("/session", { data: { key: (await ciKey()).secret } })
    await other.open("/admin")
    await other.page.getByText("Administration is for admin keys").waitFor()
  })

  it("the administration page leads to GitHub, and shows an app that GitHub does not confirm", async () => {
    await using visitor = await visit()
    const { page } = visitor
    const none = { source: "none", app: null, problem: null, obstacle: null }
    let state: object = none
    const sent: Array<unknown> = []
    await page.route("**/v1/github/app", (route) => {
      if (route.request().method() !== "POST") return route.fulfill({ json: state })
      sent.push(route.request().postDataJSON())
      return route.fulfill({ status: 201, json: { url: `${url}/health/live?begun` } })
    })
    await visitor.open("/admin")
    await page.getByLabel("Organisation at GitHub").fill("acme")
    await visitor.isAccessible()
    await page.getByRole("button", { name: "Create on GitHub" }).click()
    await page.waitForURL("**/health/live?begun")
    assert.deepStrictEqual(sent, [{ organization: "acme" }])
    const app = { id: 1, name: "Lazaret x", owner: "acme", url: `${url}/a`, install_url: `${url}/a/installations/new` }
    state = { source: "created", app, problem: "GitHub does not confirm the app 1 (401)", obstacle: "there is one" }
    await visitor.open("/admin")
    await page.getByText("GitHub does not confirm the app 1").waitFor()
    assert.strictEqual(
      await page.getByRole("link", { name: "Install for repositories" }).getAttribute("href"),
      app.install_url
    )
    await visitor.isAccessible()
    await visitor.picture("admin-app")
  })
})

describe("the frame of the page", () => {
  it("the menu closes after a choice, and the audit log of the page it leads to is in words", async () => {
    await call("PATCH", `${ci("audited")}/settings`, { flaky_detection: true })
    await using visitor = await visit()
    const { page } = visitor
    await visitor.open("/")
    const menu = page.locator("details.menu")
    await menu.locator("summary").click()
    await menu.getByRole("link", { name: "Administration" }).click()
    await page.waitForURL("**/admin")
    await visitor.settled()
    assert.strictEqual(await menu.getAttribute("open"), null)
    const audited = page.getByRole("region", { name: "Audit log" }).getByRole("row", { name: /acme\/audited/u })
    const log = (await audited.first().textContent()) ?? ""
    assert.match(log, /change settings/u)
    assert.notMatch(log, /changeSettings|_|null|true|false/u)
  })

  it("the bar that saves settings covers nothing while nothing is changed", async () => {
    await call("PATCH", `${ci("idle")}/settings`, { flaky_detection: true })
    await using visitor = await visit({ width: 390 })
    const { page } = visitor
    await visitor.open("/acme/idle/settings")
    const position = () => page.locator(".save-bar").evaluate((bar) => getComputedStyle(bar).position)
    assert.strictEqual(await position(), "static")
    await page.getByRole("textbox", { name: "Default branch" }).fill("trunk")
    assert.strictEqual(await position(), "sticky")
  })
})

describe("the hosting platform on the settings page", () => {
  it("the settings page says that the server is not connected", async () => {
    await report("platform-off", "a", [["cart adds", "passed"]])
    await using visitor = await visit()
    await visitor.open("/acme/platform-off/settings")
    await visitor.page.getByText("connected to no hosting platform").waitFor()
    assert.deepInclude(await call("GET", `${ci("platform-off")}/connection`), { state: "off" })
  })

  it("the settings page reads past runs step by step, waits while the platform is limited, and says how far it is", async () => {
    await report("platform-on", "a", [["cart adds", "passed"]])
    await using visitor = await visit({ expected: /status of 503/u })
    const { page } = visitor
    await page.route("**/connection", (route) =>
      route.fulfill({ json: { state: "installed", detail: null, default_branch: "trunk" } })
    )
    const pages: Array<number> = []
    await page.route("**/backfill", (route) => {
      const { page: asked } = route.request().postDataJSON()
      pages.push(asked)
      if (asked === 2 && pages.length === 2) {
        return route.fulfill({ status: 503, json: { title: "Unavailable", detail: "limited" } })
      }
      const next = asked < 3 ? asked + 1 : null
      const executions = { recorded: 100, duplicates: 2 }
      return route.fulfill({
        json: { runs: 10, artifacts: 5, executions, problems: ["a.zip: it is not a zip archive"], next_page: next }
      })
    })
    await visitor.open("/acme/platform-on/settings")
    await page.getByText("The default branch there is trunk").waitFor()
    await page.clock.install()
    await page.getByRole("button", { name: "Read past runs" }).click()
    await page.getByText("Reading: 10 runs").waitFor()
    await page.clock.fastForward(6000)
    await page.getByText("Done: 30 runs, 15 artifacts, 300 new results, 6 known ones.").waitFor()
    assert.deepStrictEqual(pages, [1, 2, 2, 3])
    await page.locator("summary", { hasText: "What could not be read" }).click()
    await visitor.isAccessible()
    await visitor.picture("settings-platform")
  })
})
