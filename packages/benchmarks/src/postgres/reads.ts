/** Reads of people, one request after another and warm, compared with one row by its primary key. */
import { Instant, Repository, TestFilter, TestId, TestSort } from "@lazaret/domain"
import { Tests } from "@lazaret/services"
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect } from "effect"
import { seeded } from "../histories.ts"
import { median } from "../Paired.ts"
import { busy, days, suiteTests, testName } from "./data.ts"
import type { Database } from "./Database.ts"

/** The time of one kind of request, and of the concurrent probes, in milliseconds. */
export interface Read {
  readonly name: string
  readonly p50: number
  readonly p99: number
  readonly probe: number
  readonly probe99: number
}

/** Measures every kind of request. */
export async function* measure(database: Database): AsyncGenerator<Read> {
  yield measureOne(database, await searches(database))
  for (const kind of kinds()) yield measureOne(database, kind)
}

/** The line of a measurement. */
export const line = ({ name, p50, p99, probe, probe99 }: Read): string =>
  `  ${name.padEnd(34)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ` +
  `${(p50 / probe).toFixed(1)} times a row by its key (${probe.toFixed(2)} ms, p99 ${probe99.toFixed(1)})`

interface Kind {
  readonly name: string
  readonly requests: ReadonlyArray<Effect.Effect<unknown, unknown, Tests>>
}

/** Everything is asked once before it is measured, with what one asked for in the round before in the caches. */
const measureOne = async (database: Database, { name, requests }: Kind): Promise<Read> => {
  for (const request of requests) await database.run(request)
  const times: Array<number> = []
  const probes: Array<number> = []
  for (const request of requests) {
    times.push(await time(database, request))
    probes.push(await time(database, probe(times.length * 487)))
  }
  return {
    name,
    p50: median(times),
    p99: quantile(times, 0.99),
    probe: median(probes),
    probe99: quantile(probes, 0.99)
  }
}

const time = async <A>(
  database: Database,
  request: Effect.Effect<A, unknown, Tests | PostgresClient>
): Promise<number> => {
  const start = performance.now()
  await database.run(request)
  return performance.now() - start
}

const quantile = (times: ReadonlyArray<number>, share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? Number.NaN

const probe = (test: number) =>
  Effect.flatMap(
    PostgresClient,
    ({ sql }) => sql`
      SELECT t.test_name
      FROM repositories r
      JOIN tests t ON t.repository_id = r.repository_id AND t.test_no = ${test % 200_000}
      WHERE r.key = ${Repository.key(busy)}`
  )

const kinds = (): ReadonlyArray<Kind> => [
  kind("test details", (tests, id) => tests.details(busy, id)),
  kind("success_count over 90 days", (tests, id) => tests.statistic(busy, id, "success_count", lastDays(days))),
  kind("flaky_count over 90 days", (tests, id) => tests.statistic(busy, id, "flaky_count", lastDays(days))),
  kind("transitions over 90 days", (tests, id) => tests.transitions(busy, id, lastDays(days))),
  kind("failures", (tests, id) => tests.failures(busy, id)),
  kind("executions of a day", (tests, id) =>
    tests.executions(busy, id, {
      bounds: lastDays(1),
      sort: "executions_count",
      direction: "desc",
      cursor: null,
      perPage: 10
    })
  ),
  {
    name: "repository statistics",
    requests: repeated(filters).map((filter) =>
      Effect.flatMap(Tests, (tests) => tests.repositoryStatistic(busy, "failed_executions", filter))
    )
  }
]

const sample = 300

/** The same request for tests of all jobs: every other one of those that run most often. */
const kind = (
  name: string,
  ask: (tests: Tests["Service"], id: TestId.TestId) => Effect.Effect<unknown, unknown>
): Kind => {
  const random = seeded(5)
  const requests = Array.from({ length: sample }, (_, index) => {
    const id = TestId.of(anyTest(index, random))
    return Effect.flatMap(Tests, (tests) => ask(tests, id))
  })
  return { name, requests }
}

const anyTest = (index: number, random: () => number): string =>
  index % 2 === 0
    ? testName("suite 1", Math.floor(random() * suiteTests))
    : testName(index % 4 === 1 ? "job 0" : `job ${index % 80}`, Math.floor(random() * 1_250))

const lastDays = (count: number) => ({ start: Date.now() - count * Instant.day })

const filters = [
  TestFilter.all,
  TestFilter.make({ testName: { include: ["*webhook*"] } }),
  TestFilter.make({ testName: { include: ["services/*law ?7*"] } }),
  TestFilter.make({ healthStatus: { include: ["flaky"] } }),
  TestFilter.make({ pipelineName: { include: ["CI"] }, testName: { exclude: ["*1*"] } }),
  TestFilter.make({ jobName: { include: ["job 1*"] }, failedExecutionsImpact: { exclude: ["low"] } })
]

const repeated = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => Array.from({ length: 50 }, () => values).flat()

/** Every sort and filter in both directions: the first page, the one after it, and the last. */
const searches = async (database: Database): Promise<Kind> => {
  const asked = TestSort.SearchSort.literals.flatMap((sort) =>
    filters.flatMap((filter) =>
      (["asc", "desc"] as const).map((direction) => ({ filter, sort, direction, perPage: 20 }))
    )
  )
  const requests: Array<Kind["requests"][number]> = []
  for (const request of asked) {
    const ask = (cursor: string | null) => Effect.flatMap(Tests, (tests) => tests.search(busy, { ...request, cursor }))
    const { links } = await database.run(ask(null))
    requests.push(ask(null), ask(links.next), ask(links.last))
  }
  return { name: "search, all sorts and filters", requests }
}
