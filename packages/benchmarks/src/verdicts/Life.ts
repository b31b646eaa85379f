/** The truth about each test on each commit: healthy, flaky or broken, and the break that it belongs to. */
import type { HealthStatus } from "@lazaret/domain"
import { fileOf, type Kind, type MassBreak, type Scenario, suiteOf } from "./Scenario.ts"

/** A source of numbers from 0 to 1. */
export type Random = () => number

/** The truth of a test on a commit; `breakNo` is the break of several tests that it belongs to. */
export interface State {
  readonly status: HealthStatus.HealthStatus
  readonly failureRate: number
  readonly breakNo: number | null
}

/** Tests that one commit broke, and the commit that mended them. */
export interface Break {
  readonly from: number
  readonly until: number
  readonly tests: ReadonlySet<number>
}

/** The lives of all tests of a world. */
export interface Lives {
  readonly stateAt: (test: number, commit: number) => State
  /** The commit at which a test became flaky; null when it never did. */
  readonly flakyFrom: (test: number) => number | null
  readonly breaks: ReadonlyArray<Break>
}

/** Makes the lives of all tests. */
export const all = (scenario: Scenario, random: Random): Lives => {
  const lives = inJobs(scenario, livesOf(scenario, random), random)
  const breaks = [
    ...scenario.massBreaks.map((each) => massOf(each, scenario, random)),
    ...smallBreaks(scenario, random)
  ]
  return {
    breaks,
    flakyFrom: (test) => {
      const { failureRate, flakyFrom } = lives[test] ?? always
      return failureRate === 0 ? null : flakyFrom
    },
    stateAt: (test, commit) => {
      const breakNo = breaks.findIndex(({ from, tests, until }) => from <= commit && commit < until && tests.has(test))
      if (breakNo !== -1) return { ...brokenState, breakNo }
      const life = lives[test] ?? always
      if (life.brokenFrom <= commit && commit < life.brokenUntil) return brokenState
      return life.flakyFrom <= commit && commit < life.flakyUntil
        ? { status: "flaky", failureRate: life.failureRate, breakNo: null }
        : healthyState
    }
  }
}

/** A whole number from `from` on, below `until`. */
export const between = (random: Random, from: number, until: number): number =>
  Math.floor(from + random() * (until - from))

interface Life {
  readonly failureRate: number
  readonly flakyFrom: number
  readonly flakyUntil: number
  readonly brokenFrom: number
  readonly brokenUntil: number
}

const always: Life = { failureRate: 0, flakyFrom: 0, flakyUntil: 0, brokenFrom: 0, brokenUntil: 0 }
const healthyState: State = { status: "healthy", failureRate: 0, breakNo: null }
const brokenState: State = { status: "broken", failureRate: 1, breakNo: null }

/** From 1 to 50 %, each order of magnitude equally often: most flaky tests fail seldom. */
const flakeRate = (random: Random): number => 0.01 * 50 ** random()

const livesOf = (scenario: Scenario, random: Random): ReadonlyArray<Life> => {
  const commits = scenario.days * scenario.commitsPerDay
  const kinds = Object.entries(scenario.kinds).flatMap(([kind, share]) =>
    Array.from({ length: Math.round(share * suiteOf(scenario)) }, () => kind as Kind)
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

/** Half of the tests that are not healthy are so in every job, the others in one job alone. */
const inJobs = (scenario: Scenario, lives: ReadonlyArray<Life>, random: Random): ReadonlyArray<Life> => {
  if (scenario.jobs === 1) return lives
  const chosen = lives.map(() => (random() < 0.5 ? null : between(random, 0, scenario.jobs)))
  return Array.from({ length: scenario.tests }, (_, test) => {
    const inJob = test % suiteOf(scenario)
    const only = chosen[inJob] ?? null
    const isHere = only === null || only === Math.floor(test / suiteOf(scenario))
    return (isHere ? lives[inJob] : undefined) ?? always
  })
}

/** The same tests in every job, or in one. */
const spread = (scenario: Scenario, tests: ReadonlyArray<number>, inOneJob: number, random: Random): Set<number> => {
  if (scenario.jobs === 1) return new Set(tests)
  const only = random() < inOneJob ? between(random, 0, scenario.jobs) : null
  const jobs = Array.from({ length: scenario.jobs }, (_, job) => job).filter((job) => only === null || only === job)
  return new Set(jobs.flatMap((job) => tests.map((test) => job * suiteOf(scenario) + test)))
}

const massOf = ({ day, mendedAt, share }: MassBreak, scenario: Scenario, random: Random): Break => {
  const suite = suiteOf(scenario)
  const from = day * scenario.commitsPerDay
  // The tests of a kind come first, so the last tests are always healthy otherwise.
  const count = Math.round(share * suite)
  const first = suite - count - between(random, 0, suite * 0.1)
  const tests = Array.from({ length: count }, (_, index) => Math.max(0, first) + index)
  return {
    from,
    until: mendedAt === null ? Number.POSITIVE_INFINITY : from + mendedAt - 1,
    tests: spread(scenario, tests, 0, random)
  }
}

const smallBreaks = (scenario: Scenario, random: Random): ReadonlyArray<Break> => {
  const { smallBreaks: small } = scenario
  if (small === null) return []
  const suite = suiteOf(scenario)
  const healthy = Math.ceil(suite * 0.4)
  return Array.from({ length: Math.round(small.perDay * scenario.days) }, () => {
    const from = between(random, 1, scenario.days * scenario.commitsPerDay)
    const isAcross = random() < small.acrossFiles
    const count = between(random, 2, 5)
    const first = between(random, healthy, suite - 4)
    const sameFile = Array.from({ length: count }, (_, index) => fileOf(first) * 5 + index)
    const tests = isAcross ? sameFile.map(() => between(random, healthy, suite)) : sameFile
    return {
      from,
      until: from + between(random, 1, 6),
      tests: spread(
        scenario,
        [...new Set(tests)].filter((test) => test < suite),
        small.inOneJob,
        random
      )
    }
  })
}
