import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, EngineDecision, type EngineEvent, EngineFold, EngineState } from "@lazaret/queue"
import { advance, type Decide, type Machine, makeForge, makeMachine, appendEvents } from "@lazaret/queue/testing"
import * as fc from "fast-check"
import { budget, search } from "./support/Budget.ts"

const required = ["unit", "e2e"]

const configuration: EngineConfiguration.EngineConfiguration = {
  ...EngineConfiguration.defaults,
  mode: "gate",
  requiredChecks: required,
  rerun: { perRound: 2, perPullRequest: 3, shareOfRounds: 0.2 },
  incident: { ...EngineConfiguration.defaults.incident, rounds: 2, within: Instant.day }
}

const passing: ReadonlyArray<string> = ["success", "skipped", "neutral"]
const states = ["pending", "success", "failure", "cancelled", "skipped"] as const
const causes = ["checks_timeout", "checks_failed", "by_hand", "other", "unknown", "conflict"] as const
const classes = ["flaky", "real", "unknown", "infrastructure"] as const

/** One of the last two groups: few subjects, so that several things happen to each. */
const subject = (choice: number, { groups }: EngineState.EngineState): string =>
  groups.at(-1 - (choice % 2))?.id ?? "none"

/** The happenings: a number chooses the subject and how it is. */
const happenings: ReadonlyArray<(choice: number, place: number, machine: Machine) => EngineEvent.EngineEvent> = [
  (choice, place, { state }) => {
    const onto = choice % 2 === 0 ? "main" : (state.groups.at(-1)?.id ?? "main")
    const members = [{ number: choice % 4, head: `h${choice % 4}` }]
    return {
      kind: "group_seen",
      group: { id: `g${place}`, tree: choice % 3 === 0 ? `t${choice % 4}` : `u${place}`, onto, members }
    }
  },
  ...Array.from({ length: 8 }, () => (choice: number, place: number, { state }: Machine): EngineEvent.EngineEvent => {
    const sha = subject(choice, state)
    // Each check has attempts of its own: the one that was to run again, or the next.
    const ran = state.groups.find(({ id }) => id === sha)?.round.ran ?? []
    const seen = required.map((name, index) => {
      const ranAt = ran.find((each) => each.name === name)?.attempt ?? 0
      const attempt = Math.max(1, ranAt + ((choice >> (3 * index)) % 3 === 0 ? 0 : 1))
      return { name, state: states[(choice >> (2 * index)) % states.length] ?? "pending", attempt }
    })
    return {
      kind: "checks_seen",
      sha,
      version: choice % 5 === 0 ? 0 : place,
      checks: seen.slice(choice % 7 === 0 ? 1 : 0),
      ...(choice % 3 === 0 ? { running: choice % 2 === 0 } : {})
    }
  }),
  // The platform starts nothing for the group before the last one.
  ...Array.from({ length: 2 }, () => (_: number, place: number, { state }: Machine): EngineEvent.EngineEvent => {
    const sha = subject(1, state)
    return { kind: "checks_seen", sha, version: place, checks: [], running: false }
  }),
  ...Array.from({ length: 3 }, () => (choice: number, _: number, { state }: Machine): EngineEvent.EngineEvent => {
    const sha = subject(choice, state)
    const failure = {
      check: required[choice % 2] ?? "unit",
      test: "t",
      class: classes[choice % 4] ?? "unknown",
      probability: null
    }
    return { kind: "reports_seen", sha, attempt: 1 + (choice % 3), failures: [failure] }
  }),
  (choice, _, { state }) => ({
    kind: "group_gone",
    id: subject(choice, state),
    cause: (["merged", "invalidated", "dequeued"] as const)[choice % 3] ?? "merged"
  }),
  () => ({ kind: "pause_set", reason: "release", by: "ana" }),
  () => ({ kind: "pause_cleared", by: "ana" }),
  // The platform's clock is up to twenty minutes behind what was read.
  (choice, _, { now }) => ({
    kind: "evicted",
    member: { number: choice % 4, head: `h${choice % 4}` },
    cause: causes[choice % causes.length] ?? "other",
    ...(choice % 5 === 0 ? {} : { at: now - (choice % 20) * Instant.minute })
  }),
  (choice) => ({ kind: "retry_asked", number: choice % 4, by: "ana" }),
  (choice) => ({ kind: "dequeue_asked", number: choice % 4, by: "ben" }),
  (choice) => ({
    kind: "conflict_seen",
    member: { number: choice % 2, head: `h${choice % 2}` },
    isConflict: choice % 5 > 0
  }),
  (choice) => ({
    kind: "queue_seen",
    members: [0, 1, 2, 3]
      .filter((number) => (choice >> number) % 2 === 0)
      .map((number) => ({ number, head: `h${number}` }))
  }),
  (choice, _, { state }) => {
    const open = state.inflight[choice % Math.max(1, state.inflight.length)]?.command.id ?? "none"
    return { kind: "refused", command: open, refusal: "not_possible", detail: "403", base: null }
  },
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
    if (happen !== undefined) appendEvents(machine, happen(Math.floor(choice / happenings.length), place + 1, machine))
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
        return event.conclusion === "failure" || isGreen || group.reused !== null ? [] : [`${group.id} passed`]
      }),
    (state, given, now) => EngineDecision.decide(state, { ...given, requiredChecks: ["unit"] }, now)
  ],
  "a group passes by its tree only when a group with that tree was green": [
    (machine) => {
      const trees = new Set<string>()
      return moments(machine).flatMap(({ before, event }) => {
        for (const { round } of before.groups) {
          const stateOf = (name: string) => round.checks.find((check) => check.name === name)?.state ?? "pending"
          if (required.every((name) => passing.includes(stateOf(name)))) trees.add(round.tree)
        }
        const tree = before.groups.find(({ id }) => event.kind === "round_reused" && id === event.batch)?.tree
        return tree === undefined || trees.has(tree) ? [] : [`${tree} was reused`]
      })
    },
    (state, given, now) => {
      const digest = EngineConfiguration.requiredDigest(given)
      const greens = state.groups.map(({ round, tree }) => ({ sha: "none", tree, required: digest, round }))
      return EngineDecision.decide({ ...state, greens }, given, now)
    }
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
  "nobody is evicted for failed checks while an incident is held": [
    (machine) =>
      conclusions(machine).flatMap(({ before, event, group }) => {
        const isHeld = before.incident !== null && event.conclusion === "failure"
        return isHeld ? [`${group.id} failed in an incident`] : []
      }),
    (state, given, now) => EngineDecision.decide({ ...state, incident: null }, given, now)
  ],
  "an attempt that was run again is not held against a group": [
    (machine) => {
      const ran = new Map<string, number>()
      return moments(machine).flatMap(({ before, event }) => {
        if (event.kind === "round_rerun") {
          const checks = before.groups.find(({ id }) => id === event.batch)?.round.checks ?? []
          for (const { attempt, name } of checks) {
            if (event.checks.includes(name)) ran.set(`${event.batch} ${name}`, attempt)
          }
        }
        if (event.kind !== "group_concluded" || event.reason?.code !== "checks_failed") return []
        const round = before.groups.find(({ id }) => id === event.group)?.round
        // A rerun that the platform refused for good leaves the old attempt as the last.
        if (round?.canRerun !== true) return []
        return round.checks
          .filter(({ name }) => event.reason?.checks?.includes(name) === true)
          .filter(({ attempt, name }) => attempt <= (ran.get(`${event.group} ${name}`) ?? 0))
          .map(({ attempt, name }) => `${event.group} failed by attempt ${attempt} of ${name}, which ran again`)
      })
    },
    (state, given, now) =>
      EngineDecision.decide(
        {
          ...state,
          groups: state.groups.map((group) => ({
            ...group,
            round: {
              ...group.round,
              checks: group.round.checks.map((check) =>
                group.round.ran.some(({ attempt, name }) => name === check.name && check.attempt <= attempt)
                  ? { ...check, state: "failure" }
                  : check
              )
            }
          }))
        },
        given,
        now
      )
  ],
  "a pull request that a person took out comes back only when a person asks, or the platform has it again": [
    (machine) => {
      const out = new Set<number>()
      return moments(machine).flatMap(({ event }) => {
        if (event.kind === "dequeue_asked") out.add(event.number)
        if (event.kind === "retry_asked") out.delete(event.number)
        // An entry that was read or removed later is another stay in the queue.
        if (event.kind === "queue_seen") for (const { number } of event.members) out.delete(number)
        if (event.kind === "evicted") out.delete(event.member.number)
        if (event.kind === "group_concluded") out.clear()
        const isBack =
          event.kind === "issued" && event.command.kind === "enqueue" && out.has(event.command.member.number)
        return isBack ? [`${event.command.id} although it was taken out`] : []
      })
    },
    (state, given, now) =>
      EngineDecision.decide(
        {
          ...state,
          parked: state.evicted.map(({ head, number }) => ({
            head,
            number,
            cause: "hold" as const,
            pausedAt: 1,
            place: 0
          }))
        },
        given,
        now
      )
  ],
  "each head of a pull request is healed at most once": [
    (machine) => {
      const heads = moments(machine).flatMap(({ before, event }) => {
        const group = before.groups.find(({ id }) => event.kind === "group_healed" && id === event.group)
        return (group?.members ?? []).map(({ head, number }) => `${number} ${head}`)
      })
      return heads.filter((head, index) => heads.indexOf(head) !== index)
    },
    (state, given, now) => EngineDecision.decide({ ...state, healed: [] }, given, now)
  ],
  "a group is healed only when it has no required check and a later one has something": [
    (machine) =>
      moments(machine).flatMap(({ before, event }) => {
        if (event.kind !== "group_healed") return []
        const has = ({ round }: EngineState.NativeGroup) => round.checks.some(({ name }) => required.includes(name))
        const at = before.groups.findIndex(({ id }) => id === event.group)
        const isLater = before.groups.slice(at + 1).some((group) => has(group) || group.round.quietSince === null)
        const own = before.groups[at]
        const isAlone = own !== undefined && !has(own) && own.round.quietSince !== null
        return before.pause === null && isAlone && isLater ? [] : [event.group]
      }),
    (state, given, now) =>
      EngineDecision.decide(
        { ...state, groups: state.groups.map((group) => ({ ...group, round: { ...group.round, checks: [] } })) },
        given,
        now
      )
  ],
  "an entry is taken out only after two reads of its conflict in a row, and never during a hold": [
    (machine) => {
      const reads = new Map<number, number>()
      return moments(machine).flatMap(({ before, event }) => {
        if (event.kind === "conflict_seen") {
          const { number } = event.member
          reads.set(number, event.isConflict ? (reads.get(number) ?? 0) + 1 : 0)
        }
        if (event.kind !== "entry_removed") return []
        const isHeld = before.pause !== null || before.incident !== null
        const isRead = (reads.get(event.member.number) ?? 0) >= 2
        reads.set(event.member.number, 0)
        return isHeld || !isRead ? [`${event.member.number} was taken out`] : []
      })
    },
    (state, given, now) =>
      EngineDecision.decide(
        { ...state, conflicting: state.conflicting.map((each) => ({ ...each, reads: 2 })) },
        given,
        now
      )
  ],
  "a pull request comes back once for each hold or request": [
    (machine) => {
      const ids = machine.log.flatMap(({ event }) =>
        event.kind === "issued" && event.command.kind === "enqueue" ? [event.command.id] : []
      )
      return ids.filter((id, index) => ids.indexOf(id) !== index)
    },
    (state, given, now) =>
      EngineDecision.decide(
        {
          ...state,
          parked: state.evicted.map(({ head, number }) => ({
            head,
            number,
            cause: "hold" as const,
            pausedAt: 1,
            place: 0
          }))
        },
        given,
        now
      )
  ],
  "reruns stay within the budget of the round": [
    (machine) =>
      machine.state.groups
        .filter(({ round }) => round.attempt > 1 + configuration.rerun.perRound)
        .map(({ id }) => `${id} ran too often`),
    (state, given, now) =>
      EngineDecision.decide(
        {
          ...state,
          groups: state.groups.map((group) => ({ ...group, round: { ...group.round, attempt: 1, reds: [] } }))
        },
        { ...given, rerun: { perRound: 9, perPullRequest: 9, shareOfRounds: 9 } },
        now
      )
  ],
  "a second decision without news adds nothing": [
    ({ configuration: given, decide, now, state }) => decide(state, given, now).events.map(({ kind }) => kind),
    (state, given, now) => EngineDecision.decide({ ...state, shown: {} }, given, now)
  ]
}

const schedules = fc.array(fc.nat({ max: 10_000_000 }), { minLength: 5, maxLength: 120 })

describe("laws of the gate", () => {
  for (const [name, [law, broken]] of Object.entries(laws)) {
    it(`${name}, and a broken gate violates it`, { timeout: 600_000 }, () => {
      fc.assert(
        fc.property(schedules, (choices) => assert.deepStrictEqual(law(play(choices)), [])),
        budget
      )
      const property = fc.property(schedules, (choices) => law(play(choices, broken)).length === 0)
      assert.isTrue(fc.check(property, search).failed)
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
