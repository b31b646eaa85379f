/**
 * The first page after a start, over 200,000 identities: `npm run bench -- first-page [--store=memory|postgres] [--runs=4]
 * [--starts=1] [--against=FOLDER]`.
 *
 * A server gets the results of four jobs with 50,000 tests each. With PostgreSQL another server then starts on what is stored; one in
 * memory, which stores nothing, is asked as soon as it has answered the last upload. The requests of the overview are sent at
 * once, as a browser does. Then the same page is asked for after one more upload of a single test, and with nothing new.
 *
 * With PostgreSQL the server starts as often as `--starts` says, and with the folder of another clone of Lazaret (after its `npm start`)
 * both versions take turns on the same data.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { median } from "./Paired.ts"
import * as Started from "./start/Started.ts"
import type { Lines } from "./Section.ts"

/** The benchmark of the first page. Aim: less than 0.4 seconds. Linux only. */
export const firstPage: Lines = {
  name: "first-page",
  lines: async function* (options) {
    const valueOf = (name: string) => options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3)
    const runs = Number(valueOf("runs") ?? 4)
    for (const store of ["memory", "postgres"] as const) {
      if ((valueOf("store") ?? store) !== store) continue
      const folder = mkdtempSync(join(tmpdir(), "lazaret-first-page-"))
      const start = () =>
        Started.start({
          folder,
          settings: { LAZARET_STORE: stores[store] }
        })
      let server = await start()
      try {
        for (let run = 0; run < runs; run++) await uploadAll(server, runs, run)
        yield `first-page: ${jobs * testsOfJob} identities, ${jobs * testsOfJob * runs} executions, ${store}`
        if (store === "postgres") {
          await server.close()
          yield* starts(folder, Number(valueOf("starts") ?? 1), valueOf("against"))
          server = await start()
        } else yield `  first: ${shown(await opened(server))}`
        const again: Array<Page> = []
        const written: Array<Page> = []
        for (let visit = 0; visit < 7; visit++) {
          again.push(await opened(server))
          await upload(server, "smoke", runs + visit, smoke)
          written.push(await opened(server))
        }
        yield `  after one more upload, median: ${shown(middle(written))}`
        yield `  with nothing new, median: ${shown(middle(again))}`
      } finally {
        await server.close()
        rmSync(folder, { recursive: true, force: true })
      }
    }
  }
}

/** The first pages of starts on the same data, with another version in turns. */
async function* starts(folder: string, number: number, against: string | undefined): AsyncGenerator<string> {
  const other = against === undefined ? [] : [resolve(against, "packages/server/start.js")]
  const pages = new Map<string, Array<Page>>([Started.programs.bundle, ...other].map((program) => [program, []]))
  for (let turn = 0; turn < number; turn++) {
    for (const [program, found] of turn % 2 === 0 ? pages : [...pages].toReversed()) {
      const server = await Started.start({ folder, program, settings: { LAZARET_STORE: stores.postgres } })
      try {
        found.push(await opened(server))
      } finally {
        await server.close()
      }
    }
  }
  for (const [program, found] of pages) {
    const name = program === Started.programs.bundle ? "first" : "first, the other version"
    yield `  ${name}: ${spread(found.map(({ wall }) => wall))} ms (${found[0]?.slowest}), ${spread(found.map(({ cpu }) => cpu))} ms of processor time`
  }
}

const spread = (values: ReadonlyArray<number>): string =>
  values.length === 1
    ? `${values[0]?.toFixed(0)}`
    : `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`

const stores = { memory: "memory", postgres: "embedded" }

const [jobs, testsOfJob] = [4, 50_000]

const halfDay = 43_200_000

/** The answer that took longest, and the processor time of the server until all have come, without that of PostgreSQL. */
interface Page {
  readonly wall: number
  readonly cpu: number
  readonly slowest: string
}

const shown = ({ cpu, slowest, wall }: Page): string =>
  `${wall.toFixed(0)} ms (${slowest}), ${cpu.toFixed(0)} ms of processor time`

const middle = (pages: ReadonlyArray<Page>): Page => ({
  wall: median(pages.map(({ wall }) => wall)),
  cpu: median(pages.map(({ cpu }) => cpu)),
  slowest: pages[0]?.slowest ?? ""
})

const base = "/v1/ci/acme/repositories/large"

/** The questions of the overview. */
const questions = [
  "/v1/application",
  `${base}/summary`,
  `${base}/trend`,
  `${base}/tests?health_status=broken&health_status=flaky&per_page=8`,
  `${base}/owners`,
  `${base}/quarantines?per_page=100`,
  `${base}/outages?per_page=3`,
  `${base}/events?type=test.health_changed&per_page=8`
]

const opened = async (server: Started.Server): Promise<Page> => {
  const before = server.processorTime()
  const start = performance.now()
  const times = await Promise.all(
    questions.map(async (path) => {
      await server.ask(path)
      return { path, ms: performance.now() - start }
    })
  )
  const wall = performance.now() - start
  await sleep(20)
  const slowest = times
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ path, ms }) => `${path.split("/").at(-1)} ${ms.toFixed(0)}`)
  return { wall, cpu: server.processorTime() - before, slowest: slowest.slice(0, 3).join(", ") }
}

const uploadAll = async (server: Started.Server, runs: number, run: number): Promise<void> => {
  const body = gzipSync(reportOf(run, runs), { level: 1 })
  for (let job = 0; job < jobs; job++) await upload(server, `job ${job}`, run - runs, body)
}

const upload = async (
  server: Started.Server,
  job: string,
  run: number,
  body: Uint8Array<ArrayBuffer>
): Promise<void> => {
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: job,
    branch: "main",
    commit: `c${run}`.padEnd(40, "0"),
    run_id: String(run),
    finished_at: new Date(Date.now() + Math.min(0, run) * halfDay).toISOString()
  })
  await server.ask(`${base}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml", "content-encoding": "gzip" },
    body
  })
}

const smoke = gzipSync('<testsuite name="all"><testcase classname="smoke" name="answers"/></testsuite>')

/** One test in 500 is flaky, one in 1,000 is broken in the last runs. */
const hasFailed = (test: number, run: number, runs: number): boolean =>
  test % 500 === 7 ? (test / 500 + run) % 3 < 1 : test % 1000 === 21 && run >= runs - 4

const reportOf = (run: number, runs: number): string => {
  const cases = Array.from({ length: testsOfJob }, (_, test) => {
    const named = `<testcase classname="area${test % 40}.Suite${test % 1000}" name="keeps law ${test}" time="0.${10 + (test % 80)}"`
    return hasFailed(test, run, runs)
      ? `${named}><failure type="AssertionError" message="expected ${test}">at law${test % 9}.ts:7</failure></testcase>`
      : `${named}/>`
  })
  return `<testsuites><testsuite name="all">${cases.join("\n")}</testsuite></testsuites>`
}
