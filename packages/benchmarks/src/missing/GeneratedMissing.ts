/**
 * Generates the job runs of a repository whose tests come, go, move and are lost, with the truth about each run.
 *
 * The families (power laws, stretches, shards by file) are the choice of this generator: the rule assumes none of them. No parameter
 * of a repository is a number of the policy. The ranges were fixed before any number of the policy was chosen.
 */
import { random, type Random } from "../queue/Random.ts"

/** The seeds of repositories: those that numbers were chosen by, and those of the published table. */
export const seeds = {
  tune: Array.from({ length: 60 }, (_, index) => 1 + index),
  test: Array.from({ length: 120 }, (_, index) => 9001 + index)
} as const

/** The ranges of the parameters of a repository, each from least to most. */
const ranges = {
  tests: [20, 3000],
  runs: [120, 300],
  jobs: [1, 8],
  newFiles: [0, 0.2],
  jumps: [0, 0.01],
  deletions: [0, 0.1],
  deletedFiles: [0, 0.03],
  renames: [0, 0.03],
  large: [0.01, 0.15],
  conditional: [0, 0.05],
  skips: [0, 0.02],
  losses: [0.003, 0.04],
  absences: [0, 0.01],
  reruns: [0, 0.05],
  pulls: [0, 2]
} as const

/** The ways in which a repository divides its tests among jobs. */
const layouts = ["one", "parts", "matrix", "static shards", "dynamic shards"] as const

/** The results of one job in one attempt of a run: the numbers of the tests that passed or failed. */
export interface GeneratedJobRun {
  readonly job: number
  readonly attempt: number
  readonly tests: ReadonlyArray<number>
}

/**
 * A true event in a run.
 *
 * **Details**
 *
 * - `loss`: tests of a job that should have run did not; `deletion`: tests were deleted, or skipped from here on; `absence`: the job
 *   did not report. `share`: of the tests of that job. `isFirst`: the run is the first one of its stretch.
 */
export interface Truth {
  readonly run: number
  readonly job: number
  readonly kind: "loss" | "deletion" | "absence"
  readonly share: number
  readonly isFirst: boolean
}

/** A run of the pipeline on the default branch or of a pull request. */
export interface GeneratedRun {
  readonly index: number
  readonly isPull: boolean
  readonly jobs: ReadonlyArray<GeneratedJobRun>
}

/** A generated repository. `isSelective`: runs of pull requests execute the tests of some files only. */
export interface GeneratedMissing {
  readonly layout: (typeof layouts)[number]
  readonly jobs: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly runs: ReadonlyArray<GeneratedRun>
  readonly truths: ReadonlyArray<Truth>
  readonly isSelective: boolean
}

interface Test {
  readonly number: number
  readonly file: number
}

/** Tests that are not executed from one run to another one; `isSkip`: on purpose. */
interface Stretch {
  readonly job: number | null
  readonly until: number
  readonly from: number
  readonly isLost: (test: Test) => boolean
  readonly isSkip: boolean
}

interface World {
  readonly draw: Random
  readonly shape: Shape
  readonly names: Array<string>
  readonly homes: Map<number, number>
  readonly chances: Map<number, number>
  alive: Array<Test>
  large: ReadonlyArray<Test>
  files: number
  stretches: Array<Stretch>
}

type Shape = ReturnType<typeof shapeOf>

/** The repository of a seed. */
export const generate = (seed: number): GeneratedMissing => {
  const draw = random(seed * 7919 + 3)
  const shape = shapeOf(draw)
  const world: World = {
    draw,
    shape,
    names: [],
    homes: new Map(),
    chances: new Map(),
    alive: [],
    large: [],
    files: 0,
    stretches: []
  }
  while (world.alive.length < shape.tests) addFile(world, shape.tests - world.alive.length)
  world.large = largeSuite(world)
  const runs: Array<GeneratedRun> = []
  const truths: Array<Truth> = []
  for (let turn = 0; turn < shape.runs; turn++) {
    push(runs, truths, world, false)
    for (let pull = shape.pulls; draw() < pull; pull--) push(runs, truths, world, true)
  }
  const { isSelective, layout } = shape
  return { layout, isSelective, jobs: jobNames(shape), names: world.names, runs, truths }
}

const between = (draw: Random, [least, most]: readonly [number, number]): number => least + draw() * (most - least)

const power = (draw: Random, [least, most]: readonly [number, number], exponent: number): number => {
  const inverse = 1 - exponent
  return Math.floor((least ** inverse + draw() * (most ** inverse - least ** inverse)) ** (1 / inverse))
}

const shapeOf = (draw: Random) => {
  const layout = layouts[Math.floor(layouts.length * draw())] ?? "one"
  return {
    layout,
    tests: power(draw, ranges.tests, 1.3),
    runs: Math.floor(between(draw, ranges.runs)),
    jobs: layout === "one" ? 1 : 2 + Math.floor((ranges.jobs[1] - 1) * draw() * draw()),
    newFiles: between(draw, ranges.newFiles) * draw(),
    jumps: between(draw, ranges.jumps),
    deletions: between(draw, ranges.deletions) * draw(),
    deletedFiles: between(draw, ranges.deletedFiles) * draw(),
    renames: between(draw, ranges.renames),
    large: draw() < 0.3 ? between(draw, ranges.large) : 0,
    isPeriodic: draw() < 0.5,
    conditional: between(draw, ranges.conditional) * draw(),
    skips: between(draw, ranges.skips),
    losses: between(draw, ranges.losses),
    absences: between(draw, ranges.absences),
    reruns: between(draw, ranges.reruns),
    pulls: between(draw, ranges.pulls),
    isSelective: draw() < 0.3
  }
}

const jobNames = ({ jobs, layout }: Shape): ReadonlyArray<string> =>
  Array.from({ length: jobs }, (_, index) => {
    if (layout === "one") return "unit"
    if (layout === "parts")
      return ["unit", "api", "web", "lint", "docs", "e2e", "smoke", "fuzz"][index] ?? `part ${index}`
    return layout === "matrix" ? `unit (3.${index + 8})` : `unit (${index + 1})`
  })

const addFile = (world: World, most = Infinity): void => {
  const { draw, shape } = world
  const file = world.files++
  const size = Math.min(most, power(draw, [1, 60], 1.5))
  for (let index = 0; index < size; index++)
    addTest(world, file, `tests/area${file % 7}/file${file}.spec > case ${index}`)
  world.homes.set(file, Math.floor(shape.jobs * draw()))
}

const addTest = (world: World, file: number, name: string): void => {
  const number = world.names.push(name) - 1
  world.alive.push({ number, file })
  if (world.draw() < world.shape.conditional) world.chances.set(number, 0.5 + 0.48 * world.draw())
}

/** The tests of the large runs, which are three times the others. */
const largeSuite = (world: World): ReadonlyArray<Test> => {
  if (world.shape.large === 0) return []
  const kept = world.alive
  world.alive = []
  const wanted = 2 * kept.length
  while (world.alive.length < wanted) addFile(world, wanted - world.alive.length)
  const large = world.alive
  world.alive = kept
  return large
}

const push = (runs: Array<GeneratedRun>, truths: Array<Truth>, world: World, isPull: boolean): void => {
  const { draw, shape } = world
  const index = runs.length
  const deleted = isPull ? new Set<number>() : evolve(world, index)
  const isLarge =
    !isPull &&
    (shape.large > 0 && shape.isPeriodic
      ? index % Math.max(2, Math.round(1 / shape.large)) === 1
      : draw() < shape.large)
  if (draw() < shape.losses) world.stretches.push(lossFrom(world, index, isPull))
  world.stretches = world.stretches.filter(({ until }) => until > index)
  const suite = isLarge ? [...world.alive, ...world.large] : world.alive
  const chosen = isPull && shape.isSelective ? selected(world, suite) : suite
  const jobs: Array<GeneratedJobRun> = []
  const absent = shape.jobs > 1 && draw() < shape.absences ? Math.floor(shape.jobs * draw()) : null
  const homeOf = homesOf(world)
  for (let job = 0; job < shape.jobs; job++) {
    const due = chosen.filter((test) => shape.layout === "matrix" || homeOf(test) === job)
    const gone = [...deleted].filter((file) => shape.layout === "matrix" || world.homes.get(file) === job).length
    if (gone > 0) truths.push({ run: index, job, kind: "deletion", share: 1, isFirst: true })
    if (absent === job) {
      truths.push({ run: index, job, kind: "absence", share: 1, isFirst: true })
      continue
    }
    const ran = executed(truths, world, { due, index, job, isPull })
    jobs.push({ job, attempt: 1, tests: ran })
    if (draw() < shape.reruns) jobs.push({ job, attempt: 2, tests: ran.filter(() => draw() < 0.05) })
  }
  runs.push({ index, isPull, jobs })
}

/** The tests of a job that are executed, and the truth about the others. */
const executed = (
  truths: Array<Truth>,
  world: World,
  {
    due,
    index,
    isPull,
    job
  }: {
    readonly due: ReadonlyArray<Test>
    readonly index: number
    readonly job: number
    readonly isPull: boolean
  }
): ReadonlyArray<number> => {
  let left = due.filter(({ number }) => world.draw() < (world.chances.get(number) ?? 1))
  for (const { from, isLost, isSkip, job: only, until } of world.stretches) {
    if ((only !== null && only !== job) || index >= until || (isPull && from !== index && !isSkip)) continue
    const kept = left.filter((test) => !isLost(test))
    const share = (left.length - kept.length) / Math.max(1, left.length)
    if (share > 0)
      truths.push({
        run: index,
        job,
        kind: isSkip && share < 0.1 ? "deletion" : "loss",
        share,
        isFirst: from === index
      })
    left = kept
  }
  return left.map(({ number }) => number)
}

const homesOf = ({ draw, homes, shape }: World): ((test: Test) => number) => {
  if (shape.layout !== "dynamic shards") return ({ file }) => homes.get(file) ?? 0
  const today = new Map<number, number>()
  return ({ file }) => {
    const home = today.get(file) ?? Math.floor(shape.jobs * draw())
    today.set(file, home)
    return home
  }
}

const selected = ({ draw }: World, suite: ReadonlyArray<Test>): ReadonlyArray<Test> => {
  const share = 0.01 + 0.3 * draw()
  const files = new Set([...new Set(suite.map(({ file }) => file))].filter(() => draw() < share))
  return suite.filter(({ file }) => files.has(file))
}

/** The change of a commit of the default branch; yields the files of which tests were deleted or skipped. */
const evolve = (world: World, index: number): ReadonlySet<number> => {
  const { draw, shape } = world
  const touched = new Set<number>()
  if (draw() < shape.newFiles) addFile(world)
  if (draw() < shape.jumps) {
    const wanted = world.alive.length * (1.1 + 0.4 * draw())
    while (world.alive.length < wanted) addFile(world)
  }
  if (draw() < shape.deletions) remove(world, touched, ({ number }, victim) => number === victim.number)
  if (draw() < shape.deletedFiles) remove(world, touched, ({ file }, victim) => file === victim.file)
  if (draw() < shape.renames) rename(world)
  if (shape.layout === "static shards" && draw() < 0.01) {
    for (const file of world.homes.keys()) if (draw() < 0.3) world.homes.set(file, Math.floor(shape.jobs * draw()))
  }
  if (draw() < shape.skips) {
    const victim = world.alive[Math.floor(world.alive.length * draw())]
    if (victim !== undefined) {
      touched.add(victim.file)
      world.stretches.push({
        job: null,
        from: index,
        until: index + power(draw, [1, 50], 1.3),
        isLost: ({ file }) => file === victim.file,
        isSkip: true
      })
    }
  }
  return touched
}

const remove = (world: World, touched: Set<number>, isGone: (test: Test, victim: Test) => boolean): void => {
  const victim = world.alive[Math.floor(world.alive.length * world.draw())]
  const left = victim === undefined ? [] : world.alive.filter((test) => !isGone(test, victim))
  if (victim === undefined || left.length < 5) return
  touched.add(victim.file)
  world.alive = left
}

/** Moves the tests of some files to names in another folder. */
const rename = (world: World): void => {
  const { draw } = world
  const victim = world.alive[Math.floor(world.alive.length * draw())]
  if (victim === undefined) return
  const old = world.alive.filter(({ file }) => file === victim.file)
  world.alive = world.alive.filter(({ file }) => file !== victim.file)
  const file = world.files++
  world.homes.set(file, world.homes.get(victim.file) ?? 0)
  for (const { number } of old) {
    const title = world.names[number]?.split(" > ").at(-1) ?? ""
    addTest(world, file, `tests/moved${file}/file${file}.spec > ${title}`)
  }
}

/** A loss of 10 to 99 % of the tests of one job or of all: the rest of a crashed run, whole files, or single tests. */
const lossFrom = (world: World, index: number, isPull: boolean): Stretch => {
  const { alive, draw, shape } = world
  const share = 0.1 + 0.89 * draw()
  const kind = draw()
  const salt = Math.floor(1e6 * draw())
  const cut = alive[Math.floor(alive.length * (1 - share))]?.number ?? 0
  const isLost = ({ file, number }: Test): boolean => {
    if (kind < 0.4) return number >= cut
    return random((kind < 0.7 ? file : number) * 31 + salt)() < share
  }
  const length = isPull || draw() < 0.5 ? 1 : draw() < 0.6 ? 2 : 3 + Math.floor(4 * draw())
  return {
    job: shape.jobs === 1 || draw() < 0.3 ? null : Math.floor(shape.jobs * draw()),
    from: index,
    until: index + length,
    isLost,
    isSkip: false
  }
}
