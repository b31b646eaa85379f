/** The tests of a generated repository: files, jobs, what they depend on, and how unstable they are. */
import type { Random } from "../queue/Random.ts"
import { between, logNormal, magnitude, pick, sample, share } from "./Draw.ts"
import * as Flake from "./Flake.ts"
import type { Regime } from "./Regime.ts"

/**
 * A file with tests.
 *
 * `jobs` run it, `resources` are those of the environment that its tests need, `libraries` those that it uses.
 */
export interface File {
  readonly name: string
  readonly jobs: ReadonlySet<number>
  readonly resources: ReadonlySet<number>
  readonly libraries: ReadonlySet<number>
}

/** A test; `needs` is whether it needs the resources of its file. */
export interface Test {
  readonly name: string
  readonly file: File
  readonly needs: boolean
  readonly flake: Flake.Flake
}

/** The suite at the beginning. */
export interface Suite {
  readonly files: ReadonlyArray<File>
  readonly tests: ReadonlyArray<Test>
  readonly clusters: ReadonlyArray<Flake.Cluster>
  /** How much more often tests flake in each job. */
  readonly jobFactors: ReadonlyArray<number>
}

/** How many libraries a repository depends on that matter. */
const libraries = 3

/** A suite of a regime; `hours` is how long the history is. */
export const make = (draw: Random, regime: Regime, hours: number): Suite => {
  const wide = Array.from({ length: regime.outages.resources }, () => magnitude(draw, 0.02, 1))
  const used = Array.from({ length: libraries }, () => magnitude(draw, 0.02, 0.8))
  const files: Array<File> = []
  const tests: Array<Test> = []
  while (tests.length < regime.tests) {
    const file: File = {
      name: regime.messages.files ? `tests/part${files.length}.test.ts` : `Part${files.length}Test`,
      jobs: jobsOf(draw, regime),
      resources: usedOf(draw, wide),
      libraries: usedOf(draw, used)
    }
    files.push(file)
    const size = Math.min(regime.tests - tests.length, Math.max(1, Math.round(logNormal(draw, 9, 0.9))))
    for (let index = 0; index < size; index++) tests.push(testOf(draw, regime, file, { index: tests.length, hours }))
  }
  const unstable = tests.filter(({ flake }) => flake.rate > 1e-4)
  return {
    files,
    tests,
    clusters: Flake.clusters(
      draw,
      regime,
      sample(draw, unstable, Math.round(unstable.length * regime.flakes.clustered))
    ),
    jobFactors: Array.from({ length: regime.jobs }, () => logNormal(draw, 1, regime.flakes.jobSpread))
  }
}

/** A new test of a file. */
export const testOf = (
  draw: Random,
  regime: Regime,
  file: File,
  { hours, index }: { readonly index: number; readonly hours: number }
): Test => ({
  name: `${file.name} › case ${index}`,
  file,
  needs: draw() < 0.85,
  flake: Flake.make(draw, regime, hours)
})

/** A test under another name: its history begins again. */
export const renamed = (test: Test, suffix: string): Test => ({ ...test, name: `${test.name} ${suffix}` })

const jobsOf = (draw: Random, { jobs, layout }: Regime): ReadonlySet<number> => {
  const all = Array.from({ length: jobs }, (_, job) => job)
  const isShared = layout === "one" || layout === "matrix" || (layout === "mixed" && draw() < 0.6)
  return new Set(isShared ? all : [pick(draw, all)])
}

const usedOf = (draw: Random, shares: ReadonlyArray<number>): ReadonlySet<number> =>
  new Set(shares.flatMap((wide, index) => (draw() < share(draw, Math.min(0.97, wide), 0.6) ? [index] : [])))

/** Half of the job runs take from 80 % to 125 % of the usual time. */
export const durationOf = (draw: Random, usual: number): number => logNormal(draw, usual, between(draw, 0.2, 0.45))
