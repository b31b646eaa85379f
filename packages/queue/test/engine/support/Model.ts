/**
 * An exhaustive model: every order in which the executor, the checks and one disturbance can act in a small world.
 *
 * **Details**
 *
 * States differ by what can still matter: names are numbered in the order in which they appear, and times,
 * versions and counters are left out. Deliveries are level-triggered sweeps. Comments are written at once. Time passes
 * only when nothing else can happen.
 */
import { createHash } from "node:crypto"
import { Record } from "effect"
import {
  advance,
  commandsOf,
  type Decide,
  edit,
  type Forge,
  type Machine,
  push,
  pushBase,
  sweep
} from "@lazaret/queue/testing"
import { idempotency, laws } from "./Law.ts"
import { execute, finish, queue, start, observe, type Trace } from "./Schedule.ts"
import { headOf, type World } from "./World.ts"

/** A disturbance, once and at any moment. */
export type Disturbance = "none" | "crash" | "push" | "close" | "base" | "empty" | "pause"

interface Node {
  readonly trace: Trace
  readonly isDisturbed: boolean
}

const copy = ({ machine, ...trace }: Trace): Trace => ({
  ...trace,
  settled: [...trace.settled],
  greenAt: [...trace.greenAt],
  stale: [],
  machine: { ...machine, log: [...machine.log], forge: copyForge(machine.forge) }
})

/** A copy of all that the operations of a forge change in place; a structured clone takes three times as long. */
const copyForge = (forge: Forge): Forge => ({
  ...forge,
  commits: { ...forge.commits },
  branches: { ...forge.branches },
  pulls: Record.map(forge.pulls, (pull) => ({ ...pull })),
  runs: Record.map(forge.runs, (runs) => ({ ...runs })),
  landings: [...forge.landings],
  comments: [...forge.comments]
})

const forgotten = new Set([
  "version",
  "seq",
  "at",
  "queuedAt",
  "readyAt",
  "startedAt",
  "clockedAt",
  "redAt",
  "rounds",
  "generation",
  "tries",
  "notBefore",
  "pausedFor",
  "confirmed",
  "messages",
  "id",
  "comments",
  "commits",
  "landings"
])

/** A digest of what can still matter, of 128 bits: the texts of a million states would fill the memory. */
const keyOf = (node: Node): string => createHash("md5").update(textOf(node)).digest("base64")

const textOf = ({ isDisturbed, trace }: Node): string => {
  const { forge, state } = trace.machine
  const { base, batches, entries, incident, inflight, pause } = state
  const runs = Object.entries(forge.runs).filter(([, each]) => each.checks.some((check) => check.state === "pending"))
  const confirmed = entries.map((entry) => entry.confirmed !== null)
  const kept = { isDisturbed, base, batches, entries, confirmed, incident, inflight, pause, runs, flakes: trace.flakes }
  const text = JSON.stringify({ ...kept, forge: [forge.base, forge.pulls, forge.branches] }, (key, value: unknown) =>
    forgotten.has(key) ? undefined : value
  )
  const names = new Map<string, string>()
  return text.replaceAll(/\b[mb]\d+(?:\.\d)*(?:-\d+)?/gu, (name) => {
    const known = names.get(name) ?? `${name[0]}${names.size}`
    names.set(name, known)
    return known
  })
}

const pending = ({ forge }: Machine) =>
  Object.entries(forge.runs).flatMap(([sha, { checks }]) =>
    checks.filter(({ state }) => state === "pending").map(({ name }) => ({ sha, name }))
  )

/** The checks that have ended, and that the engine has not read yet. */
const unread = ({ forge, state }: Machine) => {
  const rounds = state.batches.flatMap(({ round }) => (round === null ? [] : [round]))
  return rounds.flatMap((round) =>
    (forge.runs[round.sha]?.checks ?? []).filter(
      (check) =>
        check.state !== "pending" &&
        !round.checks.some(
          ({ name, state: known }) =>
            name === check.name &&
            (known === check.state || round.ran.some((ran) => ran.name === name && ran.attempt >= check.attempt))
        )
    )
  )
}

const isSeen = (machine: Machine): boolean => {
  const { forge, state } = machine
  const isRead = unread(machine).length === 0
  const isPulled = state.entries.every(({ number, pull }) => {
    const there = forge.pulls[number]
    return pull !== null && there?.head === pull.head && there.state === pull.state
  })
  return isRead && isPulled && state.base?.sha === forge.base
}

type Move = (trace: Trace) => void

const disturb: Readonly<Record<Disturbance, ReadonlyArray<Move>>> = {
  none: [],
  crash: [],
  push: [(trace) => push(trace.machine.forge, 1, headOf(1, 2))],
  close: [(trace) => edit(trace.machine.forge, 1, { state: "closed" })],
  base: [(trace) => pushBase(trace.machine.forge, "x")],
  empty: [(trace) => pushBase(trace.machine.forge, null)],
  pause: [(trace) => observe(trace, { kind: "pause_set", reason: "", by: "bo" })]
}

/**
 * The commands to execute next: all but those that may wait, because the other order leads to the same state.
 *
 * **Details**
 *
 * - A discard commutes with everything: it removes a branch that no batch needs, and ends checks that nobody reads. It goes
 *   first, and alone. A check of that branch could only have used up a flake.
 * - A check that passed and that the engine has not read changes nothing but that read. It commutes with every command, except
 *   with a discard or a rerun of its commit. So the read comes first, and the check may pass later instead.
 */
const due = (machine: Machine, isReduced: boolean) => {
  const commands = commandsOf(machine)
  if (!isReduced) return commands
  const passed = unread(machine)
  const isWaiting = passed.length > 0 && passed.every(({ state }) => state === "success")
  return commands.filter(({ kind }) => !isWaiting || kind === "rerun")
}

/** Every move that can be made now, and whether it is the one disturbance. */
const moves = (
  { isDisturbed, trace }: Node,
  disturbance: Disturbance,
  isReduced: boolean
): ReadonlyArray<readonly [Move, boolean]> => {
  const { machine } = trace
  const comment = commandsOf(machine).find(({ kind }) => kind === "tell")
  if (comment !== undefined) return [[(next) => execute(next, comment), false]]
  const isCrashing = !isDisturbed && disturbance === "crash"
  const discard = isReduced ? commandsOf(machine).find(({ kind }) => kind === "discard") : undefined
  if (discard !== undefined) {
    const gone: Move = (next) => execute(next, discard)
    return isCrashing
      ? [
          [gone, false],
          [crash(discard), true]
        ]
      : [[gone, false]]
  }
  const usual: Array<Move> = due(machine, isReduced).map((command) => (next) => execute(next, command))
  for (const { name, sha } of pending(machine)) {
    usual.push((next) => finish(next, sha, name, false))
    if (trace.flakes > 0) usual.push((next) => finish(next, sha, name, true))
  }
  if (!isSeen(machine)) usual.push(read)
  if (machine.state.pause !== null) usual.push((next) => observe(next, { kind: "pause_cleared", by: "bo" }))
  const { wakeAt } = machine
  if (usual.length === 0 && wakeAt !== null) {
    usual.push((next) => {
      advance(next.machine, wakeAt)
      next.settled.push(next.machine.state)
    })
  }
  const other = isDisturbed ? [] : disturb[disturbance]
  const crashes = isCrashing ? commandsOf(machine).map(crash) : []
  const seen = isReduced && disturbance !== "pause" ? other.flatMap((move) => withSight(machine, move)) : other
  return [...usual.map((move) => [move, false] as const), ...[...seen, ...crashes].map((move) => [move, true] as const)]
}

/** Everything is read, as a sweep does. */
const read: Move = (trace) => observe(trace, ...sweep(trace.machine.forge))

/** The commands whose outcome depends on the base branch and on the pull requests. */
const looking: ReadonlySet<string> = new Set(["read", "land", "merge"])

/**
 * A change at the forge together with each move that can notice it.
 *
 * **Details**
 *
 * The change commutes with every other move, so it may come immediately before the first that notices it.
 */
const withSight = (machine: Machine, change: Move): ReadonlyArray<Move> => [
  (trace) => {
    change(trace)
    read(trace)
  },
  ...due(machine, true)
    .filter(({ kind }) => looking.has(kind))
    .map((command): Move => (trace) => {
      change(trace)
      execute(trace, command)
    })
]

/** A crash after the call: the command has taken effect, its answer is lost, and the command is executed again. */
const crash =
  (command: ReturnType<typeof commandsOf>[number]): Move =>
  (trace) =>
    execute(trace, command, { isLost: true })

/** The result of a search: the number of states, and the violations in the first that has any. */
export interface Searched {
  readonly states: number
  readonly ends: ReadonlySet<string>
  readonly faults: ReadonlyArray<string>
}

const isDecisive = (trace: Trace, from: number): boolean =>
  trace.machine.log
    .slice(from)
    .some(
      ({ event }) =>
        event.kind === "dequeued" || (event.kind === "issued" && ["land", "merge"].includes(event.command.kind))
    )

/** The laws of whole traces, which are tested at their ends. */
const ofEnds: ReadonlySet<string> = new Set(["8 liveness", "14 determinism", "15 idempotency", "19 cleanliness"])

const violations = (trace: Trace, isEnd: boolean): ReadonlyArray<string> =>
  Object.entries(laws).flatMap(([name, law]) =>
    isEnd || !ofEnds.has(name) ? law(trace).map((each) => `${name}: ${each}`) : []
  )

/** A move leads to a state that decides nothing more, and to no violation if it landed or evicted somebody. */
const faultsOf = (trace: Trace, from: number): ReadonlyArray<string> => {
  const again = idempotency({ ...trace, settled: trace.settled.slice(-1) })
  return again.length === 0 && isDecisive(trace, from) ? violations(trace, false) : again
}

/** The options of a search: another engine, and whether every order is searched, also of what commutes. */
export interface Options {
  readonly decide?: Decide | undefined
  readonly isWhole?: boolean
}

/** The fates in an end: which heads landed, in their order, and how each pull request stands. */
const endOf = ({ trace: { machine } }: Node): string => {
  const { contents } = machine.forge.commits[machine.forge.base] ?? { contents: [] }
  const pulls = Object.values(machine.forge.pulls).map(({ head, state }) => `${head} ${state}`)
  const landed = machine.forge.landings.flatMap(({ members }) => members.map(({ head }) => head))
  const reasons = machine.log.flatMap(({ event }) =>
    event.kind === "dequeued" ? [`${event.number} ${event.reason.code}`] : []
  )
  return JSON.stringify([contents, pulls, landed, reasons.toSorted()])
}

/** Searches every state of a world with one disturbance. */
export const search = (world: World, disturbance: Disturbance, { decide, isWhole = false }: Options = {}): Searched => {
  const first = start(world, decide)
  for (let number = 1; number <= world.pulls; number++) queue(first)
  const seen = new Set<string>()
  const open: Array<Node> = [{ trace: first, isDisturbed: false }]
  const ends = new Set<string>()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const able = moves(node, disturbance, !isWhole)
    const isEnd = able.every(([, isOther]) => isOther)
    if (isEnd) {
      ends.add(endOf(node))
      const faults = violations(node.trace, true)
      if (faults.length > 0) return { states: seen.size, ends, faults }
    }
    for (const [move, isOther] of able) {
      const trace = copy(node.trace)
      move(trace)
      const faults = faultsOf(trace, node.trace.machine.log.length)
      if (faults.length > 0) return { states: seen.size, ends, faults }
      const next = { trace, isDisturbed: node.isDisturbed || isOther }
      const key = keyOf(next)
      if (seen.has(key)) continue
      seen.add(key)
      open.push(next)
    }
  }
  return { states: seen.size, ends, faults: [] }
}
