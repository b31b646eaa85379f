/** Executes the tests of a job at an hour: which fail, why, and what they say. */
import type { Random } from "../queue/Random.ts"
import type { Break } from "./Break.ts"
import { logNormal } from "./Draw.ts"
import * as Flake from "./Flake.ts"
import type { Exception } from "./Message.ts"
import type { Regime } from "./Regime.ts"
import type { Suite, Test } from "./Suite.ts"
import * as Trouble from "./Trouble.ts"

/** Why a test failed. */
export type Cause = { readonly kind: "flake" } | Break | Trouble.Outage | Trouble.Dependency

/** A failure; `passesAgain` is whether a rerun of the same code would pass. */
export interface Failing extends Exception {
  readonly cause: Cause
  readonly passesAgain: boolean
}

/** The report of a job: the tests that ran, those that failed, and those that passed after a failed attempt. */
export interface Results {
  readonly tests: ReadonlyArray<Test>
  readonly failed: ReadonlyMap<string, Failing>
  readonly retried: ReadonlyMap<string, Exception>
}

/** The code of a commit. */
export interface Code {
  readonly tests: ReadonlyArray<Test>
  readonly breaks: ReadonlyArray<Break>
}

/** The surroundings of a repository. */
export interface Surroundings {
  readonly regime: Regime
  readonly suite: Suite
  readonly troubles: ReadonlyArray<Trouble.Outage | Trouble.Dependency>
}

/** A job at an hour; `before` are the tests that failed in it at the last attempt. */
export interface Place {
  readonly job: number
  readonly hour: number
  readonly before: ReadonlySet<string>
}

/** The results of a job. */
export const execute = (draw: Random, world: Surroundings, code: Code, place: Place): Results => {
  const moment = momentOf(draw, world, code, place)
  const tests: Array<Test> = []
  const failed = new Map<string, Failing>()
  const retried = new Map<string, Exception>()
  for (const test of code.tests) {
    if (!test.file.jobs.has(place.job) || moment.unloaded.has(test.file)) continue
    tests.push(test)
    const failing = failingOf(draw, moment, test)
    if (failing === null) continue
    if (passesInJob(draw, moment, test, failing)) retried.set(test.name, failing)
    else failed.set(test.name, failing)
  }
  for (const [file, broken] of moment.unloaded) {
    const exception = broken.file?.message(draw) ?? { type: null, message: null }
    failed.set(file.name, { ...exception, cause: broken, passesAgain: false })
  }
  return { tests, failed, retried }
}

interface Moment extends Place {
  readonly world: Surroundings
  readonly broken: ReadonlyMap<string, Break>
  readonly unloaded: ReadonlyMap<Test["file"], Break>
  readonly troubles: Surroundings["troubles"]
  readonly triggered: ReadonlyArray<Flake.Cluster>
  readonly noise: number
}

const momentOf = (draw: Random, world: Surroundings, { breaks }: Code, place: Place): Moment => {
  const { regime, suite, troubles } = world
  const here = breaks.filter(({ jobs }) => jobs === null || jobs.has(place.job)).toReversed()
  const noise = logNormal(draw, 1, regime.flakes.noise) * (suite.jobFactors[place.job] ?? 1)
  return {
    ...place,
    world,
    noise,
    broken: new Map(here.flatMap((each) => [...each.tests.keys()].map((name) => [name, each] as const))),
    unloaded: new Map(
      here.flatMap((each) =>
        each.file === null || !each.file.file.jobs.has(place.job) ? [] : [[each.file.file, each] as const]
      )
    ),
    troubles: troubles.filter((each) => each.jobs.has(place.job) && Trouble.isActive(each, place.hour)),
    triggered: suite.clusters.filter(({ rate }) => draw() < rate * Math.min(4, noise))
  }
}

const failingOf = (draw: Random, moment: Moment, test: Test): Failing | null => {
  const broken = moment.broken.get(test.name)
  if (broken !== undefined && draw() < broken.strength) {
    const exception = broken.tests.get(test.name)?.(draw) ?? { type: null, message: null }
    return { ...exception, cause: broken, passesAgain: draw() >= broken.strength }
  }
  return troubled(draw, moment, test) ?? flaked(draw, moment, test)
}

const troubled = (draw: Random, { hour, troubles, world }: Moment, test: Test): Failing | null => {
  for (const trouble of troubles) {
    if (trouble.kind === "dependency") {
      if (trouble.hit.has(test)) return { ...Trouble.say(draw, trouble), cause: trouble, passesAgain: false }
      continue
    }
    const isHit = trouble.resource === null || (test.needs && test.file.resources.has(trouble.resource))
    if (!isHit || draw() >= trouble.hit) continue
    const isStill = Trouble.isActive(trouble, hour + logNormal(draw, world.regime.reruns.hours, 0.7))
    return { ...Trouble.say(draw, trouble), cause: trouble, passesAgain: !isStill || draw() >= trouble.hit }
  }
  return null
}

const flaked = (draw: Random, moment: Moment, test: Test): Failing | null => {
  const again = rateOf(moment, test)
  const isSticky = moment.before.has(test.name) && draw() < moment.world.regime.flakes.sticky
  const trigger = moment.triggered.find((each) => draw() < (each.members.get(test) ?? 0))
  if (!isSticky && trigger === undefined && draw() >= again) return null
  const exception = trigger !== undefined && draw() < 0.7 ? trigger.message(draw) : Flake.say(draw, test.flake)
  return { ...exception, cause: flake, passesAgain: draw() >= Math.max(again, moment.world.regime.flakes.sticky) }
}

const flake: Cause = { kind: "flake" }

const rateOf = ({ hour, noise, world: { regime } }: Moment, test: Test): number =>
  Math.min(0.85, Flake.rateAt(test.flake, regime.flakes, hour) * noise)

/** Whether one of the further attempts in the same job passes. */
const passesInJob = (draw: Random, moment: Moment, test: Test, { cause }: Failing): boolean => {
  const { flakes, reruns } = moment.world.regime
  const again =
    cause.kind === "flake"
      ? Math.max(rateOf(moment, test), flakes.sticky)
      : cause.kind === "break"
        ? cause.strength
        : cause.kind === "outage"
          ? 0.5 + cause.hit / 2
          : 1
  for (let attempt = 0; attempt < reruns.inJob; attempt++) if (draw() >= again) return true
  return false
}
