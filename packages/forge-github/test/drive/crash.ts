/** Crashes of a server that drives a queue, and what they may not change. */
import { Effect, Exit, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Doom } from "@lazaret/forge-conformance"
import { scenarios as all } from "./index.ts"
import type { Drive, Settings } from "./queue.ts"
import { type Scenario, shown } from "./scenario.ts"

/** The scenarios; the bare repository of git is slow, and changes nothing about crashes. */
export const scenarios = all.filter(({ name }) => !name.includes("bare repository"))

/** A moment of a scenario: the part of its points that have passed. */
export interface Moment {
  readonly scenario: Scenario
  readonly part: number
}

/** The moments of all scenarios. */
export const moments: fc.Arbitrary<Moment> = fc.record({
  scenario: fc.constantFrom(...scenarios),
  part: fc.double({ min: 0, max: 1, noNaN: true })
})

/** The end of a scenario in which a server dies at a point; 0: at none. */
export interface End {
  readonly points: number
  readonly faults: ReadonlyArray<string>
  readonly left: unknown
}

/** The steps after which everything is decided that a crash has delayed. */
const rest = 4

/** Plays a scenario to its end. Its own proof is part of the faults. */
export const end = (scenario: Scenario, at: number, settings: Settings = {}): Effect.Effect<End, unknown> =>
  Effect.gen(function* () {
    const doom = Doom.make(at)
    const played = yield* Effect.exit(scenario.play({ ...settings, doom }))
    if (Exit.isFailure(played)) return { points: doom.passed, faults: [String(played.cause)], left: null }
    const queue = played.value
    yield* queue.steps(rest)
    return { points: doom.passed, faults: yield* broken(queue), left: yield* outcome(queue) }
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]))

const outcome = Effect.fnUntraced(function* (queue: Drive) {
  const { entries, inflight, pause } = yield* queue.state
  return {
    merged: queue.merged(),
    left: (yield* queue.left).toSorted(),
    entries: entries.map(({ number }) => number),
    underWay: inflight.map(({ command }) => command.kind),
    paused: pause?.by ?? null,
    branches: queue.branches(),
    shown: yield* shown(queue),
    comments: [...queue.platform.comments].map(([number, notes]) => `#${number} ${notes.length}`).toSorted()
  }
})

/** The faults that no queue may have: somebody landed untested or twice, or was lost. */
const broken = Effect.fnUntraced(function* (queue: Drive) {
  const { landings, pulls } = queue.platform
  const { entries } = yield* queue.state
  const log = yield* queue.log
  const decided = new Set(
    log.flatMap((event) => {
      if (event.kind === "dequeued" || event.kind === "merged_elsewhere") return [event.number]
      return event.kind === "batch_foreseen" && event.outcome === "left"
        ? event.members.map(({ number }) => number)
        : []
    })
  )
  const isKept = (number: number) =>
    pulls.get(number)?.state !== "open" || decided.has(number) || entries.some((entry) => entry.number === number)
  const heads = landings.map(({ head, number }) => `#${number} ${head}`)
  return [
    ...landings.flatMap(({ isTested, number }) => (isTested ? [] : [`#${number} landed untested`])),
    ...heads.flatMap((head, index) => (heads.indexOf(head) === index ? [] : [`${head} landed twice`])),
    ...[...queue.asked].flatMap((number) => (isKept(number) ? [] : [`#${number} is lost`]))
  ]
})

/** The faults of a scenario in which a server dies at a point, compared with the end of one in which none does. */
export const faults = (scenario: Scenario, whole: End, at: number, settings: Settings = {}) =>
  Effect.map(end(scenario, at, settings), (died) => {
    const isSame = died.left === null || JSON.stringify(died.left) === JSON.stringify(whole.left)
    const other = `${JSON.stringify(died.left)} instead of ${JSON.stringify(whole.left)}`
    return [...died.faults, ...(isSame ? [] : [other])].map((fault) => `${scenario.name}, at point ${at}: ${fault}`)
  })

/** The faults of a scenario in which a server dies at a moment. */
export const faultsAt = Effect.fnUntraced(function* ({ part, scenario }: Moment, settings: Settings = {}) {
  const whole = yield* end(scenario, 0)
  const at = Math.max(1, Math.ceil(part * whole.points))
  return [...whole.faults, ...(yield* faults(scenario, whole, at, settings))]
})
