/** Breaks: what a change does to tests. */
import type { Random } from "../queue/Random.ts"
import { between, logNormal, pick, sample, weighted } from "./Draw.ts"
import * as Message from "./Message.ts"
import type { Regime } from "./Regime.ts"
import type { File, Test } from "./Suite.ts"

/**
 * A break.
 *
 * **Details**
 *
 * - `tests`: those that fail, each with the messages it may say.
 * - `file`: the one that does not load: its tests are missing, and one case with its name fails.
 * - `strength`: the probability that a broken test fails; below 1 the change made it unstable.
 * - `seenAt`: the hour at which the first run of main with it ended.
 */
export interface Break {
  readonly kind: "break"
  readonly origin: string
  readonly tests: ReadonlyMap<string, Message.Message>
  readonly file: { readonly file: File; readonly message: Message.Message } | null
  readonly jobs: ReadonlySet<number> | null
  readonly strength: number
  seenAt: number
}

/**
 * How many tests the commits of a published history (dask/distributed 2022) broke: tests that failed and never passed on
 * the commit, and how many commits did so.
 */
const observedSizes: ReadonlyArray<readonly [number, number]> = [
  [1, 93],
  [2, 41],
  [3, 15],
  [4, 10],
  [5, 8],
  [7, 5],
  [8, 3],
  [10, 1],
  [32, 1],
  [46, 1],
  [51, 1]
]

/** A break by a commit; `fresh` are tests that the change adds, which break more often than others. */
export const make = (
  draw: Random,
  regime: Regime,
  change: { readonly origin: string; readonly tests: ReadonlyArray<Test>; readonly fresh: ReadonlyArray<Test> }
): Break => {
  const { breaks } = regime
  const isUnloaded = draw() < breaks.notLoading
  const first = pick(draw, change.fresh.length > 0 && draw() < 0.3 ? change.fresh : change.tests)
  const together = change.tests.filter(({ file }) => file === first.file)
  const broken = isUnloaded ? [] : brokenBy(draw, regime, { ...change, first, together })
  return {
    kind: "break",
    origin: change.origin,
    tests: new Map(
      broken
        .map((test) => [test.name, messageOf(draw, regime, broken.length)] as const)
        .map(shared(draw, breaks.severalMessages))
    ),
    file: isUnloaded ? { file: first.file, message: Message.make(draw, "load", regime) } : null,
    jobs: !isUnloaded && regime.jobs > 1 && draw() < breaks.inSomeJobs ? someOf(draw, first.file.jobs) : null,
    strength: !isUnloaded && draw() < breaks.intermittent ? between(draw, 0.5, 0.95) : 1,
    seenAt: Infinity
  }
}

interface Site {
  readonly tests: ReadonlyArray<Test>
  readonly first: Test
  readonly together: ReadonlyArray<Test>
}

/** Most breaks hit neighbours: tests of one file, then any. */
const brokenBy = (draw: Random, { breaks }: Regime, { first, tests, together }: Site): ReadonlyArray<Test> => {
  if (draw() < breaks.wholeFile) return together
  const size = sizeOf(draw, breaks.sizeSigma)
  const near = sample(draw, together, Math.ceil((size - 1) * 0.8) + 1).filter((test) => test !== first)
  const rest = sample(draw, tests, Math.max(0, size - 1 - near.length)).filter((test) => test !== first)
  return [...new Set([first, ...near.slice(0, size - 1), ...rest])]
}

const sizeOf = (draw: Random, sigma: number): number =>
  draw() < 0.5 ? weighted(draw, observedSizes) : Math.min(400, Math.max(1, Math.round(logNormal(draw, 1.4, sigma))))

const messageOf = (draw: Random, regime: Regime, size: number): Message.Message =>
  Message.make(draw, size < 20 && draw() < 0.06 ? "flake" : "change", regime)

/** Each test has a message of its own with this probability, else the first one of the break. */
const shared = (draw: Random, several: number) => {
  let first: Message.Message | null = null
  return ([name, message]: readonly [string, Message.Message]): readonly [string, Message.Message] => {
    first ??= message
    return [name, draw() < several ? message : first]
  }
}

const someOf = (draw: Random, jobs: ReadonlySet<number>): ReadonlySet<number> => {
  const all = [...jobs]
  return new Set(sample(draw, all, Math.max(1, Math.round(all.length * between(draw, 0.15, 0.6)))))
}
