/** The state of the engine of one base branch. `EngineFold` makes it from the log. */
import type { Batch, Failed } from "./Batch.ts"
import type { CheckMatch } from "./CheckMatch.ts"
import type * as DequeueReason from "./DequeueReason.ts"
import * as EngineCommand from "./EngineCommand.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import type { Entry } from "./Entry.ts"
import type { Group, Member, Tip } from "./Observation.ts"
import type { BranchRule } from "./Preflight.ts"
import * as Foresight from "./Foresight.ts"
import type { Round } from "./Round.ts"
import type { Savings } from "./Savings.ts"
import * as Trial from "./Trial.ts"
import { Instant } from "@lazaret/domain"

/** A pause: since when, why, and by whom. */
export interface Pause {
  readonly at: number
  readonly reason: string
  readonly by: string
}

/**
 * A command that has not been done yet, and how often it was tried.
 *
 * **Details**
 *
 * `refusal` is the sentence of the platform that refused the last try, null when its outcome is unknown. A refused command
 * is not repeated before `notBefore`.
 */
export interface Inflight {
  readonly command: EngineCommand.EngineCommand
  readonly tries: number
  readonly notBefore: number
  readonly refusal: string | null
}

/** A tree whose round passed, for reuse by another batch with the same tree and the same required checks. */
export interface Green {
  readonly sha: string
  readonly tree: string
  readonly required: string
  readonly round: Round
}

/** A round that failed: what it held, and the marks by which failures are alike. */
export interface FailedRound {
  readonly at: number
  readonly batch: string
  readonly members: ReadonlyArray<number>
  readonly under: ReadonlyArray<number>
  readonly signatures: ReadonlyArray<string>
}

/** Unrelated rounds that failed alike: nothing is evicted while it lasts. `probedAt` is the last try to end it. */
export interface Incident {
  readonly at: number
  readonly signature: string
  readonly probedAt: number
}

/** A branch that the engine made and that has to go when no batch needs it. */
export interface QueueBranch {
  readonly name: string
  readonly sha: string | null
}

/** The head of an open pull request and its checks, for the gate. */
export interface Head {
  readonly number: number
  readonly sha: string
  readonly round: Round
}

/**
 * A group of the hosting platform's own queue.
 *
 * **Details**
 *
 * `concluded` is what its check was set to, and `concludedAt` when. `gone` is why the platform removed the group, or that
 * its runs have been cancelled since. `isRemoved`: the engine asked the platform to take its members out. `rerunAt` is
 * when it was last run again. `greenWith`: the required checks with which it was green. `reused`: the commit of the same tree by whose round it
 * passed.
 */
export interface NativeGroup extends Group {
  readonly seenAt: number
  readonly round: Round
  readonly rerunAt: number
  readonly failed: Failed | null
  readonly gone: "merged" | "invalidated" | "dequeued" | "cancelled" | null
  readonly concluded: "success" | "failure" | null
  readonly concludedAt: number
  readonly reason: DequeueReason.DequeueReason | null
  readonly isRemoved: boolean
  readonly greenWith: string | null
  readonly reused: string | null
}

/**
 * A pull request that is to be put back into the platform's own queue: it was evicted by timeout during the hold that
 * began at `pausedAt` (`hold`), or its run was lost or it was asked for at that instant.
 */
export interface Parked extends Member {
  readonly cause: "hold" | "lost" | "asked"
  readonly pausedAt: number
  readonly place: number
}

/** A pull request whose entry is unmergeable: at how many reads it conflicted, and when it was last read so. */
export interface Conflicting extends Member {
  readonly at: number
  readonly reads: number
}

/** A pull request is taken out when this many reads have shown its conflict: one may be older than the head or the base branch. */
export const conflictReads = 2

/** A pull request that the engine takes out of the platform's own queue, and why. */
export interface Removal {
  readonly number: number
  readonly reason: DequeueReason.DequeueReason
}

/** A pull request that the gate queued again at this head, because the platform started no check of its group. */
export interface Healed extends Member {
  readonly group: string
  readonly checks: ReadonlyArray<string>
}

/**
 * A pull request that the platform's own queue took out: why, when that was read, and since when it had been in the group
 * or queue that it left.
 */
export interface Evicted extends Member {
  readonly cause: EngineEvent.Of<"evicted">["cause"]
  readonly by: string | null
  readonly at: number
  readonly since: number
}

/** A decision of a person that a gate may act although its trial is not over: when, why, and by whom. */
export interface Waiver {
  readonly at: number
  readonly reason: string
  readonly by: string
}

/** A time in which nothing passed: a pause or an incident that has ended. */
export interface Hold {
  readonly at: number
  readonly until: number
}

/** A pull request that somebody asked to leave the platform's own queue; `at` makes each request a command of its own. */
export interface Leaving {
  readonly number: number
  readonly at: number
  readonly by: string
}

/** A group that landed and has not been audited yet. */
export interface Landing {
  readonly group: string
  readonly sha: string
  readonly tree: string
}

/** A pull request that landed as a commit, and that the platform does not see as merged. */
export interface Closing {
  readonly number: number
  readonly sha: string
}

/** A message that a pull request has still to get. */
export interface Message {
  readonly number: number
  readonly seq: number
  readonly text: string
}

/**
 * The state of the engine of one base branch.
 *
 * **Details**
 *
 * - `seq`: the place of the last event. `pausedFor`: the length of all pauses that have ended. `lastHold`: the last pause or
 *   incident that has ended.
 * - `batches`: in the order in which they land. `entries`: in the order of their queueing; `Entry.order` sorts them.
 * - `rounds`, `reruns`: when rounds began and charged reruns were decided, within a day of the newest.
 * - `alarm`: trees that differ after a landing; the engine pauses itself.
 * - `shown`: the last state of the check `lazaret/queue` per commit.
 * - `evicted`: what the platform's own queue took out lately, for a retry on demand.
 * - `lastReenqueue`: per pull request, the pause after which it was put back into the platform's queue.
 * - `healed`: the pull requests that were queued again because their group had no run, each head once.
 * - `fates`: the keys of the fates that were decided lately. `savings`: what was kept, by week.
 * - `conflicting`: entries that the platform calls unmergeable. `removals`: whom the engine has taken out in this stay, and why.
 * - `queue`: the platform's own queue in its order, empty where no gate reads it. `leaving`: who is to be taken out of it.
 * - `matched`: the jobs of the required checks as they were seen, and the last commit on which that was; null before.
 * - `rules`: the rules of the repository for the branch; null before they were read.
 * - `trial`: the trial of the gate in the shadow; `waiver` ends it early. `hasActed`: the gate has acted before.
 * - `driveWaiver`: a person lets the queue be driven at a platform that is not certified. `closing`: who is to be closed after a landing.
 *   `foresight`: what a driven queue in the shadow would have done.
 */
export interface EngineState {
  readonly seq: number
  readonly configuration: Omit<EngineEvent.Of<"config_read">, "kind"> | null
  readonly base: Tip | null
  readonly isRewritten: boolean
  readonly alarm: string | null
  readonly pause: Pause | null
  readonly pausedFor: number
  readonly lastHold: Hold | null
  readonly entries: ReadonlyArray<Entry>
  readonly batches: ReadonlyArray<Batch>
  readonly inflight: ReadonlyArray<Inflight>
  readonly greens: ReadonlyArray<Green>
  readonly rounds: ReadonlyArray<number>
  readonly reruns: ReadonlyArray<number>
  readonly failedRounds: ReadonlyArray<FailedRound>
  readonly incident: Incident | null
  readonly branches: ReadonlyArray<QueueBranch>
  readonly messages: ReadonlyArray<Message>
  readonly heads: ReadonlyArray<Head>
  readonly groups: ReadonlyArray<NativeGroup>
  readonly landings: ReadonlyArray<Landing>
  readonly evicted: ReadonlyArray<Evicted>
  readonly parked: ReadonlyArray<Parked>
  readonly lastReenqueue: ReadonlyArray<Parked>
  readonly healed: ReadonlyArray<Healed>
  readonly conflicting: ReadonlyArray<Conflicting>
  readonly removals: ReadonlyArray<Removal>
  readonly fates: ReadonlyArray<string>
  readonly savings: ReadonlyArray<Savings>
  readonly queue: ReadonlyArray<Member>
  readonly leaving: ReadonlyArray<Leaving>
  readonly rules: ReadonlyArray<BranchRule> | null
  readonly matched: { readonly sha: string; readonly matches: ReadonlyArray<CheckMatch> } | null
  readonly shown: Readonly<Record<string, string>>
  readonly trial: Trial.Trial
  readonly waiver: Waiver | null
  readonly hasActed: boolean
  readonly driveWaiver: Waiver | null
  readonly closing: ReadonlyArray<Closing>
  readonly foresight: Foresight.Foresight
}

/** No event yet. */
export const initial: EngineState = {
  seq: 0,
  configuration: null,
  base: null,
  isRewritten: false,
  alarm: null,
  pause: null,
  pausedFor: 0,
  lastHold: null,
  entries: [],
  batches: [],
  inflight: [],
  greens: [],
  rounds: [],
  reruns: [],
  failedRounds: [],
  incident: null,
  branches: [],
  messages: [],
  heads: [],
  groups: [],
  landings: [],
  evicted: [],
  parked: [],
  lastReenqueue: [],
  healed: [],
  conflicting: [],
  removals: [],
  fates: [],
  savings: [],
  queue: [],
  leaving: [],
  rules: null,
  matched: null,
  shown: {},
  trial: Trial.initial,
  waiver: null,
  hasActed: false,
  driveWaiver: null,
  closing: [],
  foresight: Foresight.initial
}

/**
 * The active time at an instant: milliseconds without the pauses, so that waits and timeouts stand still in a pause.
 */
export const clock = (state: EngineState, at: number): number =>
  (state.pause === null ? at : Math.min(at, state.pause.at)) - state.pausedFor

/** The clocks of the platform and of this service may differ by this much. */
export const clockSkew = 2 * Instant.minute

/** When the pause or the incident began in which an instant of the platform lies; null: in none. */
export const holdAt = ({ incident, lastHold, pause }: EngineState, at: number): number | null => {
  const holds = [pause, incident, lastHold].filter((hold) => hold !== null)
  const isIn = (hold: { readonly at: number; readonly until?: number }) =>
    at >= hold.at - clockSkew && at <= (hold.until ?? Infinity) + clockSkew
  return holds.find(isIn)?.at ?? null
}

/** The state in which pull requests are to be queued again, once for each hold, at the places that they had. */
export const park = (
  state: EngineState,
  members: ReadonlyArray<Member>,
  { cause, pausedAt }: Pick<Parked, "cause" | "pausedAt">
): EngineState => {
  const known = [...state.parked, ...state.lastReenqueue]
  const placeOf = (number: number) =>
    state.groups.findIndex((group) => group.members.some((member) => member.number === number))
  const parked = members
    .filter(({ number }) => !known.some((each) => each.number === number && each.pausedAt === pausedAt))
    .map((member) => ({ ...member, cause, pausedAt, place: placeOf(member.number) }))
  return { ...state, parked: [...state.parked, ...parked] }
}

/** How many removals are remembered: more than a queue has entries that leave at once. */
const removalsKept = 100

/** The removals with another one; the last of a pull request counts. */
export const withRemoval = ({ removals }: EngineState, removal: Removal): EngineState["removals"] =>
  [...removals.filter(({ number }) => number !== removal.number), removal].slice(-removalsKept)

/** The entry of a pull request. */
export const entryOf = (state: EngineState, number: number): Entry | undefined =>
  state.entries.find((entry) => entry.number === number)

/** The batch that holds a pull request. */
export const batchOf = (state: EngineState, number: number): Batch | undefined =>
  state.batches.find(({ members }) => members.some((member) => member.number === number))

/** The state with one batch changed. */
export const withBatch = (state: EngineState, id: string, change: (batch: Batch) => Batch): EngineState => ({
  ...state,
  batches: state.batches.map((batch) => (batch.id === id ? change(batch) : batch))
})

/** The state with one entry changed. */
export const withEntry = (state: EngineState, number: number, change: (entry: Entry) => Entry): EngineState => ({
  ...state,
  entries: state.entries.map((entry) => (entry.number === number ? change(entry) : entry))
})

/** The state without the commands that a predicate names: their answers change nothing any more. */
export const withoutCommands = (
  state: EngineState,
  isDropped: (command: EngineCommand.EngineCommand) => boolean
): EngineState => ({
  ...state,
  inflight: state.inflight.filter(({ command }) => !isDropped(command))
})

/** The state without the commands that make a batch: it is built again, or is gone. */
export const withoutBuild = (state: EngineState, batch: string): EngineState =>
  withoutCommands(state, (command) => EngineCommand.isBuild(command) && command.batch === batch)

/** Whether a command of this kind for this subject is under way. */
export const isInflight = (state: EngineState, isMeant: (command: EngineCommand.EngineCommand) => boolean): boolean =>
  state.inflight.some(({ command }) => isMeant(command))
