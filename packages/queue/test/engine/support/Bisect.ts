/** Bisections: one batch with some culprits, one round at a time. */
import type { EngineConfiguration } from "@lazaret/queue"
import type { Decide } from "@lazaret/queue/testing"
import { rest, start } from "./Schedule.ts"
import { headOf, type World } from "./World.ts"

/** A world of one batch without flakes or pushes. */
export const batchOf = (
  pulls: number,
  bad: ReadonlyArray<number>,
  infer: EngineConfiguration.EngineConfiguration["inferCulprit"]
): World => ({
  checks: ["unit"],
  pulls,
  bad,
  badPair: null,
  conflict: null,
  batchSize: pulls,
  parallel: 1,
  fastForward: true,
  infer,
  attempts: null,
  perRound: 2,
  perPullRequest: 4,
  maxOvertakes: 50,
  share: 0.2,
  incident: "none",
  flakes: 0,
  realIs: "real",
  flakeIs: "flaky",
  skips: false,
  preempts: false
})

/** Whether a bisection costs more rounds than the law allows, or decides wrongly: what is wrong, or null. */
export const fault = (world: World, decide?: Decide): string | null => {
  const trace = start(world, decide)
  rest(trace)
  const { forge, log } = trace.machine
  const rounds = log.filter(({ event }) => event.kind === "issued" && event.command.kind === "publish").length
  const landed = forge.landings.flatMap(({ members }) => members.map(({ head }) => head)).sort()
  const good = Array.from({ length: world.pulls }, (_, index) => index + 1).filter((each) => !world.bad.includes(each))
  const depth = Math.ceil(Math.log2(world.pulls))
  const most = 1 + world.bad.length * (world.infer === "never" ? Math.max(1, 2 * depth) : depth + 1)
  const name = `${world.pulls} with ${world.bad.join(", ")}`
  if (
    landed.join() !==
    good
      .map((each) => headOf(each))
      .sort()
      .join()
  )
    return `${name}: landed ${landed.join(" ")}`
  return rounds > most ? `${name}: ${rounds} rounds, at most ${most}` : null
}

/** Every choice of up to `most` of the numbers from 1 to `count`. */
export const choices = (count: number, most: number, from = 1): ReadonlyArray<ReadonlyArray<number>> =>
  most === 0
    ? [[]]
    : [
        [],
        ...Array.from({ length: Math.max(0, count - from + 1) }, (_, index) => from + index).flatMap((first) =>
          choices(count, most - 1, first + 1).map((others) => [first, ...others])
        )
      ]
