/** A noisy neighbour: a matrix of jobs that end at once, while another owner reads and the probes ask. */
import { gzipSync } from "node:zlib"
import { setTimeout as sleep } from "node:timers/promises"
import { notes, type Part, percentile, type Size } from "./Part.ts"
import { type Answer, ask, start, type Target, uploadPath } from "./Target.ts"

/** The slowest read of another owner at the 99th percentile, in milliseconds, on two quiet cores. */
const mostMs = 500

const sizes: Record<Size, { readonly jobs: number; readonly cases: number }> = {
  short: { jobs: 16, cases: 500 },
  full: { jobs: 32, cases: 2000 }
}

/** Jobs upload to one repository each, as a company's pipelines do, all with one key. */
export const part: Part = {
  name: "neighbour",
  run: async (size) => {
    const { expect, findings } = notes()
    const { cases, jobs } = sizes[size]
    await using target = await start()
    const body = new Uint8Array(gzipSync(report(cases)))
    const send = (owner: "noisy" | "quiet", repository: string, commit: string, job: string) =>
      ask(target.url, uploadPath(owner, repository, commit, job), target.keys[owner], {
        method: "POST",
        headers: { "content-type": "application/xml", "content-encoding": "gzip" },
        body
      })
    const first = await send("quiet", "widgets", "c0", "unit")
    expect(first.status === 201, `the first upload: ${first.status} ${first.text.slice(0, 200)}`)
    const state = { isOver: false }
    const watching = watch(target, state)
    const uploads = await Promise.all(
      Array.from({ length: jobs }, (_, job) =>
        send("noisy", `widgets-${job % 8}`, `c${job}`, `job ${job}`.replace(" ", "-"))
      )
    )
    state.isOver = true
    const { probes, reads } = await watching
    for (const { status, text } of uploads) expect(status === 201, `a job that ended: ${status} ${text.slice(0, 200)}`)
    for (const { status, text } of reads)
      expect(status === 200, `a read of another owner: ${status} ${text.slice(0, 200)}`)
    for (const { status } of probes) expect(status === 200, `/health/ready: ${status}`)
    const p99 = percentile(
      reads.map(({ ms }) => ms),
      0.99
    )
    // The short form runs among other tests, where time says nothing.
    if (size === "full")
      expect(p99 < mostMs, `reads of another owner took ${Math.round(p99)} ms at the 99th percentile`)
    return {
      figures: {
        jobs,
        "slowest upload, ms": Math.round(Math.max(...uploads.map(({ ms }) => ms))),
        reads: reads.length,
        "reads p99, ms": Math.round(p99),
        "probes p99, ms": Math.round(
          percentile(
            probes.map(({ ms }) => ms),
            0.99
          )
        ),
        "peak MiB": target.peak()
      },
      findings
    }
  }
}

const watch = async ({ keys, url }: Target, state: { readonly isOver: boolean }) => {
  const reads: Array<Answer> = []
  const probes: Array<Answer> = []
  while (!state.isOver || reads.length < 5) {
    reads.push(await ask(url, "/v1/ci/quiet/repositories/widgets/search/tests", keys.quiet))
    probes.push(await ask(url, "/health/ready", null))
    await sleep(20)
  }
  return { reads, probes }
}

const report = (cases: number): string =>
  `<testsuite>${Array.from({ length: cases }, (_, index) =>
    index % 50 === 0
      ? `<testcase name="law ${index}" time="0.1"><failure type="Error" message="no">at law${index}</failure></testcase>`
      : `<testcase name="law ${index}" time="0.1"/>`
  ).join("")}</testsuite>`
