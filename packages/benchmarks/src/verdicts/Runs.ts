/** The job runs that the CI of a world reports. */
import { Instant } from "@lazaret/domain"
import { between, type Random, type State } from "./Life.ts"
import { fileOf, type Scenario, suiteOf } from "./Scenario.ts"
import type { JobRun, Outcome } from "./World.ts"

/** The sources of runs: chance, the chance of messages apart from it, and the truth. */
export interface Sources {
  readonly random: Random
  readonly signatures: Random
  readonly stateAt: (test: number, commit: number) => State
}

/** The time between two commits. */
export const gap = ({ commitsPerDay }: Scenario): number => Instant.day / commitsPerDay

/** The name of a commit of the main branch. */
export const shaOf = (commit: number): string => `main-${commit}`

/** The runs of the main branch: every job on every commit, and repetitions of jobs that failed. */
export const onMain = (scenario: Scenario, sources: Sources): ReadonlyArray<JobRun> => {
  const { random, stateAt } = sources
  const runs: Array<JobRun> = []
  let outage: Outage = { no: 0, hit: new Set(), until: -1 }
  for (let commit = 0; commit < scenario.days * scenario.commitsPerDay; commit++) {
    const suite = random() < scenario.partialShare ? part(scenario, random) : everyTest(scenario)
    outage = nextOutage(scenario, outage, commit, random)
    let jobs = Array.from({ length: scenario.jobs }, (_, job) => job)
    for (let attempt = 1; attempt <= 3 && jobs.length > 0; attempt++) {
      const isHit = commit <= outage.until && (attempt === 1 || (scenario.outages?.commits ?? 0) > 0)
      const round = jobs.map((job) => {
        const results = suite.map((inJob): Result => {
          const test = job * suiteOf(scenario) + inJob
          if (isHit && outage.hit.has(test)) {
            return { test, outcome: "failed", signature: signatureOf(test, `outage ${outage.no}`, sources) }
          }
          return resultOf(test, stateAt(test, commit), scenario, sources)
        })
        const at = (commit + (attempt - 1) * 0.2) * gap(scenario)
        return runOf(results, { at, commit: shaOf(commit), runId: `main-run-${commit}`, attempt, job })
      })
      runs.push(...round.map((run) => ({ ...run, together: round })))
      jobs = round
        .filter(({ outcomes }) => outcomes.includes("failed") && random() < scenario.repeatedShare)
        .map(({ job }) => job)
    }
  }
  return runs
}

/** The runs of pull requests: those of the first job. */
export const ofPulls = (scenario: Scenario, sources: Sources): ReadonlyArray<JobRun> => {
  const { pulls } = scenario
  const { random, stateAt } = sources
  if (pulls === null) return []
  const commits = scenario.days * scenario.commitsPerDay
  return Array.from({ length: Math.floor(pulls.perDay * scenario.days) }, (_, number) => {
    const start = random() * (commits - 2)
    const own = random() < pulls.breakingShare ? new Set([between(random, 0, suiteOf(scenario))]) : new Set<number>()
    const fork = random() < pulls.forkShare
    const runs: Array<JobRun> = []
    let base = Math.floor(start)
    let run = 1
    for (let attempt = 1; runs.length < 3; attempt++) {
      const results = everyTest(scenario).map((test) =>
        own.has(test)
          ? { test, outcome: "failed" as const, signature: `own ${test}` }
          : resultOf(test, stateAt(test, base), scenario, sources)
      )
      const at = (start + runs.length * 0.3) * gap(scenario)
      const made = runOf(results, { at, commit: `pull-${number}`, runId: `pull-run-${number}-${run}`, attempt, job: 0 })
      runs.push({ ...made, branch: `branch-${number}`, fork })
      if (!made.outcomes.includes("failed") || random() >= scenario.repeatedShare) break
      if (random() < pulls.movedBaseShare) {
        base = Math.min(commits - 1, base + 1)
        run += 1
        attempt = 0
      }
    }
    return runs
  }).flat()
}

interface Outage {
  readonly no: number
  readonly hit: ReadonlySet<number>
  readonly until: number
}

const nextOutage = (scenario: Scenario, last: Outage, commit: number, random: Random): Outage => {
  const { outages } = scenario
  if (commit <= last.until || outages === null || random() >= outages.perDay / scenario.commitsPerDay) return last
  const hit = everyTest(scenario).filter(() => random() < outages.share)
  const only = scenario.jobs > 1 && random() < outages.inOneJob ? between(random, 0, scenario.jobs) : null
  const jobs = Array.from({ length: scenario.jobs }, (_, job) => job).filter((job) => only === null || only === job)
  return {
    no: last.no + 1,
    hit: new Set(jobs.flatMap((job) => hit.map((test) => job * suiteOf(scenario) + test))),
    until: commit + Math.max(1, outages.commits) - 1
  }
}

interface Result {
  readonly test: number
  readonly outcome: Outcome
  readonly signature: string | null
}

/** The tests of one job. */
const everyTest = (scenario: Scenario): ReadonlyArray<number> =>
  Array.from({ length: suiteOf(scenario) }, (_, test) => test)

const part = (scenario: Scenario, random: Random): ReadonlyArray<number> => {
  const suite = suiteOf(scenario)
  const first = between(random, 0, suite)
  return everyTest(scenario).filter((test) => (test - first + suite) % suite < suite / 3)
}

const resultOf = (test: number, state: State, scenario: Scenario, sources: Sources): Result => {
  const outcome = outcomeOf(state.failureRate, scenario, sources.random)
  if (outcome === "passed") return { test, outcome, signature: null }
  const cause = state.breakNo === null ? null : `break ${state.breakNo}`
  return { test, outcome, signature: signatureOf(test, cause, sources) }
}

const outcomeOf = (failureRate: number, scenario: Scenario, random: Random): Outcome => {
  if (random() >= failureRate) return "passed"
  for (let attempt = 1; attempt < scenario.attempts; attempt++) if (random() >= failureRate) return "flaky"
  return "failed"
}

/**
 * The message of a failure: four in five tests that fail for one reason say the same, and one in ten failures without a
 * common reason is a timeout. Other messages are the test's own.
 */
const signatureOf = (test: number, cause: string | null, { signatures }: Sources): string => {
  const isCommon = signatures() < (cause === null ? 0.1 : 0.8)
  return isCommon ? (cause ?? "timeout") : `own ${fileOf(test)} ${test}`
}

const runOf = (
  results: ReadonlyArray<Result>,
  named: Pick<JobRun, "at" | "attempt" | "commit" | "job" | "runId">
): JobRun => ({
  ...named,
  branch: null,
  fork: false,
  tests: results.map(({ test }) => test),
  outcomes: results.map(({ outcome }) => outcome),
  signatures: results.map(({ signature }) => signature),
  together: []
})
