/**
 * The use case of merge queues that act: reads the platform's queue, decides with `EngineDecision.decide`, and carries
 * out what was decided.
 *
 * See `docs/how-to/merge-queue.md`.
 */
import { Instant, type Redaction, Repository } from "@lazaret/domain"
import {
  DrivePreflight,
  type EngineCommand,
  type EngineConfiguration,
  EngineDecision,
  type EngineEvent,
  EngineProjection,
  type EngineState,
  Preflight
} from "@lazaret/queue"
import {
  EngineStore,
  type LeasedEngine,
  QueueStore,
  RepositoryStore,
  SightingStore,
  type StoreError
} from "@lazaret/store"
import { Clock, Context, Effect, Equal, Layer, Option, Result } from "effect"
import * as Rounds from "../background/Rounds.ts"
import * as ServiceMetrics from "../background/ServiceMetrics.ts"
import * as Configuration from "./Configuration.ts"
import { Forge, type ForgeError } from "../ports/Forge.ts"
import { DriveForge } from "./DriveForge.ts"
import * as DriveReading from "./DriveReading.ts"
import * as Execution from "./Execution.ts"
import { type PullSnapshot, QueueForge } from "./QueueForge.ts"
import * as Reading from "./Reading.ts"
import * as Releases from "./Releases.ts"
import * as PlatformWords from "../answer/PlatformWords.ts"
import { PlatformSetup } from "../ports/PlatformSetup.ts"
import { Reports } from "./Reports.ts"

/**
 * The pace of engines, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time for which news about one queue is collected. `every`: the time between two rounds.
 * - `busy`, `idle`: how long after a round the platform is read again without any news, with and without something to
 *   decide: deliveries get lost.
 */
export interface Pace {
  readonly pause: number
  readonly every: number
  readonly busy: number
  readonly idle: number
}

/** The pace of engines. */
export const EnginePace: Context.Reference<Pace> = Context.Reference<Pace>("@lazaret/services/EnginePace", {
  defaultValue: () => ({
    pause: 2 * Instant.second,
    every: Instant.second,
    busy: Instant.minute,
    idle: 10 * Instant.minute
  })
})

/**
 * Runs the engines of merge queues.
 *
 * **Laws**
 *
 * - *Level-triggered.* A notice says that something may be new; what is believed is what is read afterwards.
 * - *Nothing is lost.* What was decided is carried out, also when the process dies or the platform fails for hours.
 * - *Stopped is stopped.* When a pause was accepted, no pull request passes the gate until it ends.
 * - A gate that preflight finds impossible decides in the shadow, and so does one that was not seen at work (`Releases`).
 */
export class Engines extends Context.Service<
  Engines,
  {
    /** Looks at the queue of a base branch soon; null: at every queue of the repository that has an engine. */
    readonly notice: (ref: Repository.RepositoryRef, branch: string | null) => Effect.Effect<void, StoreError>
    /** Whether the engine of a base branch is the source of its queue (`EngineProjection.isSource`). */
    readonly isSource: (ref: Repository.RepositoryRef, branch: string) => Effect.Effect<boolean, StoreError>
    /** Runs the engines that are due, and yields how many it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/Engines") {
  /** The use case over the storage ports, the verdicts and a platform; `publicUrl` is null when it is not known. */
  static readonly layer = (options: Options) =>
    Layer.effect(
      Engines,
      Effect.gen(function* () {
        const store = yield* EngineStore
        const pace = yield* EnginePace
        const ports: Ports = {
          store,
          forge: yield* QueueForge,
          drive: yield* Effect.serviceOption(DriveForge),
          notes: yield* Effect.serviceOption(Forge),
          reports: yield* Reports,
          queues: yield* QueueStore,
          repositories: yield* RepositoryStore,
          sightings: yield* SightingStore,
          setup: yield* Effect.serviceOption(PlatformSetup)
        }
        const run = runner(ports, options, pace)

        const notice = Effect.fn("Engines.notice")(function* (ref: Repository.RepositoryRef, branch: string | null) {
          const at = (yield* Clock.currentTimeMillis) + pace.pause
          if (branch === null) {
            return yield* Effect.forEach(yield* store.branches(ref), (each) => store.wake(ref, each, at), {
              discard: true
            })
          }
          if ((yield* Configuration.of(ports, ref, branch)) !== null) yield* store.wake(ref, branch, at)
        })

        const isSource = Effect.fn("Engines.isSource")(function* (ref: Repository.RepositoryRef, branch: string) {
          const configuration = yield* Configuration.of(ports, ref, branch)
          const isActing = configuration?.mode === "gate" || configuration?.mode === "drive"
          return isActing && EngineProjection.isSource(yield* store.state(ref, branch))
        })

        const round = yield* Rounds.ofLeases({
          lease: store.lease,
          leaseTime,
          renew: store.renew,
          atOnce,
          work: (leased) => Effect.onInterrupt(run(leased), () => abandon(store, leased)),
          failure: "An engine of a merge queue could not run",
          about: ({ branch, ref }) => ({ repository: Repository.key(ref), branch })
        })

        return Engines.of({ notice, isSource, round })
      })
    )

  /** Runs in rounds, and continues at once while engines are due. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Effect.all([Engines, EnginePace]), ([{ round }, { every }]) =>
      Rounds.fork({ round, every, failure: "The engines of merge queues could not run" })
    )
  )
}

/**
 * A run renews its lease, and ends it when the server stops. That of a server that died holds the queue up for this time, unless
 * the next one knows that it is alone (`EngineStore.abandon`).
 */
const leaseTime = Instant.minute
const atOnce = 8

/** A write that a pause forbids ends within this time: then it counts as one without an answer. */
const writeTime = 20 * Instant.second

/** The most steps of one run: what is still open waits for the next. */
const mostSteps = 20

/** The most pull requests that left the list of open ones and are read in one run. */
const mostClosed = 20

/** The public address of the server, null when it is not known. `redact` removes secrets from comments. */
interface Options {
  readonly publicUrl: string | null
  readonly redact?: Redaction.Redact
}

interface Ports extends Releases.Ports, DriveReading.Ports {
  readonly store: EngineStore["Service"]
  readonly notes: Option.Option<Forge["Service"]>
  readonly queues: QueueStore["Service"]
  readonly repositories: RepositoryStore["Service"]
}

/** One run of a leased engine: reads, decides, acts until there is nothing to do, and says when it is due again. */
const runner =
  (ports: Ports, options: Options, pace: Pace) =>
  (leased: LeasedEngine): Effect.Effect<void, StoreError> =>
    Effect.gen(function* () {
      const { branch, ref } = leased
      const found = yield* Configuration.of(ports, ref, branch)
      const started = yield* Clock.currentTimeMillis
      const written = found ?? ((yield* isLeaving(ports, leased)) ? Configuration.leaving(branch) : null)
      if (written === null) return yield* release(ports, leased, started + Instant.day)
      const isHeld = yield* isOnTrial(ports, ref, written)
      const result = yield* Effect.result(
        Effect.flatMap(rulesOf(ports, ref, written), (rules) => {
          const check = written.mode === "drive" ? DrivePreflight.check : Preflight.check
          const isImpossible = rules !== null && Preflight.isImpossible(check(rules, written))
          const configuration = { ...written, shadow: written.shadow || isImpossible || isHeld }
          return Effect.map(observe(ports, ref, { configuration, rules }), (causes) => ({ causes, configuration }))
        })
      )
      if (Result.isFailure(result)) {
        if (result.failure._tag === "StoreError") return yield* result.failure
        const state = yield* ports.store.state(ref, branch)
        return yield* later(ports, leased, result.failure, { at: started, isBusy: Reading.isWaiting(state), pace })
      }
      const { causes, configuration } = result.success
      const place = {
        forge: ports.forge,
        drive: Option.getOrNull(ports.drive),
        notes: Option.getOrNull(ports.notes),
        redact: options.redact ?? ((text: string) => text),
        ref,
        branch,
        blocking: configuration.blockingLabels,
        url: pageOf(options.publicUrl, ref),
        host: yield* PlatformWords.connected(ports.setup)
      }
      const { nextAt, state } = yield* act(ports, { leased, configuration, pace, place }, causes)
      const now = yield* Clock.currentTimeMillis
      // What was read before another configuration was in force is read once more: decisions of the shadow count for nothing.
      const isNew = causes.some(({ kind }) => kind === "config_read")
      const next = isNew ? pace.pause : Reading.isBusy(state) ? pace.busy : pace.idle
      const { wakeAt } = EngineDecision.decide(state, configuration, now)
      const sweepAt = Math.max(now + next, yield* ports.forge.sweepAt(ref))
      yield* release(ports, leased, Math.min(nextAt ?? Infinity, wakeAt ?? Infinity, sweepAt))
    })

/** Whether a queue that is switched off was driven, and has still something to take away. */
const isLeaving = ({ store }: Ports, { branch, ref }: LeasedEngine) =>
  Effect.map(
    store.state(ref, branch),
    ({ branches, configuration, entries, inflight }) =>
      (configuration?.mode === "drive" || configuration?.mode === "off") &&
      branches.length + entries.length + inflight.length > 0
  )

/** Whether a queue that is to act decides in the shadow, because not all that it needs was seen. */
const isOnTrial = Effect.fnUntraced(function* (
  ports: Ports,
  ref: Repository.RepositoryRef,
  written: EngineConfiguration.EngineConfiguration
) {
  if ((written.mode !== "gate" && written.mode !== "drive") || written.shadow) return false
  const state = yield* ports.store.state(ref, written.branch)
  if (written.mode === "drive") {
    const host = Option.isNone(ports.drive) ? null : yield* ports.drive.value.host
    return !(yield* Releases.isDriveReleased(ports, ref, { host, state }))
  }
  return !(yield* Releases.isReleased(ports, ref, { configuration: written, state }))
})

/** Ends the lease of a run that was interrupted. */
const abandon = (store: EngineStore["Service"], leased: LeasedEngine) =>
  Effect.ignore(Effect.flatMap(Clock.currentTimeMillis, (now) => store.abandon(now, leased)))

const release = ({ store }: Ports, leased: LeasedEngine, nextAt: number) => Effect.asVoid(store.release(leased, nextAt))

interface Failed {
  readonly at: number
  readonly isBusy: boolean
  readonly pace: Pace
}

/**
 * A platform that does not answer is asked again soon, and so is one that refuses while something waits for it: the app may be
 * suspended for a minute. A repository without the app and without news is asked every hour.
 */
const later = (ports: Ports, leased: LeasedEngine, error: ForgeError, { at, isBusy, pace }: Failed) => {
  const isPermanent = !isBusy && (error.reason === "not_installed" || error.reason === "refused")
  const log = isPermanent ? Effect.logDebug : Effect.logWarning
  return Effect.andThen(
    log(`The merge queue could not be read: ${error.message}`),
    release(ports, leased, Math.max(at + (isPermanent ? Instant.hour : pace.busy), error.retryAt ?? 0))
  )
}

const pageOf = (publicUrl: string | null, { owner, repository }: Repository.RepositoryRef): string | null =>
  publicUrl === null ? null : `${publicUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}/queue`

/** The rules of the repository; null where nothing depends on them. */
const rulesOf = (
  { forge }: Pick<Ports, "forge">,
  ref: Repository.RepositoryRef,
  { branch, mode }: EngineConfiguration.EngineConfiguration
) => (mode === "gate" || mode === "drive" ? forge.rules(ref, branch) : Effect.succeed(null))

interface Asked extends Pick<Reading.Snapshot, "rules"> {
  readonly configuration: EngineConfiguration.EngineConfiguration
}

/** The observations since the last run. */
const observe = Effect.fnUntraced(function* (ports: Ports, ref: Repository.RepositoryRef, asked: Asked) {
  const { branch, mode, shadow, requiredChecks } = asked.configuration
  const state = yield* ports.store.state(ref, branch)
  const digest = JSON.stringify([mode, shadow, requiredChecks])
  const configured = { kind: "config_read", digest, mode, shadow } as const
  const isKnown = Equal.equals(state.configuration, { digest, mode, shadow })
  const isNew = isKnown ? [] : [configured]
  if (mode === "drive") return [...isNew, ...(yield* DriveReading.observe(ports, ref, state, asked))]
  // Record the landings of a driven queue before it is dissolved.
  const last = state.entries.length === 0 ? [] : yield* DriveReading.observe(ports, ref, state, asked)
  return [...last, ...isNew, ...(mode === "off" ? [] : yield* observeQueue(ports, ref, state, asked))]
})

/** The observations of the platform's own queue. */
const observeQueue = Effect.fnUntraced(function* (
  { forge, reports }: Ports,
  ref: Repository.RepositoryRef,
  state: EngineState.EngineState,
  { configuration, rules }: Asked
) {
  const { branch, mode } = configuration
  const at = yield* Clock.currentTimeMillis
  const isGate = mode === "gate"
  const queue = Option.getOrElse(yield* forge.queue(ref, branch), () => [])
  const read = (number: number) =>
    Effect.map(forge.pull(ref, number), (pull) => [number, Option.getOrNull(pull)] as const)
  const gone = yield* Effect.forEach(Reading.missingMembers(state, queue, at), read, { concurrency: 4 })
  const stuck = yield* Effect.forEach(isGate ? Reading.stuckEntries(queue) : [], read, { concurrency: 4 })
  const open = isGate ? yield* forge.openPulls(ref, branch) : null
  const absent = state.heads.filter(({ number }) => open?.every((pull) => pull.number !== number) === true)
  const closed = yield* Effect.forEach(absent.slice(0, mostClosed), ({ number }) => read(number), { concurrency: 4 })
  const ids = isGate
    ? [
        ...new Set([
          ...Reading.openGroups(state).map(({ id }) => id),
          ...Reading.awaited(state, at),
          ...groupsIn(queue)
        ])
      ]
    : []
  const checks = yield* Effect.forEach(
    ids,
    (id) => Effect.map(forge.checks(ref, id), (found) => [id, found] as const),
    {
      concurrency: 4
    }
  )
  const unwatched = isGate ? Reading.unwatched(state, new Map(checks), { configuration, now: at }) : []
  const running = yield* Effect.forEach(unwatched, (id) =>
    Effect.map(forge.runsInProgress(ref, id), (found) => [id, found] as const)
  )
  const tip = isGate ? yield* forge.tip(ref, branch, state.base?.sha ?? null) : Option.none()
  const failing = checks
    .filter(([, found]) => found.some((check) => check.state === "failure" || check.state === "error"))
    .map(([id]) => id)
  const unmatched = isGate ? Reading.unmatched(state, new Map(checks), configuration) : []
  const judged = yield* Effect.forEach(new Set([...failing, ...unmatched]), (id) =>
    Effect.map(reports.ofCommit(ref, id, configuration), (found) => [id, found] as const)
  )
  const snapshot: Reading.Snapshot = {
    at,
    queue,
    rules,
    gone: known(gone),
    unmergeable: known(stuck),
    open,
    closed: new Map(closed),
    checks: new Map(checks),
    running: new Map(running),
    tip: Option.getOrNull(tip),
    reports: new Map(judged.flatMap(([id, found]) => (found === null ? [] : [[id, found] as const])))
  }
  return Reading.news(state, snapshot, configuration)
})

/** The pull requests that exist. */
const known = (pulls: ReadonlyArray<readonly [number, PullSnapshot | null]>): ReadonlyMap<number, PullSnapshot> =>
  new Map(pulls.flatMap(([number, pull]) => (pull === null ? [] : [[number, pull] as const])))

const groupsIn = (queue: ReadonlyArray<{ readonly group: { readonly id: string } | null }>) =>
  queue.flatMap(({ group }) => (group === null ? [] : [group.id]))

interface Run {
  readonly pace: Pace
  readonly leased: LeasedEngine
  readonly configuration: EngineConfiguration.EngineConfiguration
  readonly place: Execution.Place
}

/** Tells the news, carries out what is decided, tells the outcomes, and so on; `nextAt` is when to repeat what failed. */
const act = Effect.fnUntraced(function* (
  { store }: Ports,
  { configuration, leased, pace, place }: Run,
  news: ReadonlyArray<EngineEvent.EngineEvent>
) {
  const { branch, ref } = leased
  const append = Effect.fnUntraced(function* (causes: ReadonlyArray<EngineEvent.EngineEvent>) {
    const at = yield* Clock.currentTimeMillis
    return yield* store.append(ref, branch, {
      at,
      causes,
      decide: (state) => EngineDecision.decide(state, configuration, at)
    })
  })
  const tried = new Set<string>()
  let state = yield* append(news)
  let nextAt: number | null = null
  for (let step = 0; step < mostSteps; step++) {
    const now = yield* Clock.currentTimeMillis
    const due = state.inflight.filter(({ command, notBefore }) => notBefore <= now && !tried.has(command.id))
    if (configuration.shadow || due.length === 0) break
    const outcomes: Array<Execution.Executed> = []
    for (const { command, tries } of due) {
      tried.add(command.id)
      const executed = yield* carryOut(store, { leased, state, place }, command)
      if (executed === null) continue
      outcomes.push(executed)
      const isUnknown = executed.event.kind === "unknown"
      if (!isUnknown && !changing.has(command.kind)) continue
      // Read soon what the commands changed at the platform.
      const wait = isUnknown ? Rounds.pauseAfter(tries) : pace.pause
      const again = Math.max(executed.retryAt ?? 0, (yield* Clock.currentTimeMillis) + wait)
      nextAt = earlier(nextAt, again)
    }
    yield* Effect.forEach(outcomes, ({ event }) => ServiceMetrics.queueWrite(event.kind), { discard: true })
    state = yield* append(outcomes.map(({ event }) => event))
  }
  const ended = yield* Clock.currentTimeMillis
  for (const { notBefore } of state.inflight) if (notBefore > ended) nextAt = earlier(nextAt, notBefore)
  return { nextAt, state }
})

/** The commands after which something new can be read. */
const changing: ReadonlySet<EngineCommand.EngineCommand["kind"]> = new Set([
  "enqueue",
  "dequeue",
  "build",
  "land",
  "merge"
])

const earlier = (a: number | null, b: number): number => Math.min(a ?? b, b)

/** Carries out a command; null: a pause forbids it now. */
const carryOut = Effect.fnUntraced(function* (
  store: EngineStore["Service"],
  { leased, place, state }: Pick<Run, "leased" | "place"> & { readonly state: EngineState.EngineState },
  command: EngineCommand.EngineCommand
) {
  if (!isForbiddenInPause(state, command)) return yield* Execution.execute(place, command)
  const until = (yield* Clock.currentTimeMillis) + writeTime
  if (!(yield* store.act(leased, until))) return null
  const unanswered = { event: { kind: "unknown", command: command.id }, retryAt: null } as const
  return yield* Effect.timeoutOrElse(Execution.execute(place, command), {
    duration: writeTime,
    orElse: () => Effect.succeed<Execution.Executed>(unanswered)
  })
})

/** Whether a command lets a pull request pass the gate or land, or puts it back into the queue. */
const isForbiddenInPause = (state: EngineState.EngineState, command: EngineCommand.EngineCommand): boolean =>
  command.kind === "enqueue" ||
  command.kind === "land" ||
  command.kind === "merge" ||
  (command.kind === "set_check" && command.state === "success" && state.groups.some(({ id }) => id === command.sha))
