/** The scenarios of the simulation, in groups that answer one question each. */
import type { Scenario } from "./Scenario.ts"

/** Scenarios that belong together. */
export interface Group {
  readonly name: string
  readonly scenarios: ReadonlyArray<Scenario>
  readonly seeds: number
}

const base: Scenario = {
  name: "base",
  tests: 100,
  jobs: 1,
  days: 42,
  commitsPerDay: 10,
  repeatedShare: 0.3,
  attempts: 1,
  kinds: {
    broken: 0.02,
    mended: 0.03,
    brokenOnce: 0.03,
    flaky: 0.05,
    flakyMended: 0.03,
    becomesFlaky: 0.03,
    flakyBroken: 0.02
  },
  partialShare: 0,
  outages: null,
  massBreaks: [],
  smallBreaks: null,
  pulls: null
}

const small = { broken: 0.1, mended: 0.1, flaky: 0.2, flakyMended: 0.1 }

const sized = (tests: number): Scenario => ({ ...base, tests, kinds: tests < 50 ? small : base.kinds })

const outagesIn = (tests: number): ReadonlyArray<Scenario> =>
  [0.1, 0.2, 0.4, 0.8].flatMap((share) =>
    [0, 1, 3].map((commits) => ({
      ...sized(tests),
      name: `${share * 100} % of ${tests}, ${commits === 0 ? "one run" : `${commits} commits`}`,
      outages: { perDay: 0.15, share, commits, inOneJob: 0 }
    }))
  )

/** Outages that are too small for the landed rule, next to breaks of as many tests. */
const smallOutages: ReadonlyArray<Scenario> = [0.02, 0.03].flatMap((share) =>
  [0, 1].map((commits) => ({
    ...base,
    outages: { perDay: 0.15, share, commits, inOneJob: 0 },
    smallBreaks: { perDay: 0.15, acrossFiles: 0.3, inOneJob: 0 }
  }))
)

/** Four sibling jobs of 50 tests. */
const siblings: Scenario = { ...base, tests: 200, jobs: 4 }

const outagesOfSiblings = (inOneJob: number): ReadonlyArray<Scenario> =>
  [0.04, 0.2, 0.8].flatMap((share) =>
    [0, 1, 3].map((commits) => ({
      ...siblings,
      outages: { perDay: 0.15, share, commits, inOneJob },
      smallBreaks: { perDay: 0.15, acrossFiles: 0.3, inOneJob: 0.3 }
    }))
  )

const pulls = { perDay: 10, breakingShare: 0.3, forkShare: 0.2, movedBaseShare: 0.4 }

/** Every group. Suites of 1,000 tests are made once, smaller ones several times. */
export const groups: ReadonlyArray<Group> = [
  { name: "no outage", seeds: 6, scenarios: [sized(10), base, sized(1000)] },
  { name: "outages, 10 tests", seeds: 6, scenarios: outagesIn(10) },
  { name: "outages, 100 tests", seeds: 3, scenarios: outagesIn(100) },
  { name: "outages, 1,000 tests", seeds: 1, scenarios: outagesIn(1000) },
  { name: "small outages and small breaks", seeds: 4, scenarios: smallOutages },
  { name: "4 sibling jobs, outages in one", seeds: 2, scenarios: outagesOfSiblings(1) },
  { name: "4 sibling jobs, outages in all", seeds: 2, scenarios: outagesOfSiblings(0) },
  {
    name: "4 sibling jobs, mass breaks",
    seeds: 3,
    scenarios: [2, 3, 4, null].map((mendedAt) => ({
      ...siblings,
      massBreaks: [{ day: 20, share: 0.3, mendedAt }]
    }))
  },
  {
    name: "reruns 0, 50, 90 %",
    seeds: 4,
    scenarios: [0, 0.5, 0.9].map((repeatedShare) => ({ ...base, repeatedShare }))
  },
  { name: "1 and 60 runs a day", seeds: 3, scenarios: [1, 60].map((commitsPerDay) => ({ ...base, commitsPerDay })) },
  { name: "retries in the job", seeds: 4, scenarios: [{ ...base, attempts: 3 }] },
  {
    name: "30 % flaky",
    seeds: 4,
    scenarios: [20, 60, 200].map((tests) => ({ ...base, tests, kinds: { ...base.kinds, flaky: 0.3 } }))
  },
  { name: "part of the suite", seeds: 4, scenarios: [{ ...base, partialShare: 0.5 }] },
  {
    name: "mass breaks of 30 %",
    seeds: 3,
    scenarios: [2, 3, 4, 5, 6, null].map((mendedAt) => ({
      ...base,
      name: `mended at ${mendedAt ?? "no"} commit`,
      massBreaks: [{ day: 20, share: 0.3, mendedAt }]
    }))
  },
  {
    name: "two mass breaks in 14 days",
    seeds: 3,
    scenarios: [{ ...base, massBreaks: [20, 27].map((day) => ({ day, share: 0.3, mendedAt: 4 })) }]
  },
  {
    name: "pull requests and forks",
    seeds: 4,
    scenarios: [
      { ...base, repeatedShare: 0.5, pulls },
      { ...base, commitsPerDay: 2, repeatedShare: 0.5, pulls }
    ]
  }
]
