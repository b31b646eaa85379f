/** The use case of events that the hosting platform sends. */
import { type CiRun, type PullHead, Repository, Text } from "@lazaret/domain"
import { QueueConfiguration, type QueueEvent, type QueueOutcome } from "@lazaret/queue"
import { type PullFact, ReadingStore, RepositoryStore, SightingStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { CheckActions, type Press, type PressOutcome } from "./CheckActions.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import { Artifacts } from "../report/Artifacts.ts"
import { noted } from "./PlatformChecks.ts"
import { HostingPlatform } from "../ports/HostingPlatform.ts"
import { type Answered, type Asked, QueueCommands } from "../queue/QueueCommands.ts"
import { QueueNotice } from "../queue/QueueNotice.ts"
import { Queues } from "../queue/Queues.ts"
import * as RepositoryCreation from "../answer/RepositoryCreation.ts"
import type { DeliveryRefused } from "../answer/ServiceError.ts"

/**
 * The content of one delivery.
 *
 * **Details**
 *
 * - `event`: the platform's name of the event.
 * - `defaultBranch`: null when the delivery is not about it.
 * - `configurationFile`: the path of the file that configures the merge queue, when it has changed.
 * - `heads`: the commits that are the head of a pull request now, or whose check was requested again.
 * - `pullHeads`: the heads of pull requests, with the repositories that they are in.
 * - `press`: the button of a check that was pressed.
 * - `ciRun`: a run of CI that has begun or ended.
 * - `completedRun`: the id of a completed workflow run. `asked`: what a person asked of the merge queue.
 */
export interface PlatformDelivery {
  readonly repository: Repository.RepositoryRef
  readonly event?: string
  readonly events: ReadonlyArray<QueueEvent.QueueEvent>
  readonly pulls: ReadonlyArray<PullFact>
  readonly defaultBranch: string | null
  readonly configurationFile: string | null
  readonly heads: ReadonlyArray<string>
  readonly pullHeads?: ReadonlyArray<PullHead.PullHead>
  readonly press: Press | null
  readonly completedRun?: string
  readonly ciRun?: Omit<CiRun.CiRun, "at">
  readonly asked?: Asked
}

/** Something that a delivery changed, or could not change, apart from the merge queue. */
export type PlatformNote =
  | { readonly _tag: "EventsAhead" }
  | { readonly _tag: "PullRequestRecorded"; readonly commit: string; readonly number: number }
  | { readonly _tag: "ArtifactsNoticed"; readonly runId: string }
  | { readonly _tag: "RunNoted"; readonly runId: string; readonly state: CiRun.CiRun["state"] }
  | { readonly _tag: "DefaultBranchSet"; readonly branch: string }
  | { readonly _tag: "QueueRead"; readonly branch: string }
  | { readonly _tag: "ReportRequested"; readonly commit: string }
  | PressOutcome
  | Answered
  | { readonly _tag: "ConfigurationUnreadable"; readonly path: string }
  | { readonly _tag: "ConfigurationTooLong"; readonly path: string; readonly characters: number }
  | {
      readonly _tag: "ConfigurationRead"
      readonly path: string
      readonly faults: ReadonlyArray<QueueConfiguration.Fault>
    }

/** The outcomes of the events of a delivery, in their order, and notes about everything else. */
export interface PlatformReceipt {
  readonly outcomes: ReadonlyArray<QueueOutcome.QueueOutcome>
  readonly notes: ReadonlyArray<PlatformNote>
}

/** Records deliveries of the hosting platform. */
export class PlatformEvents extends Context.Service<
  PlatformEvents,
  {
    /**
     * Records a delivery, and creates the repository when there is something to record. Each part is idempotent, so that an
     * interrupted delivery can be sent again.
     */
    readonly receive: (delivery: PlatformDelivery) => Effect.Effect<PlatformReceipt, DeliveryRefused | StoreError>
  }
>()("@lazaret/services/PlatformEvents") {
  /** The use case over the storage ports, the hosting platform and the queues. */
  static readonly layer = Layer.effect(
    PlatformEvents,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const platform = yield* HostingPlatform
      const queues = yield* Queues
      const { notice } = yield* CommitNotice
      const { press } = yield* CheckActions
      const { obey } = yield* QueueCommands
      const artifacts = yield* Artifacts
      const queueNotice = yield* QueueNotice
      const readings = yield* ReadingStore
      const sightings = yield* SightingStore
      const admits = RepositoryCreation.admits(repositories, yield* RepositoryCreation.RepositoryCreation)

      /** A queue that a gate reads itself is not recorded a second time. */
      const recordEvents = Effect.fnUntraced(function* ({ events: all, repository }: PlatformDelivery) {
        const sources = yield* Effect.filter([...new Set(all.map(({ branch }) => branch))], (branch) =>
          queueNotice.isSource(repository, branch)
        )
        const events = all.filter(({ branch }) => !sources.includes(branch))
        const notes = sources.map((branch) => ({ _tag: "QueueRead", branch }) as const)
        if (events.length === 0) return { outcomes: [], notes } satisfies PlatformReceipt
        return yield* queues.record(repository, events).pipe(
          Effect.map((outcomes): PlatformReceipt => ({ outcomes, notes })),
          Effect.catchTag("Invalid", () =>
            Effect.succeed<PlatformReceipt>({ outcomes: [], notes: [{ _tag: "EventsAhead" }] })
          )
        )
      })

      const recordPulls = Effect.fnUntraced(function* ({ pulls, repository }: PlatformDelivery) {
        if (pulls.length === 0) return []
        yield* repositories.recordPulls(repository, pulls, yield* Clock.currentTimeMillis)
        return pulls.map(({ commit, pull }) => ({ _tag: "PullRequestRecorded", commit, number: pull.number }) as const)
      })

      /** Keeps a default branch that a user set. */
      const setDefaultBranch = Effect.fnUntraced(function* ({ defaultBranch, repository }: PlatformDelivery) {
        if (defaultBranch === null) return []
        const known = yield* repositories.get(repository)
        const settings = Option.isSome(known) ? known.value.settings : Repository.defaultSettings
        if (settings.defaultBranch !== null) return []
        yield* repositories.set(repository, { ...settings, defaultBranch }, yield* Clock.currentTimeMillis)
        return [{ _tag: "DefaultBranchSet", branch: defaultBranch } as const]
      })

      const readConfiguration = Effect.fnUntraced(function* ({
        configurationFile: path,
        repository
      }: PlatformDelivery) {
        if (path === null) return []
        const text = yield* platform.file(repository, path)
        if (Option.isNone(text)) return [{ _tag: "ConfigurationUnreadable", path } as const]
        if (!isConfiguration(text.value)) return [{ _tag: "ConfigurationTooLong", path, characters } as const]
        const faults = yield* queues.configure(repository, text.value)
        return [{ _tag: "ConfigurationRead", path, faults } as const]
      })

      /** An app may be installed for repositories that never upload: their pull requests create none here. */
      const requestReports = Effect.fnUntraced(function* ({ heads, pullHeads = [], repository }: PlatformDelivery) {
        if (heads.length === 0 || Option.isNone(yield* repositories.get(repository))) return []
        yield* repositories.recordHeads(repository, pullHeads)
        return yield* Effect.forEach(heads, (commit) =>
          Effect.as(notice(repository, commit), { _tag: "ReportRequested", commit } as const)
        )
      })

      const carryOut = ({ press: pressed, repository }: PlatformDelivery) =>
        pressed === null ? Effect.succeed([]) : Effect.map(press(repository, pressed), (outcome) => [outcome])

      const obeyed = ({ asked, repository }: PlatformDelivery) =>
        asked === undefined ? Effect.succeed([]) : Effect.map(obey(repository, asked), (answered) => [answered])

      /** Verdicts on a commit are complete when its runs are over. */
      const noteRun = Effect.fnUntraced(function* ({ ciRun, repository }: PlatformDelivery) {
        if (ciRun === undefined) return []
        yield* readings.noteRun(repository, { ...ciRun, at: yield* Clock.currentTimeMillis })
        return [{ _tag: "RunNoted", runId: ciRun.runId, state: ciRun.state } as const]
      })

      const noticeRun = Effect.fnUntraced(function* ({ completedRun: runId, repository }: PlatformDelivery) {
        const isRead = runId !== undefined && (yield* artifacts.notice(repository, runId))
        return isRead ? [{ _tag: "ArtifactsNoticed", runId } as const] : []
      })

      /** A head or a run does not say which queue it is in: all of them are read. */
      const noticeQueues = ({ completedRun, events, heads, repository }: PlatformDelivery) => {
        const branches = [...new Set(events.map(({ branch }) => branch))]
        const isAnywhere = heads.length > 0 || completedRun !== undefined
        return Effect.forEach(
          isAnywhere ? [...branches, null] : branches,
          (each) => queueNotice.notice(repository, each),
          {
            discard: true
          }
        )
      }

      const receive = Effect.fn("PlatformEvents.receive")(function* (delivery: PlatformDelivery) {
        // Reports that the server reads itself are uploads.
        if (!(yield* admits(delivery.repository))) return { outcomes: [], notes: yield* noticeRun(delivery) }
        const { notes, outcomes } = yield* recordEvents(delivery)
        const pulls = yield* recordPulls(delivery)
        const branch = yield* setDefaultBranch(delivery)
        const configuration = yield* readConfiguration(delivery)
        const reports = yield* requestReports(delivery)
        const actions = yield* carryOut(delivery)
        const answers = yield* obeyed(delivery)
        const runs = [...(yield* noteRun(delivery)), ...(yield* noticeRun(delivery))]
        yield* noticeQueues(delivery)
        if (delivery.event !== undefined) yield* noted(sightings, delivery.repository, "delivery", delivery.event)
        return {
          outcomes,
          notes: [...notes, ...pulls, ...branch, ...configuration, ...reports, ...actions, ...answers, ...runs]
        }
      })

      return PlatformEvents.of({ receive })
    })
  )
}

const { characters } = QueueConfiguration.limits

const isConfiguration = Schema.is(Text.between(0, characters))
