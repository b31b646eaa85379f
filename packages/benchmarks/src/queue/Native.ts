/**
 * GitHub's own merge queue as it is documented, by itself or with the gate: the engine in mode `gate` then decides the one
 * required check.
 */
import { Instant } from "@lazaret/domain"
import { Hub, MergeQueue } from "@lazaret/forge-simulated"
import { EngineConfiguration, type EngineCommand, type EngineEvent } from "@lazaret/queue"
import { advance, appendEvents, commandsOf, type Machine, makeForge, makeMachine } from "@lazaret/queue/testing"
import { Agenda } from "./Agenda.ts"
import { Checks, type Ended, type Judge } from "./Checks.ts"
import { away } from "./Driven.ts"
import * as Measured from "./Measured.ts"
import { exponential, random, type Random } from "./Random.ts"
import type * as World from "./World.ts"

/**
 * The settings of a queue of the platform.
 *
 * **Details**
 *
 * `building` is `max_entries_to_build`. `eviction`: a group that failed leaves at once, or when nothing is ahead of it; with the
 * gate the gate decides that. `judge` is the judge of the gate; null: the queue alone.
 */
export interface Settings {
  readonly building: number
  readonly eviction: "at once" | "in turn"
  readonly judge: Judge | null
}

type Happening =
  | { readonly kind: "arrives"; readonly number: number }
  | { readonly kind: "ends"; readonly id: string; readonly attempt: number }
  | { readonly kind: "wakes" }

/** A group: its pull request, and all that its commit holds. */
interface Group {
  readonly number: number
  readonly holds: ReadonlyArray<number>
  attempt: number
}

interface Simulated {
  readonly settings: Settings
  readonly repository: Hub.Repository
  readonly hub: Hub.Hub
  readonly machine: Machine | null
  readonly agenda: Agenda<Happening>
  readonly checks: Checks
  readonly fates: Measured.Fates
  readonly drawn: World.Drawn
  readonly back: Random
  readonly groups: Map<string, Group>
  readonly landed: Array<number>
  readonly held: Set<string>
  now: number
  version: number
  wakesAt: number
}

const check = "ci"

/** Longer than any run of the worlds: the default of an hour would evict pull requests for slow runs. */
const timeout = 3 * Instant.hour

const required = ({ judge }: Settings): string => (judge === null ? check : EngineConfiguration.ownCheck)

const rulesOf = (settings: Settings) => [
  {
    type: "merge_queue",
    parameters: {
      check_response_timeout_minutes: timeout / Instant.minute,
      grouping_strategy: "ALLGREEN",
      max_entries_to_build: settings.building,
      max_entries_to_merge: 5,
      min_entries_to_merge: 1,
      min_entries_to_merge_wait_minutes: 5
    }
  },
  { type: "required_status_checks", parameters: { required_status_checks: [{ context: required(settings) }] } }
]

const repositoryOf = (settings: Settings): Hub.Repository => ({
  ...Hub.emptyRepository({ id: 1, owner: "acme", name: "widgets" }),
  queue: [],
  branchRules: rulesOf(settings)
})

const pullOf = (number: number): Hub.Pull => ({
  id: number,
  number,
  title: "",
  user: { id: 1, login: "author" },
  head: { sha: headOf(number), ref: headOf(number), isFork: false },
  base: { sha: "m0", ref: "main" },
  state: "open",
  mergedAt: null,
  mergeCommit: null,
  commits: new Set()
})

const headOf = (number: number): string => `h${number}`

const gateOf = ({ judge }: Settings): Machine | null =>
  judge === null
    ? null
    : makeMachine(makeForge([]), {
        ...EngineConfiguration.defaults,
        mode: "gate",
        requiredChecks: [check],
        responseTimeout: timeout
      })

/** The measurements of a queue of the platform in a world. */
export const simulate = (settings: Settings, world: World.World, drawn: World.Drawn): Measured.Measured => {
  const agenda = new Agenda<Happening>()
  const simulated: Simulated = {
    settings,
    repository: repositoryOf(settings),
    hub: Hub.make(),
    machine: gateOf(settings),
    agenda,
    checks: new Checks(world, drawn, settings.judge ?? (() => [])),
    fates: Measured.noFates(),
    drawn,
    back: random(world.seed + 3),
    groups: new Map(),
    landed: [],
    held: new Set(),
    now: 0,
    version: 0,
    wakesAt: Infinity
  }
  for (const { at, number } of drawn.pulls) agenda.add(at, { kind: "arrives", number })
  for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
    simulated.now = Math.max(simulated.now, next.at)
    happen(simulated, next.what)
    while (turn(simulated) || carryOut(simulated));
    wake(simulated)
  }
  return Measured.of(simulated.fates, simulated.checks)
}

const happen = (simulated: Simulated, what: Happening): void => {
  const { fates, now, repository } = simulated
  if (what.kind === "arrives") {
    if (!repository.pulls.some(({ number }) => number === what.number)) repository.pulls.push(pullOf(what.number))
    if (!fates.queuedAt.has(what.number)) fates.queuedAt.set(what.number, now)
    MergeQueue.enter(repository, what.number)
  } else if (what.kind === "ends") end(simulated, what.id, what.attempt)
  else {
    simulated.wakesAt = Infinity
    observe(simulated)
  }
}

/** Lets the gate see something. */
const observe = ({ machine, now }: Simulated, ...events: ReadonlyArray<EngineEvent.EngineEvent>): void => {
  if (machine === null) return
  advance(machine, now)
  if (events.length > 0) appendEvents(machine, ...events)
}

const end = (simulated: Simulated, id: string, attempt: number): void => {
  const group = simulated.groups.get(id)
  if (group === undefined || group.attempt !== attempt) return
  const ended = simulated.checks.end({ commit: id, attempt, holds: group.holds })
  if (simulated.machine !== null) return report(simulated, id, attempt, ended)
  if (!ended.isGreen && simulated.settings.eviction === "in turn") simulated.held.add(id)
  else conclude(simulated, id, ended.isGreen)
}

const conclude = ({ hub, repository, settings }: Simulated, id: string, isGreen: boolean): void => {
  const members = { name: required(settings), status: "completed", conclusion: isGreen ? "success" : "failure" }
  repository.checkRuns.push({ id: Hub.nextId(hub), headSha: id, appId: 1, members, annotations: [] })
}

const report = (simulated: Simulated, sha: string, attempt: number, ended: Ended): void => {
  see(simulated, sha, attempt, ended.isGreen ? "success" : "failure")
  if (ended.isGreen) return
  observe(simulated, {
    kind: "reports_seen",
    sha,
    attempt,
    failures: ended.failures.map((each) => ({ check, ...each }))
  })
}

const see = (simulated: Simulated, sha: string, attempt: number, state: "pending" | "success" | "failure"): void => {
  simulated.version += 1
  const checks = [{ name: check, state, attempt }]
  observe(simulated, { kind: "checks_seen", sha, version: simulated.version, checks, running: state === "pending" })
}

/** Lets the queue of the platform act once; says whether it did. */
const turn = (simulated: Simulated): boolean => {
  const { hub, now, repository } = simulated
  const conflicting = dropConflicts(simulated)
  const [first] = repository.queue ?? []
  if (first?.group !== null && first !== undefined && simulated.held.delete(first.group.id)) {
    conclude(simulated, first.group.id, false)
  }
  const { built, evicted, merged } = MergeQueue.turn(hub, repository, now)
  for (const number of merged) land(simulated, number)
  for (const number of evicted) evict(simulated, number)
  forget(simulated)
  for (const { group, number } of built) if (group !== null) begin(simulated, number, group)
  return conflicting || built.length + evicted.length + merged.length > 0
}

/** The platform takes out a pull request that git cannot merge with what is ahead of it. */
const dropConflicts = ({ drawn, landed, now, repository }: Simulated): boolean => {
  const ahead = new Set(landed)
  const out: Array<number> = []
  for (const { number } of repository.queue ?? []) {
    const conflicts = drawn.conflicts.some(([a, b]) => (a === number && ahead.has(b)) || (b === number && ahead.has(a)))
    if (conflicts) out.push(number)
    else ahead.add(number)
  }
  for (const number of out) MergeQueue.leave(repository, number, { at: now, reason: "merge_conflict", by: null })
  return out.length > 0
}

const groupOf = ({ groups }: Simulated, number: number) => [...groups].find(([, group]) => group.number === number)

const land = (simulated: Simulated, number: number): void => {
  const { checks, fates, groups, landed, now } = simulated
  checks.land([number])
  landed.push(number)
  fates.mergedAt.set(number, now)
  const [id] = groupOf(simulated, number) ?? []
  if (id === undefined) return
  groups.delete(id)
  observe(simulated, { kind: "group_gone", id, cause: "merged" })
}

const evict = (simulated: Simulated, number: number): void => {
  const { agenda, back, checks, fates, groups, now } = simulated
  const [id, group] = groupOf(simulated, number) ?? []
  if (!checks.isGuilty(number, group?.holds)) {
    fates.evicted += 1
    agenda.add(now + exponential(back, away), { kind: "arrives", number })
  }
  if (id === undefined) return
  groups.delete(id)
  observe(simulated, { kind: "group_gone", id, cause: "dequeued" })
}

/** The groups that the platform has thrown away. */
const forget = (simulated: Simulated): void => {
  const { groups, repository } = simulated
  const present = new Set((repository.queue ?? []).flatMap(({ group }) => (group === null ? [] : [group.id])))
  for (const id of groups.keys()) {
    if (present.has(id)) continue
    groups.delete(id)
    observe(simulated, { kind: "group_gone", id, cause: "invalidated" })
  }
  const known = repository.checkRuns.filter(({ headSha }) => present.has(headSha))
  repository.checkRuns.splice(0, repository.checkRuns.length, ...known)
}

const begin = (simulated: Simulated, number: number, { id, onto }: { readonly id: string; readonly onto: string }) => {
  const { agenda, checks, groups, landed, now } = simulated
  const holds = [...(groups.get(onto)?.holds ?? landed), number]
  groups.set(id, { number, holds, attempt: 1 })
  const members = [{ number, head: headOf(number) }]
  observe(simulated, {
    kind: "group_seen",
    group: { id, tree: holds.toSorted((a, b) => a - b).join(" "), onto, members }
  })
  see(simulated, id, 1, "pending")
  agenda.add(now + checks.begin(1), { kind: "ends", id, attempt: 1 })
}

/** Does what the gate wants done; says whether that was anything. */
const carryOut = (simulated: Simulated): boolean => {
  const { machine } = simulated
  if (machine === null) return false
  const [command] = commandsOf(machine)
  if (command === undefined) return false
  execute(simulated, command)
  observe(simulated, { kind: "done", command: command.id, answer: { kind: "ok" } })
  return true
}

const execute = (simulated: Simulated, command: EngineCommand.EngineCommand): void => {
  const { agenda, checks, groups, now, repository } = simulated
  if (command.kind === "set_check") {
    if (command.state !== "in_progress" && groups.has(command.sha)) {
      conclude(simulated, command.sha, command.state === "success")
    }
  } else if (command.kind === "rerun") {
    const group = groups.get(command.sha)
    if (group === undefined) return
    group.attempt = command.attempt + 1
    see(simulated, command.sha, group.attempt, "pending")
    agenda.add(now + checks.begin(group.attempt), { kind: "ends", id: command.sha, attempt: group.attempt })
  } else if (command.kind === "dequeue") MergeQueue.leave(repository, command.number)
  else if (command.kind === "enqueue") MergeQueue.enter(repository, command.member.number)
}

const wake = (simulated: Simulated): void => {
  const wakeAt = simulated.machine?.wakeAt ?? null
  if (wakeAt === null || wakeAt >= simulated.wakesAt) return
  simulated.wakesAt = wakeAt
  simulated.agenda.add(wakeAt, { kind: "wakes" })
}
