/** Generates the job runs of a repository, with the cause of every failure. */
import { Instant } from "@lazaret/domain"
import { random, type Random } from "../queue/Random.ts"
import * as Break from "./Break.ts"
import { logNormal, pick, sample } from "./Draw.ts"
import { type Code, execute, type Results, type Surroundings } from "./Execute.ts"
import type { Regime } from "./Regime.ts"
import * as Suite from "./Suite.ts"
import * as Trouble from "./Trouble.ts"

/** A run of the pipeline; `own` are the breaks that its pull request or commit brought. */
export interface Run {
  readonly id: string
  readonly commit: string
  readonly branch: string
  readonly base: string | null
  readonly code: Code
  readonly own: ReadonlyArray<Break.Break>
}

/** The report of one job run; `isLast` is whether it is the last of its attempt to arrive. */
export interface JobRun extends Results {
  readonly run: Run
  readonly attempt: number
  readonly job: string
  readonly finishedAt: Instant.Instant
  readonly receivedAt: Instant.Instant
  isLast: boolean
}

/** A pull request that is open. */
interface Pull {
  readonly number: number
  readonly branch: string
  readonly base: Code
  readonly isStale: boolean
  readonly added: ReadonlyArray<Suite.Test>
  readonly renamed: ReadonlyMap<Suite.Test, Suite.Test>
  breaks: ReadonlyArray<Break.Break>
  left: number
}

interface World extends Surroundings {
  readonly draw: Random
  readonly hours: number
  /** Hours between runs, and those that a job usually takes. */
  readonly gap: number
  readonly usual: ReadonlyArray<number>
  readonly agenda: Array<{ readonly hour: number; readonly act: (hour: number) => void }>
  readonly found: Array<JobRun>
  main: Code
  head: string
  runs: number
  names: number
}

const epoch = Date.UTC(2025, 0, 6)

/** Every job run of a repository of a regime, in the order of arrival; `replica` is which of the repositories. */
export const generate = (regime: Regime, replica: number): ReadonlyArray<JobRun> => {
  const world = worldOf(random(regime.seed * 104_729 + replica * 31), regime)
  direct(world)(0)
  openPull(world)(world.gap * world.draw())
  while (world.runs < regime.runs) {
    const next = world.agenda.shift()
    if (next === undefined || next.hour > world.hours * 3) break
    next.act(next.hour)
  }
  return inOrder(world.found)
}

const worldOf = (draw: Random, regime: Regime): World => {
  const hours = regime.days * 24
  const gap = hours / regime.runs
  const suite = Suite.make(draw, regime, hours)
  const red = Array.from({ length: regime.breaks.alwaysRed }, () =>
    Break.make(
      draw,
      { ...regime, breaks: { ...regime.breaks, sizeSigma: 0.3, wholeFile: 0, intermittent: 0 } },
      {
        origin: "before",
        tests: suite.tests,
        fresh: []
      }
    )
  )
  return {
    draw,
    regime,
    suite,
    hours,
    gap,
    usual: Array.from({ length: regime.jobs }, () => Math.min(gap * 0.6, logNormal(draw, 0.25, 0.7))),
    troubles: [
      ...Trouble.dependencies(draw, regime, suite.tests, { hours, gap: gap * 2.5 }),
      ...Trouble.outages(draw, regime, { hours, gap })
    ],
    agenda: [],
    found: [],
    main: { tests: suite.tests, breaks: red },
    head: "m0",
    runs: 0,
    names: 0
  }
}

const later = (world: World, hour: number, act: (hour: number) => void): void => {
  const index = world.agenda.findLastIndex((other) => other.hour <= hour)
  world.agenda.splice(index + 1, 0, { hour, act })
}

const newName = (world: World, prefix: string): string => `${prefix}${++world.names}`

/** Someone pushes to main, or its head runs once more. */
const direct =
  (world: World) =>
  (hour: number): void => {
    const { draw, gap, regime } = world
    later(world, hour + logNormal(draw, (gap / Math.max(0.05, regime.directShare)) * 0.6, 1), direct(world))
    if (hour > 0 && draw() < 0.2) return begin(world, hour, { ...mainRun(world, []), commit: world.head })
    const commit = newName(world, "m")
    const own =
      hour > 0 && draw() < regime.breaks.onMain
        ? [Break.make(draw, regime, { origin: commit, tests: world.main.tests, fresh: [] })]
        : []
    toMain(world, hour, { commit, own, tests: world.main.tests })
  }

interface Landing {
  readonly commit: string
  readonly own: ReadonlyArray<Break.Break>
  readonly tests: ReadonlyArray<Suite.Test>
}

const toMain = (world: World, hour: number, { commit, own, tests }: Landing): void => {
  const { draw, gap, regime } = world
  world.head = commit
  world.main = { tests, breaks: [...world.main.breaks, ...own] }
  for (const each of own) {
    later(world, hour + gap * 2.5 * logNormal(draw, regime.breaks.commitsOnMain, 0.8), (at) => {
      world.main = { ...world.main, breaks: world.main.breaks.filter((other) => other !== each) }
      toMain(world, at, { commit: newName(world, "m"), own: [], tests: world.main.tests })
    })
  }
  begin(world, hour, mainRun(world, own))
}

const mainRun = (world: World, own: ReadonlyArray<Break.Break>): Run => ({
  id: newName(world, "r"),
  commit: world.head,
  branch: "main",
  base: null,
  code: world.main,
  own
})

const openPull =
  (world: World) =>
  (hour: number): void => {
    const { draw, gap, regime } = world
    later(world, hour + logNormal(draw, gap * 1.6, 1.2), openPull(world))
    const number = ++world.names
    const isFork = draw() < regime.changes.forks
    const pull: Pull = {
      number,
      branch: `${isFork ? `user${number % 7}:` : ""}topic-${number}`,
      base: world.main,
      isStale: draw() < regime.changes.staleBase,
      added: draw() < regime.changes.added ? addedBy(world, number) : [],
      renamed: new Map(
        draw() < regime.changes.renamed
          ? sample(draw, world.main.tests, Math.ceil(logNormal(draw, 1.5, 0.8))).map((test) => [
              test,
              Suite.renamed(test, `(${number})`)
            ])
          : []
      ),
      breaks: [],
      left: Math.min(12, Math.max(1, Math.round(logNormal(draw, 1.9, 0.7))))
    }
    push(world, pull)(hour)
  }

const addedBy = (world: World, number: number): ReadonlyArray<Suite.Test> => {
  const { draw, hours, regime, suite } = world
  const file = pick(draw, suite.files)
  const count = Math.min(40, Math.max(1, Math.round(logNormal(draw, 2, 0.8))))
  return Array.from({ length: count }, (_, index) =>
    Suite.testOf(draw, regime, file, { index: number * 1000 + index, hours })
  )
}

const testsOf = ({ tests }: Code, { added, renamed }: Pull): ReadonlyArray<Suite.Test> =>
  added.length + renamed.size === 0 ? tests : [...tests.map((test) => renamed.get(test) ?? test), ...added]

/** A push to a pull request: it may bring a break, or mend the one before. */
const push =
  (world: World, pull: Pull) =>
  (hour: number): void => {
    const { draw, gap, regime } = world
    const commit = newName(world, "p")
    const base = pull.isStale ? pull.base : world.main
    const tests = testsOf(base, pull)
    if (pull.breaks.length > 0) {
      if (draw() < 0.6) pull.breaks = []
    } else if (draw() < regime.breaks.perPush) {
      pull.breaks = [
        Break.make(draw, regime, { origin: commit, tests, fresh: [...pull.added, ...pull.renamed.values()] })
      ]
    }
    const code = { tests, breaks: [...pull.breaks, ...base.breaks] }
    begin(world, hour, { id: newName(world, "r"), commit, branch: pull.branch, base: "main", code, own: pull.breaks })
    pull.left -= 1
    later(world, hour + logNormal(draw, Math.max(gap, 2), 1), pull.left > 0 ? push(world, pull) : merge(world, pull))
  }

const merge =
  (world: World, pull: Pull) =>
  (hour: number): void => {
    const { draw, regime } = world
    const isMerged = draw() < (pull.breaks.length > 0 ? regime.breaks.mergedBroken : 0.85)
    if (!isMerged) return
    const commit = newName(world, "m")
    const own = pull.breaks.map((each) => ({ ...each, origin: commit, seenAt: Infinity }))
    toMain(world, hour, { commit, own, tests: testsOf(world.main, pull) })
  }

/** Starts a run with its first attempt. */
const begin = (world: World, hour: number, run: Run): void => {
  world.runs += 1
  const jobs = Array.from({ length: world.regime.jobs }, (_, job) => ({ job, before: new Set<string>() }))
  attempt(world, run, { number: 1, jobs })(hour)
}

interface Attempt {
  readonly number: number
  readonly jobs: ReadonlyArray<{ readonly job: number; readonly before: ReadonlySet<string> }>
}

const attempt =
  (world: World, run: Run, { jobs, number }: Attempt) =>
  (hour: number): void => {
    const { draw, regime } = world
    const timed = jobs
      .map((each) => ({ ...each, end: hour + Suite.durationOf(draw, world.usual[each.job] ?? 0.1) }))
      .toSorted((a, b) => a.end - b.end)
    const done: Array<{ readonly job: number; readonly results: Results; readonly end: number }> = []
    for (const { before, end, job } of timed) {
      if (done.some(({ results }) => results.failed.size > 0) && draw() < regime.failFast) continue
      const results = execute(draw, world, run.code, { job, hour: end, before })
      if (results.tests.length + results.failed.size === 0) continue
      done.push({ job, results, end })
      report(world, run, { number, job, results, end })
    }
    const failed = done.filter(({ results }) => results.failed.size > 0)
    if (failed.length === 0 || number >= 3 || draw() >= regime.reruns.share * (number === 1 ? 1 : 0.5)) return
    const again = (draw() < regime.reruns.partial ? failed : done).map(({ job, results }) => ({
      job,
      before: new Set(results.failed.keys())
    }))
    const end = Math.max(...done.map((each) => each.end))
    later(
      world,
      end + logNormal(draw, regime.reruns.hours, 0.7),
      attempt(world, run, { number: number + 1, jobs: again })
    )
  }

interface Done {
  readonly number: number
  readonly job: number
  readonly results: Results
  readonly end: number
}

const report = (world: World, run: Run, { end, job, number, results }: Done): void => {
  const finishedAt = epoch + Math.round(end * Instant.hour)
  world.found.push({
    ...results,
    run,
    attempt: number,
    job: `job-${job}`,
    finishedAt,
    receivedAt: finishedAt + Math.round(logNormal(world.draw, 20_000, 0.8)),
    isLast: false
  })
  if (run.base !== null) return
  for (const { cause } of results.failed.values()) {
    if (cause.kind === "break") cause.seenAt = Math.min(cause.seenAt, finishedAt)
  }
}

const inOrder = (found: ReadonlyArray<JobRun>): ReadonlyArray<JobRun> => {
  const sorted = found.toSorted((a, b) => a.receivedAt - b.receivedAt)
  const last = new Map(sorted.map((each) => [`${each.run.id} ${each.attempt}`, each]))
  for (const each of last.values()) each.isLast = true
  return sorted
}
