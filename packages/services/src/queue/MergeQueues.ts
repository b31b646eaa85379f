/** The use cases of people who look at a merge queue that acts, and ask something of it. */
import { Instant, type Repository } from "@lazaret/domain"
import { EngineDecision, type EngineEvent, EngineLog, EngineView, type Fate, Preflight } from "@lazaret/queue"
import { EngineStore, QueueStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import type { ForgeError } from "../ports/Forge.ts"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import {
  type Invalid,
  PullRequestNotOpen,
  PullRequestNotQueued,
  QueueNotActing,
  type QueueRuleNotFound,
  type RepositoryNotFound
} from "../answer/ServiceError.ts"
import * as PlatformWords from "../answer/PlatformWords.ts"
import * as Configuration from "./Configuration.ts"
import * as DriveRequest from "./DriveRequest.ts"
import { PlatformSetup } from "../ports/PlatformSetup.ts"
import { QueueForge } from "./QueueForge.ts"
import * as Reading from "./Reading.ts"

/** A part of the log of a base branch; null: the default branch, else the first that has an engine. */
export interface LogRequest extends Listing.PageRequest {
  readonly branch: string | null
}

/** The findings about a base branch. `isLive`: the rules were read now; false: when the engine last read them. */
export interface PreflightReport {
  readonly branch: string
  readonly mode: EngineView.EngineView["mode"]
  readonly shadow: boolean
  readonly isLive: boolean
  readonly findings: ReadonlyArray<Preflight.Finding>
}

/**
 * The engines of a repository by base branch; `explanation` is the reason why none exists, null where one does. `sign` stands before the
 * numbers of pull requests at the platform, also in the sentences.
 */
export interface EnginesReport {
  readonly sign: "#" | "!"
  readonly engines: ReadonlyArray<EngineView.EngineView>
  readonly explanation: string | null
}

/** How a pull request left the queue, or was kept in it, and when that was decided. */
export interface DatedFate extends Fate.Fate {
  readonly at: Instant.Instant
}

/** An action for a pull request: to be put into the queue, or to be taken out of it. */
export type QueueAction = "queue" | "dequeue"

/** A request of a person. `rule` and `priority` are for a queue that is driven: null leaves them as they are, or to the first rule. */
export interface Asked {
  readonly number: number
  readonly action: QueueAction
  readonly by: string
  readonly rule?: string | null
  readonly priority?: number | null
}

type Ref = Repository.RepositoryRef

/**
 * Shows the engines of merge queues, and takes what people ask of them.
 *
 * **Details**
 *
 * Reading an unknown repository is `RepositoryNotFound`.
 */
export class MergeQueues extends Context.Service<
  MergeQueues,
  {
    /** The engines of the repository, the one of the default branch also before it ran. */
    readonly engines: (ref: Ref) => Effect.Effect<EnginesReport, RepositoryNotFound | StoreError>
    /** Whether an engine of the repository acts, so that a pause holds merges. */
    readonly isActing: (ref: Ref) => Effect.Effect<boolean, RepositoryNotFound | StoreError>
    /** Whether the rules of the repository let a gate act on a base branch, and why not; asks the platform if it can. */
    readonly preflight: (
      ref: Ref,
      branch: string | null
    ) => Effect.Effect<PreflightReport, RepositoryNotFound | StoreError>
    /** The log of an engine as sentences, newest first. */
    readonly log: (
      ref: Ref,
      request: LogRequest
    ) => Effect.Effect<Listing.Listing<EngineLog.Line>, Invalid | RepositoryNotFound | StoreError>
    /** The history of one pull request in all logs: the last 100 sentences of the newest 10,000 events of each. */
    readonly history: (
      ref: Ref,
      number: number
    ) => Effect.Effect<ReadonlyArray<EngineLog.Line>, PullRequestNotQueued | RepositoryNotFound | StoreError>
    /** How a pull request left the queues or was kept in them, newest first, in the newest 10,000 events of each log. */
    readonly fates: (
      ref: Ref,
      number: number
    ) => Effect.Effect<ReadonlyArray<DatedFate>, RepositoryNotFound | StoreError>
    /** Asks a gate that acts, or a queue that is driven, for a pull request, and yields its base branch. What follows is in the log. */
    readonly ask: (
      ref: Ref,
      asked: Asked
    ) => Effect.Effect<
      string,
      PullRequestNotOpen | PullRequestNotQueued | QueueNotActing | QueueRuleNotFound | RepositoryNotFound | StoreError
    >
  }
>()("@lazaret/services/MergeQueues") {
  /** The use cases over the storage ports; the rules are read from the platform where one is provided. */
  static readonly layer = Layer.effect(
    MergeQueues,
    Effect.gen(function* () {
      const ports: Ports = {
        repositories: yield* RepositoryStore,
        queues: yield* QueueStore,
        store: yield* EngineStore,
        forge: yield* Effect.serviceOption(QueueForge),
        setup: yield* Effect.serviceOption(PlatformSetup)
      }
      const { store } = ports

      const engines = Effect.fn("MergeQueues.engines")(function* (ref: Ref) {
        const branches = yield* branchesOf(ports, ref)
        const views = yield* Effect.forEach(branches, (branch) => viewOf(ports, ref, branch))
        const platform = yield* PlatformWords.connected(ports.setup)
        const found = views.filter((view) => view !== null).map((view) => worded(platform, view))
        const explanation = found.length > 0 ? null : yield* absenceOf(ports, ref, branches)
        return { engines: found, explanation, sign: PlatformWords.sign(platform) }
      })

      const isActing = (ref: Ref) => Effect.map(engines(ref), (found) => found.engines.some((view) => view.isActing))

      const preflight = Effect.fn("MergeQueues.preflight")(function* (ref: Ref, asked: string | null) {
        const branch = asked ?? (yield* chosen(ports, ref))
        const configuration = yield* Configuration.of(ports, ref, branch)
        if (configuration === null) return { branch, mode: "off", shadow: false, isLive: false, findings: [] } as const
        const { mode, shadow } = configuration
        const live = yield* rulesNow(ports, ref, branch)
        const state = yield* store.state(ref, branch)
        const rules = live ?? state.rules
        const ofRules = EngineView.findingsOf({ ...state, rules }, configuration) ?? []
        const missing = live === null ? [] : yield* missingSteps(ports, ref)
        return { branch, mode, shadow, isLive: live !== null, findings: Preflight.sorted([...ofRules, ...missing]) }
      })

      const log = Effect.fn("MergeQueues.log")(function* (ref: Ref, { branch: asked, cursor, perPage }: LogRequest) {
        const branch = asked ?? (yield* chosen(ports, ref))
        const bound = Listing.binding("merge-queue/log", ref, [branch])
        const from = yield* Listing.from(bound, cursor, Place)
        const before = from._tag === "After" ? from.position : null
        const found = yield* lines(ports, { ref, branch, before, limit: perPage, isMeant: () => true })
        const rows = found.rows.slice(0, perPage)
        const page = { rows, hasPrevious: before !== null, hasNext: found.more, total: rows.length }
        const listing = Listing.of(bound, page, ({ seq }) => seq)
        return { ...listing, links: { ...listing.links, previous: null, last: null } }
      })

      const history = Effect.fn("MergeQueues.history")(function* (ref: Ref, number: number) {
        const isMeant = ({ pulls }: EngineLog.Line) => pulls.includes(number)
        const found = yield* Effect.forEach(yield* branchesOf(ports, ref), (branch) =>
          lines(ports, { ref, branch, before: null, limit: longestHistory, isMeant })
        )
        const rows = found.flatMap((each) => each.rows).toSorted((a, b) => b.at - a.at || b.seq - a.seq)
        if (rows.length > 0) return rows.slice(0, longestHistory)
        return yield* new PullRequestNotQueued({ owner: ref.owner, repository: ref.repository, number })
      })

      const fates = Effect.fn("MergeQueues.fates")(function* (ref: Ref, number: number) {
        const found = yield* Effect.forEach(yield* branchesOf(ports, ref), (branch) =>
          lines(ports, {
            ref,
            branch,
            before: null,
            limit: longestHistory,
            isMeant: ({ pulls }) => pulls.includes(number)
          })
        )
        const own = found.flatMap((each) => each.fates).filter((fate) => fate.number === number)
        return own.toSorted((a, b) => b.at - a.at)
      })

      const ask = Effect.fn("MergeQueues.ask")(function* (ref: Ref, asked: Asked) {
        const { action, by, number } = asked
        const { owner, repository } = ref
        const isMeant = (each: { readonly number: number }) => each.number === number
        const branches = yield* branchesOf(ports, ref)
        const pull = action === "queue" ? yield* pullNow(ports, ref, number) : null
        for (const branch of branches) {
          const state = yield* store.state(ref, branch)
          const configured = yield* Configuration.of(ports, ref, branch)
          if (configured?.mode === "drive") {
            if (!DriveRequest.isKnown(state, { branch, number, pull })) continue
            yield* driven({ ref, branch, state, configuration: configured }, { ...asked, pull })
            return branch
          }
          const isQueued = state.queue.some(isMeant) || state.parked.some(isMeant)
          const isKnown = isQueued || state.heads.some(isMeant) || state.evicted.some(isMeant)
          const isOpen = pull === null ? isKnown : pull.state === "open" && pull.base === branch
          if (!isOpen) continue
          const configuration = configured
          const acts = configuration?.mode === "gate" && state.configuration?.shadow === false
          if (!acts) return yield* new QueueNotActing({ owner, repository, branch })
          if (action === "dequeue" && !isQueued) return yield* new PullRequestNotQueued({ owner, repository, number })
          const kind = action === "queue" ? "retry_asked" : "dequeue_asked"
          const at = yield* Clock.currentTimeMillis
          const causes: ReadonlyArray<EngineEvent.EngineEvent> = [
            ...Reading.newHead(state, pull, at),
            { kind, number, by: by.slice(0, longestName) }
          ]
          const decide: Deciding = (before) => EngineDecision.decide(before, { ...configuration, shadow: false }, at)
          yield* store.append(ref, branch, { at, causes, decide })
          yield* store.wake(ref, branch, at)
          return branch
        }
        return yield* new PullRequestNotOpen({ owner, repository, number })
      })

      const driven = Effect.fnUntraced(function* (queue: DriveRequest.Queue, request: DriveRequest.Request) {
        const { branch, ref } = queue
        const at = yield* Clock.currentTimeMillis
        const causes = yield* DriveRequest.causes(queue, request, at)
        // Whether the queue may act is decided by its next run, with what it reads then.
        yield* store.append(ref, branch, { at, causes, decide: () => ({ events: [] }) })
        yield* store.wake(ref, branch, at)
      })

      return MergeQueues.of({ engines, isActing, preflight, log, history, fates, ask })
    })
  )
}

type Deciding = Parameters<EngineStore["Service"]["append"]>[2]["decide"]

interface Ports {
  readonly repositories: RepositoryStore["Service"]
  readonly queues: QueueStore["Service"]
  readonly store: EngineStore["Service"]
  readonly forge: Option.Option<QueueForge["Service"]>
  readonly setup: Option.Option<PlatformSetup["Service"]>
}

const longestHistory = 100
const longestName = DriveRequest.longestName

/** A page of events of the log, and the most that one question reads. */
const pageSize = 500
const mostPages = 20

/** The time that a read of the rules may take; then the engine's last read answers. */
const patience = 5 * Instant.second

const Place = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The base branches that have an engine, else those of the queue's own events, and the default branch, first. */
const branchesOf = Effect.fnUntraced(function* ({ queues, repositories, store }: Ports, ref: Ref) {
  const { settings } = yield* Lookup.repository(repositories)(ref)
  const engines = yield* store.branches(ref)
  const { defaultBranch } = settings
  const known = engines.length > 0 || defaultBranch !== null ? engines : yield* mirrored(queues, ref)
  return defaultBranch === null ? known : [defaultBranch, ...known.filter((branch) => branch !== defaultBranch)]
})

/** The base branches of the events of the last 30 days: a queue that is mirrored has no other sign of its branch. */
const mirrored = Effect.fnUntraced(function* (queues: QueueStore["Service"], ref: Ref) {
  const now = yield* Clock.currentTimeMillis
  return yield* queues.baseRefs(ref, { start: Instant.startOfLastDays(now, 30), end: Instant.startOfLastDays(now, 0) })
})

const chosen = (ports: Ports, ref: Ref) => Effect.map(branchesOf(ports, ref), ([first]) => first ?? "main")

const viewOf = Effect.fnUntraced(function* (ports: Ports, ref: Ref, branch: string) {
  const configuration = yield* Configuration.of(ports, ref, branch)
  const now = yield* Clock.currentTimeMillis
  return configuration === null ? null : EngineView.of(yield* ports.store.state(ref, branch), configuration, now)
})

/** A view whose sentences have the words of the platform. */
const worded = (platform: PlatformWords.Platform, view: EngineView.EngineView): EngineView.EngineView => {
  const explained = <Shown extends { readonly explanation: string }>(shown: Shown): Shown => ({
    ...shown,
    explanation: PlatformWords.sentence(platform, shown.explanation)
  })
  const { evicted, groups, queued } = view
  return { ...view, evicted: evicted.map(explained), groups: groups.map(explained), queued: queued.map(explained) }
}

/** Why no base branch has an engine, and what to do for one. */
const absenceOf = Effect.fnUntraced(function* (
  { queues, repositories }: Ports,
  ref: Ref,
  branches: ReadonlyArray<string>
) {
  const { settings } = yield* Lookup.repository(repositories)(ref)
  const { branches: patterns, mode } = yield* Configuration.settings(queues, ref)
  if (mode === "off") return "The mode of the merge queue is off: set `merge_queue.mode` in .lazaret/queue.yml."
  if (settings.defaultBranch === null) {
    return (
      "The merge queue knows no base branch: `default_branch` of the repository is not set. Set it in the settings, or let GitHub " +
      "deliver a push, which names it."
    )
  }
  return `No base branch is known that matches \`merge_queue.branches\` (${(patterns ?? []).join(", ")}); known: ${branches.join(", ")}.`
})

/** An answer of the platform; null without a platform, or when it does not answer in time. */
const answerNow = <A>(
  { forge }: Ports,
  ask: (forge: QueueForge["Service"]) => Effect.Effect<A, ForgeError>
): Effect.Effect<A | null> =>
  Option.isNone(forge)
    ? Effect.succeed(null)
    : ask(forge.value).pipe(
        Effect.timeoutOption(patience),
        Effect.result,
        Effect.map((found) => (Result.isSuccess(found) ? Option.getOrNull(found.success) : null))
      )

/** The permissions that the app lacks, as warnings. */
const missingSteps = ({ setup }: Ports, ref: Ref) =>
  Option.isNone(setup)
    ? Effect.succeed([])
    : setup.value
        .read(ref)
        .pipe(
          Effect.timeoutOption(patience),
          Effect.map(Option.match({ onNone: () => [], onSome: ({ steps }) => Preflight.ofSteps(steps) }))
        )

const rulesNow = (ports: Ports, ref: Ref, branch: string) => answerNow(ports, ({ rules }) => rules(ref, branch))

/** A pull request as it is now: what is asked for is its head at the time of the request. */
const pullNow = (ports: Ports, ref: Ref, number: number) =>
  Effect.map(
    answerNow(ports, ({ pull }) => pull(ref, number)),
    (found) => (found === null ? null : Option.getOrNull(found))
  )

interface Search {
  readonly ref: Ref
  readonly branch: string
  readonly before: number | null
  readonly limit: number
  readonly isMeant: (line: EngineLog.Line) => boolean
}

/**
 * Sentences before a place, newest first, at least `limit` of them if there are, and whether the log goes on.
 *
 * A group is named before it is decided: events are read a page further than they are shown.
 */
const lines = Effect.fnUntraced(function* (
  { setup, store }: Pick<Ports, "setup" | "store">,
  { before: from, branch, isMeant, limit, ref }: Search
) {
  const platform = yield* PlatformWords.connected(setup)
  const events: Array<EngineEvent.Logged> = []
  let before = from
  let isFull = false
  for (let page = 0; page < mostPages; page++) {
    const read = yield* store.log(ref, branch, { before, limit: pageSize })
    const wasFull = isFull
    events.push(...read)
    before = read.at(-1)?.seq ?? before
    const rows = sentences(platform, events, isMeant)
    isFull = rows.length > limit
    if (read.length < pageSize || wasFull)
      return { rows: rows.slice(0, limit), fates: fatesIn(events), more: rows.length > limit }
  }
  const rows = sentences(platform, events, isMeant)
  return { rows: rows.slice(0, limit), fates: fatesIn(events), more: rows.length > limit }
})

const fatesIn = (events: ReadonlyArray<EngineEvent.Logged>): ReadonlyArray<DatedFate> =>
  events.flatMap(({ at, event }) => (event.kind === "fate" ? [{ ...event, at }] : []))

const sentences = (
  platform: PlatformWords.Platform,
  events: ReadonlyArray<EngineEvent.Logged>,
  isMeant: Search["isMeant"]
) => {
  const names = EngineLog.names(events)
  return events.flatMap((event) => {
    const line = EngineLog.line(event, names)
    if (line === null || !isMeant(line)) return []
    return [{ ...line, sentence: PlatformWords.sentence(platform, line.sentence) }]
  })
}
