/**
 * `npm run screenshots`: takes the pictures of the documentation from a server with an invented history.
 *
 * Each picture is a WebP of at most {@link most} bytes, so that the repository stays small.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { flags } from "./test/browser/chromium.ts"
import * as Invented from "./test/browser/invented.ts"

const folder = join(import.meta.dirname, "../../docs/images")

const most = 80_000

const size = { width: 1280, height: 860 }

/** The picture of what is in sight; the format needs the protocol of the browser. */
const pictureOf = async (page: Page, quality: number): Promise<Buffer> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality })
  return Buffer.from(data, "base64")
}

/** Keeps the picture of a page from its top, or from the heading `from`. */
const keep = async (page: Page, path: string, name: string, from?: string): Promise<void> => {
  await page.goto(path)
  await page.waitForLoadState("networkidle")
  await page.locator("[role=status]").first().waitFor({ state: "detached" })
  if (from !== undefined) {
    const heading = page.getByRole("heading", { name: from, exact: true })
    // The head of the page covers the top of what is scrolled into view.
    await heading.evaluate((element) => {
      element.scrollIntoView({ block: "start" })
      window.scrollBy(0, -80)
    })
  }
  let picture = await pictureOf(page, 80)
  for (let quality = 70; picture.length > most && quality >= 30; quality -= 10) picture = await pictureOf(page, quality)
  if (picture.length > most) throw new Error(`${name}.webp has ${picture.length} bytes, more than ${most}`)
  writeFileSync(join(folder, `${name}.webp`), picture)
  process.stdout.write(`docs/images/${name}.webp: ${picture.length} bytes\n`)
}

/** The address of the flaky test that fails most. */
const flakyTest = async ({ key, url }: Invented.Invented): Promise<string> => {
  const query = "health_status=flaky&per_page=1"
  const answer = await fetch(`${url}/v1/ci/acme/repositories/demo/tests?${query}`, {
    headers: { authorization: `Bearer ${key}` }
  })
  // The list has this shape; another one makes an address that no page has.
  const { tests } = (await answer.json()) as { readonly tests: ReadonlyArray<{ readonly test_id: string }> }
  return `/acme/demo/tests/${tests[0]?.test_id}`
}

const server = await Invented.start([])
const browser = await chromium.launch({ executablePath: server.browser, args: [...flags] })
try {
  const context = await browser.newContext({ baseURL: server.url, viewport: size, reducedMotion: "reduce" })
  await context.request.post("/session", { data: { key: server.key } })
  const page = await context.newPage()
  await keep(page, "/acme/demo", "dashboard-overview")
  await keep(page, "/acme/demo/tests", "dashboard-tests")
  await keep(page, await flakyTest(server), "dashboard-test")
  await keep(page, server.pull, "dashboard-pull-request")
  await keep(page, "/acme/demo/quarantine", "dashboard-quarantine")
  await keep(page, "/acme/demo/queue", "dashboard-queue")
  await keep(page, "/admin", "dashboard-audit", "Audit log")
} finally {
  await browser.close()
  await server.stop()
}
