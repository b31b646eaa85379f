/** The laws of the engine, each as a function that says what a trace violates; an empty list: nothing. */
import {
  type DequeueReason,
  EngineDecision,
  type EngineEvent,
  EngineFold,
  EngineState,
  type Observation
} from "@lazaret/queue"
import * as Batch from "../../../src/engine/Batch.ts"
import * as Entry from "../../../src/engine/Entry.ts"
import { isFailure } from "../../../src/engine/DequeueReason.ts"
import { dailyFloor } from "../../../src/engine/RerunBudget.ts"
import { treeOf } from "@lazaret/queue/testing"
import type { Trace } from "./Schedule.ts"

/** A law: what a trace violates. */
export type Law = (trace: Trace) => ReadonlyArray<string>

interface Moment {
  readonly before: EngineState.EngineState
  readonly event: EngineEvent.EngineEvent
  readonly seq: number
  readonly at: number
}

/** Every event with the state before it. The laws share those of a log that has not grown. */
const moments = ({ machine: { log } }: Trace): ReadonlyArray<Moment> => {
  const known = folded.get(log) ?? []
  if (known.length === log.length) return known
  let before = EngineState.initial
  const found = log.map((logged) => {
    const moment = { before, event: logged.event, seq: logged.seq, at: logged.at }
    before = EngineFold.step(before, logged)
    return moment
  })
  folded.set(log, found)
  return found
}

const folded = new WeakMap<ReadonlyArray<EngineEvent.Logged>, ReadonlyArray<Moment>>()

const of = <Kind extends EngineEvent.EngineEvent["kind"]>(trace: Trace, kind: Kind) =>
  moments(trace).flatMap((moment) =>
    moment.event.kind === kind ? [{ ...moment, event: moment.event as EngineEvent.Of<Kind> }] : []
  )

const tree = (contents: ReadonlyArray<string>): string => `t(${contents.join(" ")})`

const contents = (name: string): ReadonlyArray<string> =>
  name
    .slice(2, -1)
    .split(" ")
    .filter((each) => each !== "")

const withHeads = (base: string, heads: ReadonlyArray<string>): string =>
  tree([...new Set([...contents(base), ...heads])].sort())

const uses = (a: Observation.Member, b: Observation.Member): boolean => a.number === b.number && a.head === b.head

/** 1. What lands was green as the tree that lands, on the tree on which it lands, and the base branch only moves ahead. */
export const testedLands: Law = ({ greenAt, machine }) => [
  ...machine.log.flatMap(({ event }) =>
    event.kind === "refused" && event.refusal === "not_possible" ? [`${event.command} cannot be a landing`] : []
  ),
  ...machine.forge.landings.flatMap((landing, index) => {
    const heads = landing.members.map(({ head }) => head)
    const faults: Array<string> = []
    if (landing.after !== withHeads(landing.before, heads))
      faults.push(`${landing.sha} is not its members and the base`)
    const green = greenAt[index] ?? []
    const steps = machine.log.flatMap(({ event }) =>
      event.kind === "done" && event.answer.kind === "built" ? [event.answer.steps] : []
    )
    const isStep = steps.some(
      (each) => each.some((step) => step.tree === landing.after) && green.includes(each.at(-1)?.tree ?? "")
    )
    if (!isStep) faults.push(`${landing.sha} landed as ${landing.after}, which was not green`)
    return faults
  })
]

/** 2. What lands is the pinned head, read as ready after the round ended. */
export const noUnpinnedCode: Law = (trace) =>
  moments(trace).flatMap(({ before, event }, index, all) => {
    if (event.kind !== "issued") return []
    const { command } = event
    if (command.kind !== "land" && command.kind !== "merge") return []
    const members = command.kind === "land" ? command.members : [command.member]
    const ended = all
      .slice(0, index)
      .findLastIndex(
        (each) =>
          (each.event.kind === "round_passed" || each.event.kind === "round_reused") &&
          each.event.batch === command.batch
      )
    const read = all.slice(ended).findLast((each) => each.event.kind === "done" && each.event.answer.kind === "read")
    return members.flatMap((member) => {
      const asked = all
        .slice(0, index)
        .findLast((each) => each.event.kind === "queue_asked" && each.event.number === member.number)
      const pinned = asked?.event.kind === "queue_asked" ? asked.event.head : null
      const reads = all
        .slice(Math.max(0, ended), index)
        .flatMap((each) =>
          each.event.kind === "done" && each.event.answer.kind === "read" ? each.event.answer.pulls : []
        )
      const pull = reads.findLast((each) => each.number === member.number)
      const entry = EngineState.entryOf(before, member.number)
      const isReady = entry !== undefined && Entry.obstacle(entry, "main") === null
      if (pinned !== member.head) return [`#${member.number} lands at ${member.head}, pinned is ${pinned}`]
      if (read === undefined || pull === undefined) return [`#${member.number} lands without a read after its round`]
      return pull.head === member.head && isReady ? [] : [`#${member.number} lands and is not ready`]
    })
  })

/** 3. Of two that are ready all the time, with equal priority, the one that was queued first does not land second. */
export const order: Law = (trace) => {
  const asked = of(trace, "priority_asked").map(({ event }) => event.number)
  return trace.machine.forge.landings.flatMap((landing) =>
    landing.members.flatMap((member, place) => {
      const upTo = trace.settled.filter(({ seq }) => seq <= landing.seq)
      const last = upTo.at(-1)
      const late = last === undefined ? undefined : EngineState.entryOf(last, member.number)
      if (last === undefined || late === undefined) return []
      return last.entries.flatMap((early) => {
        const within = landing.members.findIndex((each) => uses(each, early))
        const isBefore = within >= 0 && within < place
        const isAhead = early.queuedAt < late.queuedAt && early.priority === late.priority
        if (!isAhead || isBefore || asked.includes(early.number) || asked.includes(late.number)) return []
        const stays = upTo.flatMap((state) =>
          state.entries.filter((each) => each.queuedAt === early.queuedAt && uses(each, early))
        )
        const isReady = stays.every((each) => Entry.isReady(each, "main") && each.overtaken <= late.overtaken)
        return isReady && early.overtaken <= late.overtaken ? [`#${late.number} landed before #${early.number}`] : []
      })
    })
  )
}

/** 4. No pull request lands twice, and all that landed is in the base branch. */
export const noDoubleMerge: Law = (trace) => {
  const { forge } = trace.machine
  const landed = of(trace, "done").flatMap(({ before, event }) => {
    const command = before.inflight.find((each) => each.command.id === event.command)?.command
    if (command?.kind === "land") return command.members
    return command?.kind === "merge" ? [command.member] : []
  })
  const twice = landed.filter((member, index) => landed.findIndex((each) => uses(each, member)) !== index)
  const base = contents(treeOf(forge, forge.base))
  const lost = forge.landings.flatMap(({ members }) => members).filter(({ head }) => !base.includes(head))
  return [...twice.map(({ number }) => `#${number} landed twice`), ...lost.map(({ number }) => `#${number} was lost`)]
}

const hasEvidence = (reason: DequeueReason.DequeueReason): boolean =>
  !isFailure(reason) ||
  (reason.round !== undefined && (reason.checks ?? []).length > 0 && (reason.members ?? []).length > 0)

/** 5. Every stay ends once, and a dequeue has its evidence. */
export const singleFate: Law = (trace) => {
  const { machine } = trace
  const left = of(trace, "dequeued").flatMap(({ before, event }) => {
    const entry = EngineState.entryOf(before, event.number)
    if (entry === undefined || entry.head !== event.head) return [`#${event.number} was dequeued and not queued`]
    return hasEvidence(event.reason) ? [] : [`#${event.number} was dequeued without evidence`]
  })
  const both = machine.forge.landings.flatMap(({ members, seq }) =>
    members.flatMap((member) => {
      const later = machine.log.find(
        (each) => each.seq > seq && each.event.kind === "dequeued" && uses(each.event, member)
      )
      const isQueued = machine.state.entries.some((entry) => uses(entry, member))
      return later === undefined && !isQueued ? [] : [`#${member.number} landed and is not gone as merged`]
    })
  )
  return [...left, ...both]
}

/** 6. An eviction for a failure names a red tree that differs from the base branch by that one pull request. */
export const noInnocentByInference: Law = (trace) =>
  of(trace, "dequeued").flatMap(({ before, event }) => {
    const { head, number, reason } = event
    if (reason.code !== "checks_failed") return []
    const expected = withHeads(before.base?.tree ?? "t()", [head])
    if (reason.tree !== expected) return [`#${number} was evicted for ${reason.tree}, not for ${expected}`]
    const isProved = reason.inferred !== true || reason.class === "real" || trace.world.infer === "always"
    return isProved ? [] : [`#${number} was evicted by inference from a failure that is not judged real`]
  })

/** 7. A failure changes nothing for those ahead, and evicts nobody while something ahead is undecided. */
export const independence: Law = (trace) => [
  ...of(trace, "dequeued").flatMap(({ before, event }) => {
    if (!isFailure(event.reason)) return []
    return before.batches[0]?.members.some((member) => uses(member, event)) === true
      ? []
      : [`#${event.number} was evicted while others ahead were undecided`]
  }),
  ...of(trace, "round_failed").flatMap(({ before, event }) => {
    const after = EngineFold.step(before, { seq: before.seq + 1, at: 0, event })
    const index = before.batches.findIndex(({ id }) => id === event.batch)
    const isSame = before.batches
      .slice(0, index)
      .every(
        (batch, place) =>
          batch === after.batches[place] || Batch.isSame(batch.members, after.batches[place]?.members ?? [])
      )
    return isSame ? [] : [`the failure of ${event.batch} changed what is ahead`]
  })
]

/** 8. When the forge is quiet, nobody who is ready stays in the queue. */
export const liveness: Law = ({ machine }) =>
  machine.state.entries
    .filter((entry) => machine.state.pause === null && Entry.isReady(entry, "main"))
    .map(({ number }) => `#${number} is ready and still queued`)

/** 9. Nobody is overtaken more often than allowed while it is ready and waits. */
export const noStarvation: Law = (trace) => {
  const counts = new Map<string, number>()
  for (const { before, event } of of(trace, "batch_formed")) {
    const taken = before.batches.flatMap(({ members }) => members.map(({ number }) => number))
    for (const entry of before.entries) {
      const isWaiting = !taken.includes(entry.number) && Entry.isReady(entry, "main")
      if (!isWaiting || event.members.some(({ number }) => number === entry.number)) continue
      const overtakers = event.members.filter(
        ({ number }) => (EngineState.entryOf(before, number)?.queuedAt ?? 0) > entry.queuedAt
      )
      const stay = `#${entry.number} queued at ${entry.queuedAt}`
      counts.set(stay, (counts.get(stay) ?? 0) + overtakers.length)
    }
  }
  return [...counts].filter(([, count]) => count > trace.world.maxOvertakes).map(([stay]) => `${stay} starves`)
}

/** 10. During a pause nothing is landed and nobody is evicted for checks. */
export const pause: Law = (trace) =>
  moments(trace).flatMap(({ before, event, seq }) => {
    if (before.pause === null) return []
    const isLanding = event.kind === "issued" && ["land", "merge", "enqueue", "build"].includes(event.command.kind)
    const isEviction = event.kind === "dequeued" && isFailure(event.reason)
    return isLanding || isEviction ? [`${event.kind} at ${seq} during a pause`] : []
  })

/** 12. Reruns stay within the budgets of the round, of the pull request, and of the day. */
export const rerunBound: Law = (trace) => {
  const { perPullRequest, perRound, share } = trace.world
  const charged: Array<number> = []
  return of(trace, "round_rerun").flatMap(({ at, before, event }) => {
    const batch = before.batches.find(({ id }) => id === event.batch)
    const faults: Array<string> = []
    if ((batch?.round?.attempt ?? 1) > perRound) faults.push(`${event.batch} runs too often`)
    if (event.isFree) return faults
    charged.push(at)
    const numbers = (batch?.members ?? []).map(({ number }) => number)
    const most = Math.max(...numbers.map((number) => EngineState.entryOf(before, number)?.reruns ?? 0))
    if (most >= perPullRequest) faults.push(`${event.batch} has used up its reruns`)
    const since = at - 86_400_000
    const rounds = before.rounds.filter((time) => time > since).length
    const reruns = charged.filter((time) => time > since).length
    if (reruns > share * rounds + dailyFloor) faults.push(`${reruns} reruns for ${rounds} rounds in a day`)
    return faults
  })
}

/** 13. Green means that the latest attempt of every required check is green on that commit; red attempts stay known. */
export const rerunExcusesNothing: Law = (trace) => {
  const latest = new Map<string, { readonly version: number; readonly checks: ReadonlyArray<Observation.Check> }>()
  const asked = new Map<string, number>()
  return moments(trace).flatMap(({ before, event }) => {
    if (event.kind === "checks_seen" && event.version > (latest.get(event.sha)?.version ?? -1)) {
      latest.set(event.sha, event)
    }
    const round = "batch" in event ? before.batches.find(({ id }) => id === event.batch)?.round : undefined
    if (event.kind === "round_rerun" && round !== null && round !== undefined) {
      for (const name of event.checks) {
        asked.set(`${round.sha} ${name}`, round.checks.find((check) => check.name === name)?.attempt ?? 0)
      }
      return event.checks.length > 0 && event.failures.length > 0 ? [] : ["a rerun forgot what failed"]
    }
    if (event.kind !== "round_passed" || round === null || round === undefined) return []
    const isGreen = (name: string) => {
      const check = latest.get(round.sha)?.checks.find((each) => each.name === name)
      return check?.state === "success" && check.attempt > (asked.get(`${round.sha} ${name}`) ?? 0)
    }
    return trace.world.checks.filter((name) => !isGreen(name)).map((name) => `${event.batch} passed without ${name}`)
  })
}

/** 14. The fold of the log is the state, from any snapshot on. */
export const determinism: Law = ({ machine }) => {
  const text = (state: EngineState.EngineState) => JSON.stringify(state)
  const middle = Math.floor(machine.log.length / 2)
  const snapshot = EngineFold.fold(machine.log.slice(0, middle))
  const faults: Array<string> = []
  if (text(EngineFold.fold(machine.log)) !== text(machine.state)) faults.push("the fold of the log is not the state")
  if (text(EngineFold.fold(machine.log, snapshot)) !== text(machine.state)) faults.push("a snapshot leads elsewhere")
  const [once, again] = [0, 1].map(() => machine.decide(snapshot, machine.configuration, machine.now))
  if (JSON.stringify(once) !== JSON.stringify(again)) faults.push("equal arguments decide differently")
  return faults
}

/** 15. A second decision without news adds nothing. */
export const idempotency: Law = ({ machine, settled }) =>
  settled.flatMap((state) => {
    const at = machine.log[state.seq - 1]?.at ?? 0
    const { events } = machine.decide(state, machine.configuration, at)
    return events.length === 0 ? [] : [`decides ${events.map(({ kind }) => kind).join(", ")} again at ${state.seq}`]
  })

/** 19. When the forge is quiet, no branch of the engine is left, and no command is under way. */
export const cleanliness: Law = ({ machine: { forge, state } }) => [
  ...Object.keys(forge.branches).map((name) => `the branch ${name} is left`),
  ...state.inflight.map(({ command }) => `${command.id} is under way`)
]

/** The laws that hold for every trace, by their names. */
export const laws: Readonly<Record<string, Law>> = {
  "1 tested lands": testedLands,
  "2 no unpinned code": noUnpinnedCode,
  "3 order": order,
  "4 no double merge": noDoubleMerge,
  "5 single fate": singleFate,
  "6 no innocent by inference": noInnocentByInference,
  "7 independence": independence,
  "8 liveness": liveness,
  "9 no starvation": noStarvation,
  "10 pause": pause,
  "12 rerun bound": rerunBound,
  "13 a rerun excuses nothing": rerunExcusesNothing,
  "14 determinism": determinism,
  "15 idempotency": idempotency,
  "19 cleanliness": cleanliness
}

/** The engine's own decision. */
export const decide = EngineDecision.decide
