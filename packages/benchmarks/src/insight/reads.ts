/** The answers of insight, one request after another and warm. */
import { TestId } from "@lazaret/domain"
import { Causes, Changes, Costs, Missing, Shards, SlowerTests } from "@lazaret/services"
import { Effect } from "effect"
import { seeded } from "../histories.ts"
import { median } from "../Paired.ts"
import { busy, suiteTests, testName } from "../postgres/data.ts"
import type { Database, Services } from "../postgres/Database.ts"

/** A line for each kind of answer. */
export async function* measure(database: Database): AsyncGenerator<string> {
  yield "| Answer | p50 | p99 | processor time, p50 | p99 |"
  yield "| --- | --- | --- | --- | --- |"
  for (const { name, requests } of await kinds(database)) {
    for (const request of requests) await database.run(request)
    const times: Array<Time> = []
    for (const request of requests) times.push(await time(() => database.run(request)))
    const [walls, processors] = [times.map(({ wall }) => wall), times.map(({ processor }) => processor)]
    const figures = [median(walls), quantile(walls), median(processors), quantile(processors)]
    yield `| ${[name, ...figures.map((each) => `${each.toFixed(1)} ms`)].join(" | ")} |`
  }
}

interface Kind {
  readonly name: string
  readonly requests: ReadonlyArray<Effect.Effect<unknown, unknown, Services>>
}

interface Time {
  readonly wall: number
  readonly processor: number
}

const time = async (work: () => Promise<unknown>): Promise<Time> => {
  const used = process.cpuUsage()
  const start = performance.now()
  await work()
  const wall = performance.now() - start
  const { system, user } = process.cpuUsage(used)
  return { wall, processor: (system + user) / 1000 }
}

const quantile = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[Math.floor(0.99 * (times.length - 1))] ?? Number.NaN

const sample = 300

const repeated = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.from({ length: Math.ceil(sample / values.length) }, () => values).flat()

const first = { cursor: null, perPage: 20 }

const everyCause = { ...first, states: [], kinds: [], testId: null }

const kinds = async (database: Database): Promise<ReadonlyArray<Kind>> => {
  const { listing } = await database.run(
    Effect.flatMap(Causes, (causes) => causes.list(busy, { ...everyCause, perPage: 100 }))
  )
  const ids = listing.rows.map(({ causeId }) => causeId)
  const tests = flakyTests()
  return [
    { name: "causes, a page", requests: repeated([Effect.flatMap(Causes, (causes) => causes.list(busy, everyCause))]) },
    {
      name: "causes of a test",
      requests: tests.map((testId) => Effect.flatMap(Causes, (causes) => causes.list(busy, { ...everyCause, testId })))
    },
    {
      name: "one cause",
      requests: repeated(ids).map((id) => Effect.flatMap(Causes, (causes) => causes.get(busy, id)))
    },
    {
      name: "tests of a cause",
      requests: repeated(ids).map((id) => Effect.flatMap(Causes, (causes) => causes.tests(busy, id, first)))
    },
    ...(["cause", "test", "owner", "week"] as const).map((by) => ({
      name: `cost by ${by}`,
      requests: repeated([4, 8, 12]).map((weeks) =>
        Effect.flatMap(Costs, (costs) => costs.list(busy, { ...first, by, weeks }))
      )
    })),
    {
      name: "missing tests",
      requests: repeated([
        Effect.flatMap(Missing, (missing) => missing.list(busy, { ...first, states: [], kinds: [] }))
      ])
    },
    { name: "slower tests", requests: repeated([Effect.flatMap(SlowerTests, (slower) => slower.find(busy))]) },
    {
      name: "durations of 1,250 tests for shards",
      requests: repeated([Effect.flatMap(Shards, (shards) => shards.weigh(busy, pieces))])
    },
    {
      name: "change of a flaky test",
      requests: tests.map((testId) => Effect.flatMap(Changes, (changes) => changes.ofTest(busy, testId)))
    },
    {
      name: "change of a cause",
      requests: repeated(ids).map((id) => Effect.flatMap(Changes, (changes) => changes.ofCause(busy, id)))
    }
  ]
}

/** The tests of the job that runs most often. */
const pieces = {
  piece: "test",
  names: Array.from({ length: 1_250 }, (_, test) => testName("job 0", test)),
  jobName: "job 0"
} as const

/** Flaky tests of all jobs: those of the suites, of the job that runs most often, and of the others. */
const flakyTests = (): ReadonlyArray<TestId.TestId> => {
  const random = seeded(5)
  const flaky = (tests: number): number => 25 * Math.floor((random() * tests) / 25) + 3
  return Array.from({ length: sample }, (_, index) =>
    TestId.of(
      index % 2 === 0
        ? testName("suite 1", flaky(suiteTests))
        : testName(index % 4 === 1 ? "job 0" : `job ${index % 80}`, flaky(1_250))
    )
  )
}
