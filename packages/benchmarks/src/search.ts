/** Search in the memory store against one pass over as many rows. */
import { Instant, Page, type Report, TestFilter, TestSort } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, TestStore } from "@lazaret/store"
import { Effect, ManagedRuntime } from "effect"
import { seeded } from "./histories.ts"
import { median } from "./Paired.ts"
import type { Pairs } from "./Section.ts"

const identities = 200_000
const jobs = 80
const now = Date.UTC(2026, 4, 20, 12)
const ref = { owner: "acme", repository: "widgets" }

/** Search benchmarks. Aim: 99 in 100 of a mix of all sorts and filters in under 50 ms. */
export const search: Pairs = {
  name: "search",
  pairs: async () => {
    const runtime = ManagedRuntime.make(MemoryStores.layer)
    await runtime.runPromise(fill)
    const rows = Array.from({ length: identities }, (_, index) => ({ count: index % 97 }))
    let turn = 0
    return [
      {
        name: `a page of 10 of ${identities} identities, a mix of sorts and filters, against one pass over the rows`,
        rounds: 200,
        reference: () => rows.reduce((sum, row) => sum + row.count, 0),
        subject: () => {
          const query = mix[turn++ % mix.length] ?? wholeList
          const start = performance.now()
          return runtime
            .runPromise(Effect.flatMap(TestStore, (tests) => tests.page(ref, { ...query, now })))
            .then((page) => {
              times.push(performance.now() - start)
              return page.total
            })
        }
      }
    ]
  },
  note: () => `p50 ${quantile(0.5).toFixed(1)} ms, p99 ${quantile(0.99).toFixed(1)} ms`
}

const times: Array<number> = []

const quantile = (share: number): number => {
  const warm = times.slice(mix.length * 2).toSorted((a, b) => a - b)
  return share === 0.5 ? median(warm) : (warm[Math.floor(share * (warm.length - 1))] ?? Number.NaN)
}

const filters = [
  TestFilter.all,
  TestFilter.make({ testName: { include: ["*webhook*"] } }),
  TestFilter.make({ testName: { include: ["services/*law ?7*"] } }),
  TestFilter.make({ healthStatus: { include: ["flaky"] } }),
  TestFilter.make({ pipelineName: { include: ["CI"] }, testName: { exclude: ["*1*"] } })
]

const wholeList = {
  filter: TestFilter.all,
  sort: "executions_count",
  direction: "desc",
  from: Page.start,
  limit: 10
} as const

const mix = TestSort.SearchSort.literals.flatMap((sort) =>
  filters.flatMap((filter) =>
    (["asc", "desc"] as const).map((direction) => ({ filter, sort, direction, from: Page.start, limit: 10 }))
  )
)

const fill = Effect.gen(function* () {
  const executions = yield* ExecutionStore
  const random = seeded(11)
  for (let job = 0; job < jobs; job++) {
    for (let day = 1; day <= 1 + (job % 5); day++) yield* executions.append(ref, report(job, day, random))
  }
})

const report = (job: number, day: number, random: () => number): Report.Report => {
  const id = `00000000-0000-5000-8000-${String(job * 10 + day).padStart(12, "0")}`
  const run = {
    pipelineName: job % 2 === 0 ? "CI" : "Nightly",
    jobName: `job ${job}`,
    branch: "main",
    baseBranch: null,
    commit: `c${day}`,
    runId: id,
    runAttempt: 1,
    jobUrl: null,
    framework: null,
    frameworkVersion: null,
    language: null,
    pullRequest: null,
    pullNumber: null
  }
  const executions = Array.from({ length: identities / jobs }, (_, index) => ({
    id: `${id}.${index}`,
    testName: `services/${index % 7 === 0 ? "webhook" : "billing"}/job ${job} > keeps law ${index}`,
    at: now - day * Instant.day,
    durationMs: 5,
    conclusion: random() < 0.02 ? ("failed" as const) : ("passed" as const),
    flaky: random() < 0.01,
    reruns: 0,
    exception: null,
    filepath: null,
    functionName: null
  }))
  return { id, key: id, digest: id, receivedAt: now, run, executions }
}
