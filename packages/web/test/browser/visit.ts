/** A visitor: a browser of their own, signed in or not, and everything that goes wrong in it. */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type axe from "axe-core"
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core"
import { assert, inject } from "vitest"

export const url = inject("url")

export const key = inject("key")

/** The repository of the invented history. */
export const demo = "/acme/demo"

let browser: Browser | undefined

const connected = async (): Promise<Browser> => (browser ??= await chromium.connect(inject("browser")))

/** A new key for CI jobs of the owner `acme`. */
export const ciKey = async (): Promise<{ readonly id: string; readonly secret: string }> => {
  const answer = await fetch(`${url}/v1/application-keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "CI of acme", scope: "ci", owner: "acme" })
  })
  const created: unknown = await answer.json()
  if (typeof created === "object" && created !== null && "secret" in created && "id" in created) {
    return { id: String(created.id), secret: String(created.secret) }
  }
  throw new Error(JSON.stringify(created))
}

export interface Visitor extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Opens a path and waits until nothing is being loaded any more. */
  readonly open: (path: string) => Promise<void>
  /** Waits until the page shows everything that it asked for. */
  readonly settled: () => Promise<void>
  /** Fails when the page breaks a rule of accessibility that can be checked by a program. */
  readonly isAccessible: () => Promise<void>
  /** Yields what is wider than the screen or its table, and the cards that lie over others. */
  readonly misplaced: () => Promise<ReadonlyArray<string>>
  /** Fails when something in sight has moved since the page was opened, other than because of what the visitor did. */
  readonly isStill: () => Promise<void>
  /** Keeps a picture of the whole page, where pictures are wanted (`SCREENSHOTS` names the folder). */
  readonly picture: (name: string) => Promise<void>
}

interface Options {
  readonly theme?: "light" | "dark"
  readonly width?: number
  readonly isSignedIn?: boolean
  /** The complaints of the page in the console that are expected: failed requests that the test provokes. */
  readonly expected?: RegExp
  /** The servers that the page may ask: first the one that it is of, when it is not the one of all tests. */
  readonly origins?: readonly [string, ...ReadonlyArray<string>]
}

/** Everything but what was expected that a page complains about, and every request that leaves the server. */
const watch = (page: Page, { expected, origins = [url] }: Options): ReadonlyArray<string> => {
  const complaints: Array<string> = []
  page.on("console", (message) => {
    const text = `${message.text()} ${message.location().url}`
    if (message.type() === "error" && expected?.test(text) !== true) complaints.push(text)
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("request", (request) => {
    if (!["data:", ...origins].some((each) => request.url().startsWith(each))) complaints.push(request.url())
  })
  return complaints
}

const unsettled = "[role=status], [aria-busy=true], #app:empty"

const countInFlight = (page: Page): (() => number) => {
  const requests = new Set<object>()
  page.on("request", (request) => requests.add(request))
  page.on("requestfinished", (request) => requests.delete(request))
  page.on("requestfailed", (request) => requests.delete(request))
  return () => requests.size
}

/** Somebody who opens the dashboard; at the end nothing may have gone wrong. */
export const visit = async (options: Options = {}): Promise<Visitor> => {
  const context = await (
    await connected()
  ).newContext({
    baseURL: options.origins?.[0] ?? url,
    colorScheme: options.theme ?? "light",
    viewport: { width: options.width ?? 1280, height: 900 },
    reducedMotion: "reduce"
  })
  if (options.isSignedIn !== false) await context.request.post("/session", { data: { key } })
  const page = await context.newPage()
  await page.addInitScript(watchShifts)
  const complaints = watch(page, options)
  const inFlight = countInFlight(page)
  const settled = async () => {
    await page.waitForLoadState("load")
    // The page sends follow-up requests within one or two frames of an answer.
    for (let quiet = 0; quiet < 3;) {
      quiet = inFlight() === 0 && (await page.locator(unsettled).count()) === 0 ? quiet + 1 : 0
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
    }
  }
  return {
    page,
    context,
    settled,
    open: async (path) => {
      await page.goto(path)
      await settled()
    },
    isAccessible: () => isAccessible(page),
    misplaced: () => page.evaluate(misplaced),
    isStill: () => isStill(page),
    picture: (name) => picture(page, name),
    [Symbol.asyncDispose]: async () => {
      await context.close()
      assert.deepStrictEqual(complaints, [])
    }
  }
}

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** The small form of the program: every page that is checked reads it again. */
const checker = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

const isAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(checker)
  const { violations } = await page.evaluate(
    (values) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        runOnly: { type: "tag", values },
        // Paths of elements without violations would take most of the time.
        resultTypes: ["violations"],
        selectors: false
      }),
    rules
  )
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 120)} ${node.any.map((each) => each.message).join(" ")}`)
  )
  assert.deepStrictEqual(found, [])
}

interface Shift extends PerformanceEntry {
  readonly value: number
  readonly hadRecentInput: boolean
}

/** Adds up how much of the page moved by itself (cumulative layout shift). */
const watchShifts = (): void => {
  const counted = globalThis as unknown as { shift: number }
  counted.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as ReadonlyArray<Shift>) {
      if (!entry.hadRecentInput) counted.shift += entry.value
    }
  }).observe({ type: "layout-shift", buffered: true })
}

/** Runs in the page: what is too wide, and the cards that lie over others. */
const misplaced = (): ReadonlyArray<string> => {
  const wide = [...document.querySelectorAll("html, main .card, main .table-wrap")].filter(
    (each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1
  )
  const boxes = [...document.querySelectorAll("main .card")].map((card) => ({
    card,
    box: card.getBoundingClientRect()
  }))
  const over = boxes.filter(({ box: a, card }) =>
    boxes.some(
      ({ box: b, card: other }) =>
        other !== card && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
    )
  )
  return [
    ...wide.map((each) => `too wide: ${each.className} ${each.querySelector("h2")?.textContent}`),
    ...over.map(({ card }) => `lies over another card: ${card.querySelector("h2")?.textContent}`)
  ]
}

/** The largest shift that nobody sees: some pixels of one element. */
const mostShift = 0.002

const isStill = async (page: Page): Promise<void> => {
  const shift = await page.evaluate(() => (globalThis as unknown as { shift: number }).shift)
  assert.isAtMost(shift, mostShift, "the part of the page that moved by itself")
}

const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["SCREENSHOTS"]
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
