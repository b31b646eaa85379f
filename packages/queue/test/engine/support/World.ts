/** Worlds: what the checks of a commit come to, and how people and the forge behave, drawn at random. */
import { EngineConfiguration, type FailureClass, QueueRule } from "@lazaret/queue"
import { contentsOf, type Forge, makeForge } from "@lazaret/queue/testing"
import * as fc from "fast-check"

/** A world: its pull requests, which of them are bad, and how the queue is configured. */
export interface World {
  /** The names of the required checks; only `unit` fails for a reason. */
  readonly checks: ReadonlyArray<string>
  readonly pulls: number
  readonly bad: ReadonlyArray<number>
  readonly badPair: readonly [number, number] | null
  readonly conflict: readonly [number, number] | null
  readonly batchSize: number
  readonly parallel: number
  readonly fastForward: boolean
  readonly infer: EngineConfiguration.EngineConfiguration["inferCulprit"]
  readonly attempts: number | null
  readonly perRound: number
  readonly perPullRequest: number
  readonly maxOvertakes: number
  readonly share: number
  readonly incident: "hold" | "none"
  readonly skips: boolean
  readonly preempts: boolean
  /** How many checks fail although nothing is wrong. */
  readonly flakes: number
  readonly realIs: FailureClass.FailureClass
  readonly flakeIs: FailureClass.FailureClass
}

/** The first head of a pull request. */
export const headOf = (number: number, push = 1): string => `h${number}.${push}`

const number = (pulls: number) => fc.integer({ min: 1, max: pulls })

/** Worlds of up to five pull requests. */
export const worlds: fc.Arbitrary<World> = fc.integer({ min: 1, max: 5 }).chain((pulls) =>
  fc.record({
    checks: fc.constant(["unit", "lint"]),
    pulls: fc.constant(pulls),
    bad: fc.uniqueArray(number(pulls), { maxLength: 2 }),
    badPair: fc.option(fc.tuple(number(pulls), number(pulls)), { freq: 3 }),
    conflict: fc.option(fc.tuple(number(pulls), number(pulls)), { freq: 3 }),
    batchSize: fc.integer({ min: 1, max: 4 }),
    parallel: fc.integer({ min: 1, max: 3 }),
    fastForward: fc.boolean(),
    infer: fc.constantFrom("never", "judged_real", "always"),
    attempts: fc.constantFrom(null, null, null, 0, 1),
    perRound: fc.integer({ min: 0, max: 2 }),
    perPullRequest: fc.integer({ min: 0, max: 4 }),
    maxOvertakes: fc.constantFrom(1, 1, 50),
    share: fc.constantFrom(0, 0.2, 1),
    incident: fc.constantFrom("none", "hold"),
    flakes: fc.integer({ min: 0, max: 4 }),
    realIs: fc.constantFrom("real", "real", "unknown", "flaky"),
    flakeIs: fc.constantFrom("flaky", "flaky", "unknown", "infrastructure", "real"),
    skips: fc.boolean(),
    preempts: fc.boolean()
  })
)

/** The configuration of a world. */
export const configurationOf = (world: World): EngineConfiguration.EngineConfiguration => ({
  ...EngineConfiguration.defaults,
  mode: "drive",
  rules: QueueRule.prioritize([
    {
      name: "default",
      settings: {
        batchSize: world.batchSize,
        batchMaxWaitTime: 30,
        batchMaxFailureResolutionAttempts: world.attempts,
        checksTimeout: 3600,
        queueBranchMergeMethod: world.fastForward ? "fast-forward" : null
      }
    }
  ]),
  maxParallelChecks: world.parallel,
  requiredChecks: world.checks,
  rerun: { perRound: world.perRound, perPullRequest: world.perPullRequest, shareOfRounds: world.share },
  inferCulprit: world.infer,
  maxOvertakes: world.maxOvertakes,
  skipIntermediate: world.skips,
  preempt: world.preempts,
  incident: { ...EngineConfiguration.defaults.incident, action: world.incident }
})

/** The forge of a world. */
export const forgeOf = ({ checks, conflict }: World): Forge =>
  makeForge(
    checks,
    conflict === null || conflict[0] === conflict[1] ? [] : [[headOf(conflict[0]), headOf(conflict[1])]]
  )

/** Whether the unit tests of a commit fail for a reason that a rerun does not change. */
export const isBroken = ({ bad, badPair }: World, forge: Forge, sha: string): boolean => {
  const contents = contentsOf(forge, sha)
  const holds = (pull: number) => contents.includes(headOf(pull))
  return bad.some(holds) || (badPair !== null && badPair[0] !== badPair[1] && badPair.every(holds))
}
