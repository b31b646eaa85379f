/**
 * Generates failing job runs of a repository, with the cause of every failure.
 *
 * The families (power laws, triangles, chains of two states) are the choice of this generator: grouping assumes no family. No parameter
 * of a repository is a number of the policy.
 */
import { type CauseFacts, Failure, Instant } from "@lazaret/domain"
import { random, type Random } from "../queue/Random.ts"

/** A generated repository: its failing job runs in order of time, and the cause of each failure by job run and test. */
export interface GeneratedCauses {
  readonly runs: ReadonlyArray<CauseFacts.FailedRun>
  readonly causes: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The seeds of repositories: those that numbers were chosen by, and those of the published table. */
export const seeds = {
  tune: Array.from({ length: 40 }, (_, index) => 1 + index),
  test: Array.from({ length: 40 }, (_, index) => 7001 + index)
} as const

/** The tests that a cause can hit, how often each of them fails with it, and the messages they fail with. */
interface Trouble {
  readonly id: string
  readonly rate: number
  readonly members: ReadonlyMap<string, number>
  readonly message: (test: string, draw: Random) => string
  /** The probability that the next job run of the same stream is hit again. */
  readonly again: number
  readonly from: number
  readonly until: number
  readonly branch: string | null
}

/** The repository of a seed, without stack traces. */
export const generate = (seed: number): GeneratedCauses => {
  const draw = random(seed * 6007 + 11)
  const shape = shapeOf(draw)
  const tests = suiteOf(draw, shape.tests)
  const troubles = troublesOf(draw, shape, tests)
  const outages = { share: 0.01 * draw(), tests }
  return execute(draw, shape, { troubles, outages })
}

/**
 * The same with stack traces: half of the causes fail at a place of their own in four of five failures, a quarter at a place where
 * strangers fail as well (a helper that waits), and the rest without a frame of own code. Outages fail at one place.
 */
export const generateWithFrames = (seed: number): GeneratedCauses => {
  const { causes, runs } = generate(seed)
  const draw = random(seed * 7307 + 5)
  const places = new Map<string, string | null>()
  const placeOf = (cause: string): string | null => {
    const kind = draw()
    const own = cause.startsWith("outage") ? "store/pool.ts:open" : `src/${cause.replace(" ", "")}.ts:call`
    const place = places.get(cause) ?? (kind < 0.5 ? own : kind < 0.75 ? "support/wait.ts:until" : null)
    places.set(cause, place)
    return draw() < 0.8 ? place : null
  }
  const framed = runs.map((run) => ({
    ...run,
    failed: run.failed.map((each) => ({ ...each, frame: placeOf(causes.get(run.key)?.get(each.testName) ?? "") }))
  }))
  return { causes, runs: framed }
}

interface Shape {
  readonly tests: number
  readonly runs: number
  readonly jobs: number
  readonly generic: number
  readonly branches: number
}

const shapeOf = (draw: Random): Shape => ({
  tests: powerOf(draw, { least: 150, most: 3000, exponent: 1.3 }),
  runs: powerOf(draw, { least: 150, most: 2000, exponent: 1.2 }),
  jobs: 1 + Math.floor(5 * draw() * draw()),
  generic: 0.1 + 0.4 * draw(),
  branches: 3 + Math.floor(10 * draw())
})

/** A whole number of a power law between two bounds. */
const powerOf = (
  draw: Random,
  { exponent, least, most }: { readonly least: number; readonly most: number; readonly exponent: number }
): number => {
  const power = 1 - exponent
  return Math.floor((least ** power + draw() * (most ** power - least ** power)) ** (1 / power))
}

/** A number from 0 to 1 of a triangle with its top at `top`. */
const triangle = (draw: Random, top: number): number => {
  const at = draw()
  return at < top ? Math.sqrt(at * top) : 1 - Math.sqrt((1 - at) * (1 - top))
}

const areas = ["api", "core", "net", "store", "ui", "jobs", "auth", "queue"]

const suiteOf = (draw: Random, count: number): ReadonlyArray<string> => {
  const tests: Array<string> = []
  for (let file = 0; tests.length < count; file++) {
    const area = areas[Math.floor(areas.length * draw())] ?? "core"
    const size = powerOf(draw, { least: 2, most: 60, exponent: 1.5 })
    const name = draw() < 0.5 ? `tests/${area}/file${file}.spec` : `tests/${area}/deep${file % 5}/file${file}.spec`
    for (let index = 0; index < size && tests.length < count; index++) tests.push(`${name} > case ${index}`)
  }
  return tests
}

const generics = [
  "TimeoutError: timed out waiting for condition",
  "AssertionError",
  "Error: socket hang up",
  "expected true to be false"
]

const troublesOf = (draw: Random, shape: Shape, tests: ReadonlyArray<string>): ReadonlyArray<Trouble> => {
  const shared = Array.from({ length: powerOf(draw, { least: 3, most: 40, exponent: 1.2 }) }, (_, index) =>
    sharedTrouble(draw, shape, { tests, id: `shared ${index}` })
  )
  const alone = Array.from({ length: powerOf(draw, { least: 5, most: 100, exponent: 1.2 }) }, (_, index) =>
    loneTrouble(draw, shape, { tests, id: `alone ${index}` })
  )
  const breaks = Array.from({ length: powerOf(draw, { least: 2, most: 30, exponent: 1.2 }) }, (_, index) =>
    breakTrouble(draw, shape, { tests, id: `break ${index}` })
  )
  return [...shared, ...alone, ...breaks]
}

interface Named {
  readonly tests: ReadonlyArray<string>
  readonly id: string
}

const sharedTrouble = (draw: Random, shape: Shape, { id, tests }: Named): Trouble => {
  const size = powerOf(draw, { least: 2, most: 60, exponent: 2 })
  const isNear = draw() < 0.6
  const members = isNear ? neighbours(draw, tests, size) : some(draw, tests, size)
  const top = 0.4 + 0.6 * draw()
  return {
    id,
    rate: powerOf(draw, { least: 20, most: 1000, exponent: 1.1 }) / 10_000,
    members: new Map(members.map((test) => [test, Math.max(0.15, triangle(draw, top))])),
    message: messageOf(draw, shape, id),
    again: draw() < 0.3 ? 0.5 * draw() : 0,
    ...life(draw, shape.runs),
    branch: null
  }
}

const loneTrouble = (draw: Random, shape: Shape, { id, tests }: Named): Trouble => ({
  id,
  rate: powerOf(draw, { least: 10, most: 1500, exponent: 1.4 }) / 10_000,
  members: new Map(some(draw, tests, 1).map((test) => [test, 1])),
  message: messageOf(draw, shape, id),
  again: draw() < 0.2 ? 0.5 * draw() : 0,
  ...life(draw, shape.runs),
  branch: null
})

/** Tests that a commit broke: they fail in every job run until the break is mended. */
const breakTrouble = (draw: Random, shape: Shape, { id, tests }: Named): Trouble => {
  const members = neighbours(draw, tests, powerOf(draw, { least: 1, most: 40, exponent: 1.8 }))
  const from = Math.floor(shape.runs * draw())
  const isOnMain = draw() < 0.4
  return {
    id,
    rate: 1,
    members: new Map(members.map((test) => [test, 1])),
    message: messageOf(draw, shape, id),
    again: 1,
    from,
    until: from + powerOf(draw, { least: 1, most: 60, exponent: 1.6 }),
    branch: isOnMain ? null : `topic-${Math.floor(shape.branches * draw())}`
  }
}

const life = (draw: Random, runs: number): Pick<Trouble, "from" | "until"> => {
  const kind = draw()
  if (kind < 0.6) return { from: 0, until: runs }
  return kind < 0.8 ? { from: Math.floor(runs * draw()), until: runs } : { from: 0, until: Math.floor(runs * draw()) }
}

const neighbours = (draw: Random, tests: ReadonlyArray<string>, size: number): ReadonlyArray<string> => {
  const start = Math.floor(Math.max(1, tests.length - size) * draw())
  return tests.slice(start, start + size)
}

const some = (draw: Random, tests: ReadonlyArray<string>, size: number): ReadonlyArray<string> => [
  ...new Set(Array.from({ length: size }, () => tests[Math.floor(tests.length * draw())] ?? ""))
]

/** A message of the cause, one of each test, or one that strangers use as well. */
const messageOf = (draw: Random, { generic }: Shape, id: string): Trouble["message"] => {
  const kind = draw()
  const shared = generics[Math.floor(generics.length * draw())] ?? ""
  if (kind < generic) return () => shared
  if (kind < generic + 0.2) return (test, again) => (again() < 0.7 ? `cannot finish ${test.split(" ")[0]}` : shared)
  return (_test, again) => `${id} is not available after ${Math.floor(1000 * again())} ms`
}

interface Script {
  readonly troubles: ReadonlyArray<Trouble>
  readonly outages: { readonly share: number; readonly tests: ReadonlyArray<string> }
}

const execute = (draw: Random, shape: Shape, { outages, troubles }: Script): GeneratedCauses => {
  const runs: Array<CauseFacts.FailedRun> = []
  const causes = new Map<string, ReadonlyMap<string, string>>()
  const ordinals = new Map<string, number>()
  const active = new Map<string, ReadonlySet<Trouble>>()
  for (let index = 0; index < shape.runs; index++) {
    const branch = draw() < 0.5 ? "main" : `topic-${Math.floor(shape.branches * draw())}`
    const jobName = `job-${Math.floor(shape.jobs * draw())}`
    const stream = `${jobName} ${branch}`
    const ordinal = (ordinals.get(stream) ?? 0) + 1
    ordinals.set(stream, ordinal)
    const hit = troubles.filter((trouble) => hits(draw, trouble, { index, branch, before: active.get(stream) }))
    active.set(stream, new Set(hit))
    const failed = failuresOf(draw, hit)
    const isOutage = draw() < outages.share
    if (isOutage) {
      const share = 0.2 + 0.7 * draw()
      for (const test of outages.tests) {
        if (draw() < share)
          failed.set(test, { cause: `outage ${index}`, message: "connect ECONNREFUSED 10.0.0.1:5432" })
      }
    }
    if (failed.size === 0) continue
    const key = `run ${index}`
    causes.set(key, new Map([...failed].map(([test, { cause }]) => [test, cause])))
    runs.push({
      key,
      at: Date.UTC(2026, 0, 5) + Math.round((index / shape.runs) * 120 * Instant.day),
      pipelineName: "ci",
      jobName,
      branch,
      commit: key,
      ordinal,
      isOnDefault: branch === "main",
      isExcused: isOutage,
      failed: [...failed].map(([testName, { message }]) => ({
        testName,
        signature: Failure.signatureOf({ type: null, message, stacktrace: null }),
        frame: null
      }))
    })
  }
  return { runs, causes }
}

interface Moment {
  readonly index: number
  readonly branch: string
  readonly before: ReadonlySet<Trouble> | undefined
}

const hits = (draw: Random, trouble: Trouble, { before, branch, index }: Moment): boolean => {
  if (index < trouble.from || index >= trouble.until) return false
  if (trouble.branch !== null && trouble.branch !== branch) return false
  return draw() < (before?.has(trouble) === true ? Math.max(trouble.rate, trouble.again) : trouble.rate)
}

const failuresOf = (
  draw: Random,
  hit: ReadonlyArray<Trouble>
): Map<string, { readonly cause: string; readonly message: string }> => {
  const failed = new Map<string, { readonly cause: string; readonly message: string }>()
  for (const trouble of hit) {
    for (const [test, probability] of trouble.members) {
      if (draw() < probability) failed.set(test, { cause: trouble.id, message: trouble.message(test, draw) })
    }
  }
  return failed
}

/**
 * The cause of each test with at least `least` failing job runs that are no outage: the one that most of its failures have, a row of
 * failures of a break counted once.
 */
export const truthOf = ({ causes, runs }: GeneratedCauses, least: number): ReadonlyMap<string, string> => {
  const counts = new Map<string, Map<string, Set<string>>>()
  for (const { branch, isExcused, jobName, key } of runs) {
    if (isExcused) continue
    for (const [test, cause] of causes.get(key) ?? []) {
      const ofTest = counts.get(test) ?? new Map<string, Set<string>>()
      ofTest.set(
        cause,
        (ofTest.get(cause) ?? new Set()).add(cause.startsWith("break") ? `${jobName} ${branch ?? ""}` : key)
      )
      counts.set(test, ofTest)
    }
  }
  const truth = new Map<string, string>()
  for (const [test, ofTest] of counts) {
    const sorted = [...ofTest].sort(([a, x], [b, y]) => y.size - x.size || (a < b ? -1 : 1))
    const failures = sorted.reduce((sum, [, where]) => sum + where.size, 0)
    if (failures >= least) truth.set(test, sorted[0]?.[0] ?? "")
  }
  return truth
}
