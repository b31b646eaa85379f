/**
 * A made-up suite whose truth is known: which tests are healthy, flaky or broken on each commit of the main branch, and the
 * job runs that its CI would report.
 *
 * Truth changes only at commits. A broken test always fails, a flaky one fails by chance, a healthy one passes. An outage makes
 * tests fail in a job run without changing their truth.
 */
import { type HealthStatus, Instant } from "@lazaret/domain"
import { seeded } from "../histories.ts"

/** The numbers that a world is made from. Shares are from 0 to 1. */
export interface Scenario {
  readonly name: string
  readonly tests: number
  readonly days: number
  readonly commitsPerDay: number
  /** The share of failed job runs that are repeated on their commit. */
  readonly repeatedShare: number
  /** How often a job repeats a failed test. */
  readonly attempts: number
  /** The share of tests of each kind; the rest is always healthy. */
  readonly kinds: Readonly<Partial<Record<Kind, number>>>
  /** The share of job runs that run a third of the suite. */
  readonly partialShare: number
  readonly outages: Outages | null
  readonly massBreaks: ReadonlyArray<MassBreak>
  readonly pulls: Pulls | null
}

/** How the truth of a test changes. */
export type Kind = "broken" | "mended" | "brokenOnce" | "flaky" | "flakyMended" | "becomesFlaky" | "flakyBroken"

/** Outages: one begins on a day with this chance, hits this share of the suite and lasts this many commits. */
export interface Outages {
  readonly perDay: number
  readonly share: number
  /** Zero: only one job run, so that a repetition on the same commit passes. */
  readonly commits: number
}

/** A real break of a share of the suite on a day; `mendedAt` counts commits from the breaking one, null for never. */
export interface MassBreak {
  readonly day: number
  readonly share: number
  readonly mendedAt: number | null
}

/** Pull requests: how many a day, how many of them break tests of their own, how many come from forks. */
export interface Pulls {
  readonly perDay: number
  readonly breakingShare: number
  readonly forkShare: number
  /** The share of repetitions that run on a newer base, as another run. */
  readonly movedBaseShare: number
}

/** The results of one job run. `outcomes[i]` belongs to `tests[i]`. */
export interface JobRun {
  readonly at: Instant.Instant
  readonly commit: string
  /** The branch of a pull request; null on the main branch. */
  readonly branch: string | null
  readonly fork: boolean
  readonly runId: string
  readonly attempt: number
  readonly tests: ReadonlyArray<number>
  readonly outcomes: ReadonlyArray<Outcome>
}

/** The outcome of one test in a job run; `flaky` failed and passed inside the job. */
export type Outcome = "passed" | "failed" | "flaky"

/** A world: its job runs in the order of time, and the truth of each test at the end of each day. */
export interface World {
  readonly scenario: Scenario
  readonly runs: ReadonlyArray<JobRun>
  readonly truth: (test: number, at: Instant.Instant) => HealthStatus.HealthStatus
  /** The first commit, as an instant, at which a test became flaky; null when it never did. */
  readonly flakySince: (test: number) => Instant.Instant | null
  /** The tests that a mass break broke, with the commits of the main branch from the breaking one on. */
  readonly broken: ReadonlyArray<{ readonly test: number; readonly commits: ReadonlyArray<string> }>
}

interface Life {
  readonly failureRate: number
  readonly flakyFrom: number
  readonly flakyUntil: number
  readonly brokenFrom: number
  readonly brokenUntil: number
}

/** Makes the world of a scenario; the same seed makes the same world. */
export const make = (scenario: Scenario, seed: number): World => {
  const random = seeded(seed)
  const commits = scenario.days * scenario.commitsPerDay
  const lives = livesOf(scenario, commits, random)
  const masses = scenario.massBreaks.map((each) => massOf(each, scenario, random))
  const stateAt = (test: number, commit: number): State => {
    const life = lives[test] ?? always
    const mass = masses.some(({ from, tests, until }) => from <= commit && commit < until && tests.has(test))
    if (mass || (life.brokenFrom <= commit && commit < life.brokenUntil)) return brokenState
    return life.flakyFrom <= commit && commit < life.flakyUntil
      ? { status: "flaky", failureRate: life.failureRate }
      : healthyState
  }
  const runs = [...mainRuns(scenario, stateAt, random), ...pullRuns(scenario, stateAt, random)]
  const indexAt = (at: Instant.Instant) => Math.min(commits - 1, Math.floor(at / gap(scenario)))
  return {
    scenario,
    runs: runs.sort((a, b) => a.at - b.at),
    truth: (test, at) => stateAt(test, indexAt(at)).status,
    flakySince: (test) => {
      const { failureRate, flakyFrom } = lives[test] ?? always
      return failureRate === 0 ? null : flakyFrom * gap(scenario)
    },
    broken: masses.flatMap(({ from, tests, until }) =>
      [...tests].map((test) => ({
        test,
        commits: Array.from({ length: Math.min(until, commits) - from }, (_, index) => shaOf(from + index))
      }))
    )
  }
}

interface State {
  readonly status: HealthStatus.HealthStatus
  readonly failureRate: number
}

const always: Life = { failureRate: 0, flakyFrom: 0, flakyUntil: 0, brokenFrom: 0, brokenUntil: 0 }
const healthyState: State = { status: "healthy", failureRate: 0 }
const brokenState: State = { status: "broken", failureRate: 1 }

const gap = ({ commitsPerDay }: Scenario): number => Instant.day / commitsPerDay

const shaOf = (commit: number): string => `main-${commit}`

type Random = () => number

/** From 1 to 50 %, each order of magnitude equally often: most flaky tests fail seldom. */
const flakeRate = (random: Random): number => 0.01 * 50 ** random()

const between = (random: Random, from: number, until: number): number => Math.floor(from + random() * (until - from))

const livesOf = (scenario: Scenario, commits: number, random: Random): ReadonlyArray<Life> => {
  const kinds = Object.entries(scenario.kinds).flatMap(([kind, share]) =>
    Array.from({ length: Math.round(share * scenario.tests) }, () => kind as Kind)
  )
  const middle = () => between(random, commits * 0.3, commits * 0.6)
  const lifeOf: { readonly [K in Kind]: () => Partial<Life> } = {
    broken: () => ({ brokenFrom: middle(), brokenUntil: commits }),
    mended: () => {
      const from = middle()
      return { brokenFrom: from, brokenUntil: from + between(random, 2, scenario.commitsPerDay * 4) }
    },
    brokenOnce: () => {
      const from = middle()
      return { brokenFrom: from, brokenUntil: from + 1 }
    },
    flaky: () => ({ failureRate: flakeRate(random), flakyUntil: commits }),
    flakyMended: () => ({ failureRate: flakeRate(random), flakyUntil: middle() }),
    becomesFlaky: () => ({ failureRate: flakeRate(random), flakyFrom: middle(), flakyUntil: commits }),
    flakyBroken: () => {
      const from = middle()
      return { failureRate: flakeRate(random), flakyUntil: from, brokenFrom: from, brokenUntil: commits }
    }
  }
  return kinds.map((kind) => ({ ...always, ...lifeOf[kind]() }))
}

const massOf = ({ day, mendedAt, share }: MassBreak, scenario: Scenario, random: Random) => {
  const from = day * scenario.commitsPerDay
  // The tests of a kind come first, so the last tests are always healthy otherwise.
  const count = Math.round(share * scenario.tests)
  const first = scenario.tests - count - between(random, 0, scenario.tests * 0.1)
  return {
    from,
    until: mendedAt === null ? Number.POSITIVE_INFINITY : from + mendedAt - 1,
    tests: new Set(Array.from({ length: count }, (_, index) => Math.max(0, first) + index))
  }
}

type StateAt = (test: number, commit: number) => State

const everyTest = (scenario: Scenario): ReadonlyArray<number> =>
  Array.from({ length: scenario.tests }, (_, test) => test)

const part = (scenario: Scenario, random: Random): ReadonlyArray<number> => {
  const first = between(random, 0, scenario.tests)
  return everyTest(scenario).filter((test) => (test - first + scenario.tests) % scenario.tests < scenario.tests / 3)
}

const outcomeOf = (failureRate: number, scenario: Scenario, random: Random): Outcome => {
  if (random() >= failureRate) return "passed"
  for (let attempt = 1; attempt < scenario.attempts; attempt++) if (random() >= failureRate) return "flaky"
  return "failed"
}

const mainRuns = (scenario: Scenario, stateAt: StateAt, random: Random): ReadonlyArray<JobRun> => {
  const runs: Array<JobRun> = []
  let outage = { hit: new Set<number>(), until: -1 }
  for (let commit = 0; commit < scenario.days * scenario.commitsPerDay; commit++) {
    const tests = random() < scenario.partialShare ? part(scenario, random) : everyTest(scenario)
    if (
      commit > outage.until &&
      scenario.outages !== null &&
      random() < scenario.outages.perDay / scenario.commitsPerDay
    ) {
      const { commits, share } = scenario.outages
      outage = {
        hit: new Set(everyTest(scenario).filter(() => random() < share)),
        until: commit + Math.max(1, commits) - 1
      }
    }
    const isOut = commit <= outage.until
    for (let attempt = 1; attempt <= 3; attempt++) {
      const isHit = isOut && (attempt === 1 || (scenario.outages?.commits ?? 0) > 0)
      const outcomes = tests.map((test): Outcome =>
        isHit && outage.hit.has(test) ? "failed" : outcomeOf(stateAt(test, commit).failureRate, scenario, random)
      )
      runs.push({
        at: (commit + (attempt - 1) * 0.2) * gap(scenario),
        commit: shaOf(commit),
        branch: null,
        fork: false,
        runId: `main-run-${commit}`,
        attempt,
        tests,
        outcomes
      })
      if (!outcomes.includes("failed") || random() >= scenario.repeatedShare) break
    }
  }
  return runs
}

const pullRuns = (scenario: Scenario, stateAt: StateAt, random: Random): ReadonlyArray<JobRun> => {
  const { pulls } = scenario
  if (pulls === null) return []
  const commits = scenario.days * scenario.commitsPerDay
  return Array.from({ length: Math.floor(pulls.perDay * scenario.days) }, (_, number) => {
    const start = random() * (commits - 2)
    const own = random() < pulls.breakingShare ? new Set([between(random, 0, scenario.tests)]) : new Set<number>()
    const fork = random() < pulls.forkShare
    const runs: Array<JobRun> = []
    let base = Math.floor(start)
    let run = 1
    for (let attempt = 1; runs.length < 3; attempt++) {
      const outcomes = everyTest(scenario).map((test) =>
        own.has(test) ? ("failed" as const) : outcomeOf(stateAt(test, base).failureRate, scenario, random)
      )
      runs.push({
        at: (start + runs.length * 0.3) * gap(scenario),
        commit: `pull-${number}`,
        branch: `branch-${number}`,
        fork,
        runId: `pull-run-${number}-${run}`,
        attempt,
        tests: everyTest(scenario),
        outcomes
      })
      if (!outcomes.includes("failed") || random() >= scenario.repeatedShare) break
      if (random() < pulls.movedBaseShare) {
        base = Math.min(commits - 1, base + 1)
        run += 1
        attempt = 0
      }
    }
    return runs
  }).flat()
}
