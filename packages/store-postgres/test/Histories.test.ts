import { assert, describe, it } from "@effect/vitest"
import { Instant, Page, type Report, Repository, TestFilter, TestId } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, RepositoryStore, TestStore, UpkeepStore } from "@lazaret/store"
import { Answer, Case, Law, Plain, Policy, Sample } from "@lazaret/store-conformance"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

/**
 * One history is all that happened to one identity: what its test did in each of fourteen runs of its job, drawn by itself,
 * in one order of arrival. There are `repositories * jobs * tests` of them.
 */
const repositories = 6
const jobs = ["unit", "e2e"]
const tests = 448
const runs = 14

const small: Policy.Choice = {
  defaultBranch: null,
  isStandard: false,
  flakinessEvidence: "every_branch",
  rememberedCommits: 2,
  episodeDays: 1,
  recoveryPasses: 3,
  recoveryCommits: 2,
  brokenCommits: 2,
  cleanPasses: 3,
  cleanDays: 1,
  confidence: 4,
  activeDays: 7,
  cleanChance: 0.9,
  cleanDaysMost: 14,
  brokenChance: 0.3,
  brokenCommitsMost: 20,
  halfLifeDays: 14,
  failedTests: 3,
  failedShare: 0.05,
  excusedCommits: 2,
  fewTests: 4,
  otherBranchDays: 14,
  otherBranchFailureDays: 30
}

const choices: ReadonlyArray<Policy.Choice> = [
  { ...small, isStandard: true },
  small,
  { ...small, rememberedCommits: 4, episodeDays: 14, cleanPasses: 10, cleanDays: 7, activeDays: 30 }
]

/** Out of a hundred: what a test does in a run, at the ends of their shares. */
const outcomes = [
  [8, "absent"],
  [78, "passed"],
  [89, "failed"],
  [93, "flaky"],
  [95, "skipped"],
  [100, "failed, then passed"]
] as const

const nameOf = (job: string, test: number): string => (test % 9 === 0 ? `shared ${test}` : `${job} keeps law ${test}`)

/** The cases of a test in a run, up to two days after the run began: runs overlap, and instants meet. */
const casesOf = (job: string, test: number, run: number, draw: number): ReadonlyArray<Partial<Report.Case>> => {
  const [, outcome] = outcomes.find(([end]) => draw % 100 < end) ?? outcomes[0]
  const at = Sample.noon - (runs + 2 - run) * Instant.day + (Math.floor(draw / 100) % 48) * Instant.hour
  const testName = nameOf(job, test)
  switch (outcome) {
    case "absent":
      return []
    case "failed, then passed":
      return [Sample.failure({ testName, at }), { testName, at: at + 1 }]
    case "failed":
      return [Sample.failure({ testName, at })]
    case "flaky":
      return [{ testName, at, flaky: true, reruns: 1 }]
    default:
      return [{ testName, at, conclusion: outcome }]
  }
}

/** The reports of all runs of a repository, each run cut into two. */
const reportsOf = (seed: number): ReadonlyArray<Report.Report> => {
  const drawn = fc.sample(fc.array(fc.nat(9999), { minLength: runs, maxLength: runs }), {
    numRuns: jobs.length * tests,
    seed
  })
  return jobs.flatMap((jobName, job) =>
    Array.from({ length: runs }, (_, run) =>
      [0, 1].map((part) => {
        const cases = Array.from({ length: tests }, (__, test) => test)
          .filter((test) => ((test + run) % 3 === 0) === (part === 0))
          .flatMap((test) => casesOf(jobName, test, run, drawn[job * tests + test]?.[run] ?? 0))
        return Sample.report(
          `${jobName} ${run}.${part}`,
          { jobName, runId: `run ${run}`, commit: `c${Math.floor(run / 2)}`, branch: "main" },
          cases
        )
      })
    ).flat()
  )
}

const inOrderOfTime = (reports: ReadonlyArray<Report.Report>) => {
  const first = ({ executions }: Report.Report) => Math.min(...executions.map(({ at }) => at))
  return reports.toSorted((a, b) => first(a) - first(b))
}

const testNames = [...new Set(jobs.flatMap((job) => Array.from({ length: tests }, (_, test) => nameOf(job, test))))]

/** All states, all rows of the search, the figures per day; of each sixtieth test everything there is. */
const answersTo = (ref: Repository.RepositoryRef) =>
  Effect.gen(function* () {
    const store = yield* TestStore
    const now = Sample.noon
    const health = yield* store.health(ref, testNames.map(TestId.of), now)
    return {
      states: Plain.sorted(Array.from(health, ([id, list]) => [id, Plain.sorted(list)])),
      rows: (yield* store.page(ref, Sample.search({ now, from: Page.start, limit: 2000 }))).rows,
      counts: yield* Effect.forEach([null, "healthy", "flaky", "broken"] as const, (status) =>
        store.count(ref, { filter: TestFilter.all, status, now })
      ),
      some: yield* Effect.forEach(
        testNames.filter((_, index) => index % 60 === 0),
        (name) => Answer.ofTest(ref, TestId.of(name), now)
      )
    }
  })

const record = (ref: Repository.RepositoryRef, choice: Policy.Choice, reports: ReadonlyArray<Report.Report>) =>
  Effect.gen(function* () {
    yield* RepositoryStore.use((store) => store.set(ref, Policy.settingsOf(choice), Sample.noon))
    const { append } = yield* ExecutionStore
    yield* Effect.forEach(reports, (report) => append(ref, report), { discard: true })
  })

describe("histories", () => {
  it.live(
    `${repositories * jobs.length * tests} of them that arrive in random order are answered as memory answers them in order`,
    () =>
      Effect.gen(function* () {
        const url = yield* TestDatabase.url
        for (let seed = 0; seed < repositories; seed++) {
          const ref = yield* Case.repository
          const choice = choices[seed % choices.length] ?? small
          const reports = reportsOf(seed)
          const [shuffled = []] = fc.sample(fc.shuffledSubarray([...reports], { minLength: reports.length }), {
            numRuns: 1,
            seed
          })
          const memory = yield* Layer.build(Layer.fresh(MemoryStores.layer))
          yield* Effect.provideContext(record(ref, choice, inOrderOfTime(reports)), memory)
          const server = yield* Layer.build(Layer.fresh(Servers.layer(url, 1 + (seed % 3))))
          yield* Effect.provideContext(record(ref, choice, shuffled), server)
          const expected = yield* Effect.provideContext(answersTo(ref), memory)
          yield* Law.equal(
            yield* Effect.provideContext(answersTo(ref), server),
            expected,
            `the answers with seed ${seed}`
          )
          assert.deepStrictEqual(yield* Context.get(server, UpkeepStore).verify(ref), [])
        }
      }),
    180_000
  )
})
