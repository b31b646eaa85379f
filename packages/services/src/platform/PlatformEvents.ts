/** The use case of events that the hosting platform sends. */
import { type CiRun, type JobTime, type PullHead, Repository, Text } from "@lazaret/domain"
import { QueueConfiguration, type QueueEvent, type QueueOutcome } from "@lazaret/queue"
import { type PullFact, ReadingStore, RepositoryStore, SightingStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { CheckActions, type Press, type PressOutcome } from "./CheckActions.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import { Artifacts } from "../report/Artifacts.ts"
import { noted } from "./PlatformChecks.ts"
import { PlatformSetup } from "../ports/PlatformSetup.ts"
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
 * - `ciRun`: a run of CI that has begun or ended. `jobTimes`: how long jobs took.
 * - `checked`: a commit with a new status. `change`: another name, owner or state of the repository, which has this name here.
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
  readonly jobTimes?: ReadonlyArray<JobTime.JobTime>
  readonly asked?: Asked
  readonly checked?: string
  readonly change?: { readonly name: string; readonly to: string | null }
}

/** A change of the installation of the app on an account. */
export interface InstallationChange {
  readonly owner: string
  readonly name: "created" | "deleted" | "suspend" | "unsuspend"
}

/** Something that a delivery changed, or could not change, apart from the merge queue. */
export type PlatformNote =
  | { readonly _tag: "EventsAhead" }
  | { readonly _tag: "PullRequestRecorded"; readonly commit: string; readonly number: number }
  | { readonly _tag: "ArtifactsNoticed"; readonly runId: string }
  | { readonly _tag: "RunNoted"; readonly runId: string; readonly state: CiRun.CiRun["state"] }
  | { readonly _tag: "DefaultBranchSet"; readonly branch: string }
  | { readonly _tag: "QueueRead"; readonly branch: string }
  | { readonly _tag: "RepositoryChanged"; readonly name: string; readonly to: string | null }
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
    /**
     * Notes a change of an installation for every known repository of the account, and yields how many they are. Queues that wait
     * for the app go on at once when it is back.
     */
    readonly installationChanged: (change: InstallationChange) => Effect.Effect<number, StoreError>
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
      const { run } = yield* QueueCommands
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

      const answer = ({ asked, repository }: PlatformDelivery) =>
        asked === undefined ? Effect.succeed([]) : Effect.map(run(repository, asked), (answered) => [answered])

      /**
       * The parts for which the platform is asked, and asked again while it does not answer. They are over before the delivery is
       * answered: what a process that dies has not carried out was never accepted.
       */
      const asking = (delivery: PlatformDelivery) =>
        Effect.map(
          Effect.all([readConfiguration(delivery), carryOut(delivery), answer(delivery)]),
          (parts): ReadonlyArray<PlatformNote> => parts.flat()
        )

      /** Verdicts on a commit are complete when its runs are over; cost counts the times of their jobs. */
      const noteRun = Effect.fnUntraced(function* ({ ciRun, jobTimes = [], repository }: PlatformDelivery) {
        yield* readings.noteTimes(repository, jobTimes)
        if (ciRun === undefined) return []
        yield* readings.noteRun(repository, { ...ciRun, at: yield* Clock.currentTimeMillis })
        return [{ _tag: "RunNoted", runId: ciRun.runId, state: ciRun.state } as const]
      })

      const noticeRun = Effect.fnUntraced(function* ({ completedRun: runId, repository }: PlatformDelivery) {
        const isRead = runId !== undefined && (yield* artifacts.notice(repository, runId))
        return isRead ? [{ _tag: "ArtifactsNoticed", runId } as const] : []
      })

      const setup = yield* Effect.serviceOption(PlatformSetup)

      const forget = (ref: Repository.RepositoryRef) => (Option.isNone(setup) ? Effect.void : setup.value.forget(ref))

      /** The stored data keeps its name: only a person knows whether both names are one repository. */
      const change = Effect.fnUntraced(function* ({ change: changed, repository }: PlatformDelivery) {
        if (changed === undefined) return []
        const { name, to } = changed
        yield* forget(repository)
        const at = yield* Clock.currentTimeMillis
        yield* sightings.note(repository, { kind: "repository", name, at, detail: to })
        yield* queueNotice.notice(repository, null)
        return [{ _tag: "RepositoryChanged", name, to } as const]
      })

      const installationChanged = Effect.fn("PlatformEvents.installationChanged")(function* ({
        name,
        owner
      }: InstallationChange) {
        const all = yield* repositories.list
        const own = all.filter((each) => each.owner.toLowerCase() === owner.toLowerCase())
        for (const ref of own) {
          yield* forget(ref)
          const at = yield* Clock.currentTimeMillis
          yield* sightings.note(ref, { kind: "installation", name, at, detail: null })
          if (name === "created" || name === "unsuspend") yield* queueNotice.notice(ref, null)
        }
        return own.length
      })

      /** A head or a run does not say which queue it is in: all of them are read. */
      const noticeQueues = ({ checked, completedRun, events, heads, repository }: PlatformDelivery) => {
        const branches = [...new Set(events.map(({ branch }) => branch))]
        const isAnywhere = heads.length > 0 || completedRun !== undefined || checked !== undefined
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
        const reports = yield* requestReports(delivery)
        const answers = yield* asking(delivery)
        const changes = yield* change(delivery)
        const runs = [...(yield* noteRun(delivery)), ...(yield* noticeRun(delivery))]
        yield* noticeQueues(delivery)
        if (delivery.event !== undefined) yield* noted(sightings, delivery.repository, "delivery", delivery.event)
        return {
          outcomes,
          notes: [...notes, ...pulls, ...branch, ...reports, ...answers, ...changes, ...runs]
        }
      })

      return PlatformEvents.of({ receive, installationChanged })
    })
  )
}

const { characters } = QueueConfiguration.limits

const isConfiguration = Schema.is(Text.between(0, characters))
