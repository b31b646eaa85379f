/**
 * `npm run first-view`: how long the dashboard takes to show its pages over 200,000 identities, in the browser of this machine.
 *
 * A server gets the invented results of four jobs with 50,000 tests each: two runs of main a day for a week. `--store=postgres` starts
 * another server on the stored results then; a server in memory, the default, rests until it has finished its garbage collection. Then a
 * browser opens each page, first with answers that nobody has asked for before, then again and again, and then each time after
 * one more upload of a single test. The first visit of all is cold: neither the server has answered nor the browser has kept
 * anything before. The first view is there
 * when the page has its title and no skeleton; its time counts from the start of the navigation. Each visit comes in a pair
 * with one of the manual, a page that asks the server for nothing, so that the load of the machine can be seen. The processor
 * time of the server is that of everything that the process does during a visit (Linux only), without that of a database. Of repeated
 * visits it is the median: rounds in the background and garbage collection fall into some of them.
 */
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { chromium, type BrowserContext } from "playwright-core"
import { flags } from "./test/browser/chromium.ts"
import * as Invented from "./test/browser/invented.ts"

const jobs = 4

const testsOfJob = 50_000

const runs = 14

const visits = 9

const halfDay = 43_200_000

/** One test in 500 is flaky, one in 1,000 has been broken for four runs. */
const hasFailed = (test: number, run: number): boolean =>
  test % 500 === 7 ? (test / 500 + run) % 3 < 1 : test % 1000 === 21 && run >= runs - 4

const reportOf = (run: number): string => {
  const cases = Array.from({ length: testsOfJob }, (_, test) => {
    const named = `<testcase classname="area${test % 40}.Suite${test % 1000}" name="keeps law ${test}" time="0.${10 + (test % 80)}"`
    return hasFailed(test, run)
      ? `${named}><failure type="AssertionError" message="expected ${test}">at law${test % 9}.ts:7</failure></testcase>`
      : `${named}/>`
  })
  return `<testsuites><testsuite name="all">${cases.join("\n")}</testsuite></testsuites>`
}

const send = async (job: string, run: number, body: Uint8Array<ArrayBuffer>): Promise<void> => {
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: job,
    branch: "main",
    commit: `c${run}`.padEnd(40, "0"),
    run_id: String(run),
    finished_at: new Date(Date.now() - Math.max(0, runs - run) * halfDay).toISOString()
  })
  const answer = await fetch(`${server.url}/v1/ci/acme/repositories/large/reports?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/xml", "content-encoding": "gzip" },
    body
  })
  if (answer.status !== 201) throw new Error(`the upload was answered ${answer.status}: ${await answer.text()}`)
}

const upload = async (): Promise<void> => {
  for (let run = 0; run < runs; run++) {
    const body = gzipSync(reportOf(run), { level: 1 })
    for (let job = 0; job < jobs; job++) await send(`job ${job}`, run, body)
  }
}

const single = gzipSync('<testsuite name="all"><testcase classname="smoke" name="answers"/></testsuite>')

let smokes = runs

/** The figures of a page about itself. */
interface Measured {
  view: number | null
  shift: number
}

/** Runs in the page before its scripts. */
const watch = (): void => {
  const measured: Measured = { view: null, shift: 0 }
  Object.assign(globalThis, { measured })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) measured.shift += (entry as PerformanceEntry & { value: number }).value
  }).observe({ type: "layout-shift", buffered: true })
  const look = (): void => {
    const isThere = document.querySelector("#page-title") !== null && document.querySelector("[role=status]") === null
    // What is in the document now is painted before the next frame.
    if (isThere) requestAnimationFrame(() => (measured.view = performance.now()))
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

interface Visit {
  readonly view: number
  readonly settled: number
  readonly shift: number
}

const open = async (context: BrowserContext, path: string): Promise<Visit> => {
  const page = await context.newPage()
  await page.addInitScript(watch)
  const start = performance.now()
  await page.goto(path)
  await page.waitForFunction(() => (globalThis as unknown as { measured: Measured }).measured.view !== null)
  await page.waitForLoadState("networkidle")
  // `networkidle` is half a second without a request.
  const settled = performance.now() - start - 500
  const measured = await page.evaluate(() => (globalThis as unknown as { measured: Measured }).measured)
  await page.close()
  return { view: measured.view ?? Number.NaN, shift: measured.shift, settled }
}

const middle = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`

/** The processor time that a process has used, in milliseconds; not a number where the system does not say it. */
const usedBy = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /u, "")
      .split(" ")
    return 10 * (Number(fields[11]) + Number(fields[12]))
  } catch {
    return Number.NaN
  }
}

const report = async (context: BrowserContext, name: string, path: string): Promise<void> => {
  const before = usedBy(server.pid)
  const first = await open(context, path)
  const between = usedBy(server.pid)
  const again: Array<Visit> = []
  const used: Array<number> = []
  const manual: Array<number> = []
  for (let visit = 0; visit < visits; visit++) {
    const start = usedBy(server.pid)
    again.push(await open(context, path))
    used.push(usedBy(server.pid) - start)
    manual.push((await open(context, "/manual")).view)
  }
  const written: Array<number> = []
  for (let visit = 0; visit < 5; visit++) {
    await send("smoke", smokes++, single)
    written.push((await open(context, path)).view)
  }
  const views = again.map(({ view }) => view)
  const shift = Math.max(first.shift, ...again.map((each) => each.shift))
  process.stdout.write(
    `${name}: first ${seconds(first.view)}, then ${seconds(middle(views))} (${seconds(Math.min(...views))} to ` +
      `${seconds(Math.max(...views))}), after one more upload ${seconds(middle(written))}, the manual ${seconds(middle(manual))}; with everything below the fold ` +
      `${seconds(middle(again.map(({ settled }) => settled)))}; layout shift ${shift.toFixed(4)}; ` +
      `server ${between - before} ms of processor time, then ${middle(used)} ms (${Math.min(...used)} to ${Math.max(...used)})\n`
  )
}

/** The address of a flaky test. */
const flakyTest = async ({ key, url }: Invented.Invented): Promise<string> => {
  const answer = await fetch(`${url}/v1/ci/acme/repositories/large/search/tests?health_status=flaky&per_page=1`, {
    headers: { authorization: `Bearer ${key}` }
  })
  // The list has this shape; another one makes an address that no page has.
  const { tests } = (await answer.json()) as { readonly tests: ReadonlyArray<{ readonly test_id: string }> }
  return `/acme/large/tests/${tests[0]?.test_id}`
}

/** Waits until the server is idle, and yields the processor time that it has used meanwhile, in milliseconds. */
const rest = async (): Promise<number> => {
  const start = usedBy(server.pid)
  let before = start
  for (let quiet = 0; quiet < 3;) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const now = usedBy(server.pid)
    // Where the system does not say it, the server rests after three seconds.
    quiet = now - before >= 50 ? 0 : quiet + 1
    before = now
  }
  return before - start
}

const store = process.argv.includes("--store=postgres") ? "postgres" : "memory"

let server = await Invented.start(["--tests", "50", "--days", "14"], store)
const browser = await chromium.launch({ executablePath: server.browser, args: [...flags] })
try {
  await upload()
  if (store === "postgres") server = await server.restart()
  const rested = await rest()
  process.stdout.write(`the server used ${rested} ms of processor time before it rested\n`)
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 900 } })
  await context.request.post("/session", { data: { key: server.key } })
  process.stdout.write(
    `${jobs * testsOfJob} identities, ${jobs * testsOfJob * runs} executions, ${browser.version()}\n`
  )
  await report(context, "overview", "/acme/large")
  await report(context, "tests", "/acme/large/tests")
  await report(context, "a test", await flakyTest(server))
  await report(context, "tests, a search", "/acme/large/tests?search=suite7%20law%2040")
  await report(context, "tests, slowest", "/acme/large/tests?sort=mean_duration")
  await report(context, "quarantine", "/acme/large/quarantine")
  await report(context, "repositories", "/")
} finally {
  await browser.close()
  await server.stop()
}
