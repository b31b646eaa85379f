/**
 * The uploads of a busy repository in 90 days, made up and seeded: two suites of 50,000 tests, 80 jobs of 1,250 that
 * run the more rarely the higher their number, and results that are as good and as bad as those of people.
 */
import { Instant, Report } from "@lazaret/domain"
import { seeded, sha } from "../histories.ts"

/** The repository with many tests. */
export const busy = { owner: "acme", repository: "monorepo" }

/** The tests of a suite, each with one result per upload. */
export const suiteTests = 50_000

const suites = 2
const jobs = 80
const jobTests = 1_250

/** The tests of the busy repository. */
export const identities = suites * suiteTests + jobs * jobTests

/** The executions of the short form, and the days over which they are spread. */
export const shortForm = 2_000_000
export const days = 90

const smallRepositories = 1_000
const smallTests = 200

/** A run of a job that is still to come. */
export interface Planned {
  readonly ref: { readonly owner: string; readonly repository: string }
  readonly job: string
  readonly tests: number
  readonly finishedAt: Instant.Instant
  readonly branch: string
  readonly number: number
}

/** The runs with about this number of executions until `end`, in the order in which they finish. */
export const plan = (executions: number, end: Instant.Instant): ReadonlyArray<Planned> => {
  const random = seeded(executions)
  const half = executions / 2
  const weights = Array.from({ length: jobs }, (_, rank) => (rank + 1) ** -0.7)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const ofSuites = Array.from({ length: suites }, (_, suite) =>
    spread(`suite ${suite}`, suiteTests, half / suites / suiteTests)
  )
  const ofJobs = weights.map((weight, job) => spread(`job ${job}`, jobTests, ((half / jobTests) * weight) / total))
  const start = end - days * Instant.day
  return [...ofSuites, ...ofJobs]
    .flat()
    .map(({ place, ...run }) => ({ ...run, finishedAt: Math.floor(start + place * (end - start)) }))
    .map((run, index) => ({ ...run, ref: busy, number: index, branch: branchOf(run.tests, random) }))
    .sort((a, b) => a.finishedAt - b.finishedAt)
}

/** One upload for each of many small repositories. */
export const planSmall = (end: Instant.Instant): ReadonlyArray<Planned> =>
  Array.from({ length: smallRepositories }, (_, index) => ({
    ref: { owner: "many", repository: `small-${index}` },
    job: "unit",
    tests: smallTests,
    finishedAt: end - (index % days) * Instant.day,
    branch: "main",
    number: index
  }))

/** The name of a test of the busy repository. */
export const testName = (job: string, index: number): string =>
  flat(
    `${areas[index % areas.length]}/src/${job.replace(" ", "-")}/module${index % 311}.test.ts > ${subjects[index % 7]} > keeps law ${index}`
  )

/**
 * A flat string, as parsers yield it: a concatenated string would be flattened by its first reader, inside the
 * measurement.
 */
const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1")

/** The time in which all runs are of one commit. */
export const perCommit = 4 * Instant.hour

/** The report of a run. */
export const report = (run: Planned): Report.Report => {
  const random = seeded(run.number * 7919 + run.tests)
  const commitSeed = Math.floor(run.finishedAt / perCommit) % 1_000_003
  const isBad = seeded(commitSeed)() < 0.015
  const length = Math.min(run.tests * 20, 20 * Instant.minute)
  const cases = Array.from({ length: run.tests }, (_, index) =>
    caseOf(run, index, {
      random,
      isBad,
      at: run.finishedAt - length + Math.floor((index * length) / run.tests)
    })
  )
  return Report.make({
    key: `${run.ref.repository} ${run.job} ${run.finishedAt} ${run.number}`,
    digest: `${run.number} ${run.finishedAt}`,
    receivedAt: run.finishedAt,
    finishedAt: run.finishedAt,
    run: {
      pipelineName: run.tests === suiteTests ? "Nightly" : "CI",
      jobName: run.job,
      branch: run.branch,
      baseBranch: run.branch === "main" ? null : "main",
      commit: sha(seeded(commitSeed)),
      runId: `${run.number}`,
      runAttempt: 1,
      jobUrl: `https://ci.example/acme/monorepo/runs/${run.number}`,
      framework: "vitest",
      frameworkVersion: "5.1.1",
      language: "javascript",
      pullRequest: null,
      pullNumber: null
    },
    cases
  })
}

interface Spread {
  readonly job: string
  readonly tests: number
  readonly place: number
}

/** At least one run, at even distances, none of them at the same moment as one of another job. */
const spread = (job: string, tests: number, runs: number): ReadonlyArray<Spread> => {
  const count = Math.max(1, Math.round(runs))
  const shift = seeded(job.length * 131 + count)()
  return Array.from({ length: count }, (_, index) => ({ job, tests, place: (index + shift) / count }))
}

/** Every fourth run of a job is one of a pull request. */
const branchOf = (tests: number, random: () => number): string =>
  tests === suiteTests || random() < 0.75 ? "main" : "feature"

interface Moment {
  readonly random: () => number
  readonly isBad: boolean
  readonly at: Instant.Instant
}

const caseOf = (run: Planned, index: number, { at, isBad, random }: Moment): Report.Case => {
  const failed = random() < failureRate(run, index) + (isBad && index % 20 === 0 ? 1 : 0)
  const flaky = !failed && isFlaky(index) && random() < 0.05
  const skipped = !failed && index % 97 === 5
  return {
    testName: testName(run.job, index),
    at,
    durationMs: skipped ? 0 : Math.floor(1_000_000 * random() ** 6) / 1000 + 0.2,
    conclusion: failed ? "failed" : skipped ? "skipped" : "passed",
    flaky,
    reruns: flaky ? 1 : 0,
    exception: failed ? exceptionOf(index) : null,
    filepath: flat(`${areas[index % areas.length]}/src/module${index % 311}.test.ts`),
    functionName: null
  }
}

/** Four in a hundred tests are flaky; of 200 one is broken for four days of each fortnight. */
const failureRate = ({ finishedAt }: Planned, index: number): number => {
  if (isFlaky(index)) return 0.05
  if (index % 200 !== 11) return 0.0005
  return (Math.floor(finishedAt / Instant.day) + index) % 14 < 4 ? 1 : 0
}

const isFlaky = (index: number): boolean => index % 25 === 3

const exceptionOf = (index: number) => ({
  type: exceptionTypes[index % exceptionTypes.length] ?? "Error",
  message: `expected ${index % 13} to equal ${index % 11}`,
  stacktrace: Array.from(
    { length: 6 },
    (_, line) => `    at keepsLaw${index} (module${index % 311}.ts:${line}:7)`
  ).join("\n")
})

const areas = ["packages/billing", "packages/webhook", "services/mail", "services/search", "apps/web", "apps/admin"]
const subjects = ["Invoice", "Delivery", "Index", "Session", "Account", "Report", "Queue"]
const exceptionTypes = ["AssertionError", "TypeError", "TimeoutError", "ConnectionError"]
