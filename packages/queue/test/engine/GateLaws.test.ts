import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, EngineDecision, type EngineEvent, EngineFold, EngineState } from "@lazaret/queue"
import { advance, type Decide, type Machine, makeForge, makeMachine, tellMachine } from "@lazaret/queue/testing"
import * as fc from "fast-check"
import { budget } from "./support/Budget.ts"

const required = ["unit", "e2e"]

const configuration: EngineConfiguration.EngineConfiguration = {
  ...EngineConfiguration.defaults,
  mode: "gate",
  requiredChecks: required,
  rerun: { perRound: 1, perPullRequest: 2, shareOfRounds: 0.2 }
}

const passing: ReadonlyArray<string> = ["success", "skipped", "neutral"]
const states = ["pending", "success", "failure", "cancelled", "skipped"] as const
const classes = ["flaky", "real", "unknown", "infrastructure"] as const

/** The happenings: a number chooses the subject and how it is. */
const happenings: ReadonlyArray<(choice: number, place: number, machine: Machine) => EngineEvent.EngineEvent> = [
  (choice, place, { state }) => {
    const onto = choice % 2 === 0 ? "main" : (state.groups.at(-1)?.id ?? "main")
    const members = [{ number: choice % 4, head: `h${choice % 4}` }]
    return { kind: "group_seen", group: { id: `g${place}`, tree: `t${place}`, onto, members } }
  },
  ...Array.from({ length: 4 }, () => (choice: number, place: number, { state }: Machine): EngineEvent.EngineEvent => {
    const sha = state.groups[choice % Math.max(1, state.groups.length)]?.id ?? "none"
    const attempt = 1 + (choice % 3)
    const seen = required.map((name, index) => ({
      name,
      state: states[(choice >> (2 * index)) % states.length] ?? "pending",
      attempt
    }))
    return {
      kind: "checks_seen",
      sha,
      version: choice % 5 === 0 ? 0 : place,
      checks: seen.slice(choice % 7 === 0 ? 1 : 0)
    }
  }),
  (choice, _, { state }) => {
    const sha = state.groups[choice % Math.max(1, state.groups.length)]?.id ?? "none"
    const failure = { check: "unit", test: "t", class: classes[choice % 4] ?? "unknown", probability: null }
    return { kind: "reports_seen", sha, attempt: 1 + (choice % 2), failures: [failure] }
  },
  (choice, _, { state }) => ({
    kind: "group_gone",
    id: state.groups[choice % Math.max(1, state.groups.length)]?.id ?? "none",
    cause: choice % 2 === 0 ? "merged" : "invalidated"
  }),
  () => ({ kind: "pause_set", reason: "release", by: "ana" }),
  () => ({ kind: "pause_cleared", by: "ana" }),
  (choice) => ({
    kind: "evicted",
    member: { number: choice % 4, head: `h${choice % 4}` },
    cause: choice % 2 === 0 ? "checks_timeout" : "checks_failed"
  }),
  (choice) => ({ kind: "retry_asked", number: choice % 4, by: "ana" }),
  (choice, _, { state }) => {
    const open = state.inflight[choice % Math.max(1, state.inflight.length)]?.command.id ?? "none"
    return { kind: "done", command: open, answer: { kind: "ok" } }
  }
]

const play = (choices: ReadonlyArray<number>, decide?: Decide, shadow = false): Machine => {
  const machine = makeMachine(makeForge([]), { ...configuration, shadow }, decide)
  machine.now = Instant.day
  for (const [place, choice] of choices.entries()) {
    machine.now += (choice % 11) * Instant.minute
    const happen = happenings[choice % happenings.length]
    if (happen !== undefined) tellMachine(machine, happen(Math.floor(choice / happenings.length), place + 1, machine))
  }
  advance(machine, machine.now)
  return machine
}

type Law = (machine: Machine) => ReadonlyArray<string>

const moments = (machine: Machine) => {
  let before = EngineState.initial
  return machine.log.map((logged) => {
    const moment = { before, event: logged.event }
    before = EngineFold.step(before, logged)
    return moment
  })
}

const conclusions = (machine: Machine) =>
  moments(machine).flatMap(({ before, event }) => {
    const group = event.kind === "group_concluded" ? before.groups.find(({ id }) => id === event.group) : undefined
    return event.kind === "group_concluded" && group !== undefined ? [{ before, event, group }] : []
  })

const laws: Readonly<Record<string, readonly [Law, Decide]>> = {
  "a group passes only when every required check is green in its latest attempt": [
    (machine) =>
      conclusions(machine).flatMap(({ event, group }) => {
        const isGreen = required.every((name) =>
          passing.includes(group.round.checks.find((check) => check.name === name)?.state ?? "pending")
        )
        return event.conclusion === "failure" || isGreen ? [] : [`${group.id} passed`]
      }),
    (state, given, now) => EngineDecision.decide(state, { ...given, requiredChecks: ["unit"] }, now)
  ],
  "nothing is concluded and nothing is queued again during a pause": [
    (machine) =>
      moments(machine).flatMap(({ before, event }) => {
        const isBegun =
          event.kind === "group_concluded" || (event.kind === "issued" && event.command.kind === "enqueue")
        return before.pause !== null && isBegun ? [`${event.kind} during a pause`] : []
      }),
    (state, given, now) => EngineDecision.decide({ ...state, pause: null }, given, now)
  ],
  "a group fails for its checks only when the group ahead has passed": [
    (machine) =>
      conclusions(machine).flatMap(({ before, event, group }) => {
        const ahead = before.groups.find(({ id }) => id === group.onto)
        const isDecided =
          ahead === undefined || ahead.gone === "merged" || (ahead.gone === null && ahead.concluded === "success")
        return event.reason?.code !== "checks_failed" || isDecided ? [] : [`${group.id} failed behind ${ahead.id}`]
      }),
    (state, given, now) =>
      EngineDecision.decide({ ...state, groups: state.groups.map((group) => ({ ...group, onto: "main" })) }, given, now)
  ],
  "reruns stay within the budget of the round": [
    (machine) =>
      machine.state.groups
        .filter(({ round }) => round.attempt > 1 + configuration.rerun.perRound)
        .map(({ id }) => `${id} ran too often`),
    (state, given, now) =>
      EngineDecision.decide(state, { ...given, rerun: { perRound: 9, perPullRequest: 9, shareOfRounds: 9 } }, now)
  ],
  "a second decision without news adds nothing": [
    ({ configuration: given, decide, now, state }) => decide(state, given, now).events.map(({ kind }) => kind),
    (state, given, now) => EngineDecision.decide({ ...state, shown: {} }, given, now)
  ]
}

const schedules = fc.array(fc.nat({ max: 10_000_000 }), { minLength: 5, maxLength: 60 })

describe("laws of the gate", () => {
  for (const [name, [law, broken]] of Object.entries(laws)) {
    it(`${name}, and a broken gate violates it`, { timeout: 600_000 }, () => {
      fc.assert(
        fc.property(schedules, (choices) => assert.deepStrictEqual(law(play(choices)), [])),
        budget
      )
      const property = fc.property(schedules, (choices) => law(play(choices, broken)).length === 0)
      assert.isTrue(fc.check(property, { numRuns: 2000, seed: budget.seed, endOnFailure: true }).failed)
    })
  }

  it("law 17 shadow: nothing is written, and the decisions are those of the live gate", { timeout: 600_000 }, () => {
    const decisions = ({ log }: Machine) =>
      log.flatMap(({ event }) => (event.kind === "group_concluded" || event.kind === "round_rerun" ? [event] : []))
    fc.assert(
      fc.property(schedules, (choices) => {
        const commands: Array<unknown> = []
        const watched: Decide = (state, given, now) => {
          const decision = EngineDecision.decide(state, given, now)
          commands.push(...decision.commands)
          return decision
        }
        const shadow = play(choices, watched, true)
        assert.deepStrictEqual([commands, shadow.state.inflight], [[], []])
        assert.deepStrictEqual(decisions(shadow), decisions(play(choices)))
      }),
      budget
    )
  })
})
