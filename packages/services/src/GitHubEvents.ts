/** The use case of events that the hosting platform sends. */
import { QueueConfiguration, type QueueEvent, type QueueOutcome, Repository, Text } from "@lazaret/domain"
import { type PullFact, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { HostingPlatform } from "./HostingPlatform.ts"
import { Queues } from "./Queues.ts"

/**
 * The content of one delivery.
 *
 * **Details**
 *
 * - `defaultBranch`: null when the delivery is not about it.
 * - `configurationFile`: the path of the file that configures the merge queue, when it has changed.
 */
export interface GitHubDelivery {
  readonly repository: Repository.RepositoryRef
  readonly events: ReadonlyArray<QueueEvent.QueueEvent>
  readonly pulls: ReadonlyArray<PullFact>
  readonly defaultBranch: string | null
  readonly configurationFile: string | null
}

/** The outcomes of the events of a delivery, in their order, and notes about everything else that it changed. */
export interface GitHubReceipt {
  readonly outcomes: ReadonlyArray<QueueOutcome.QueueOutcome>
  readonly notes: ReadonlyArray<string>
}

/** Records deliveries of the hosting platform. */
export class GitHubEvents extends Context.Service<
  GitHubEvents,
  {
    /**
     * Records a delivery, and creates the repository when there is something to record. Each part is idempotent, so that an
     * interrupted delivery can be sent again.
     */
    readonly receive: (delivery: GitHubDelivery) => Effect.Effect<GitHubReceipt, StoreError>
  }
>()("@lazaret/services/GitHubEvents") {
  /** The use case over the storage ports, the hosting platform and the queues. */
  static readonly layer = Layer.effect(
    GitHubEvents,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const platform = yield* HostingPlatform
      const queues = yield* Queues

      const recordEvents = Effect.fnUntraced(function* ({ events, repository }: GitHubDelivery) {
        if (events.length === 0) return { outcomes: [], notes: [] }
        return yield* queues.record(repository, events).pipe(
          Effect.map((outcomes) => ({ outcomes, notes: [] })),
          Effect.catchTag("Invalid", () => Effect.succeed({ outcomes: [], notes: [farAhead] }))
        )
      })

      const recordPulls = Effect.fnUntraced(function* ({ pulls, repository }: GitHubDelivery) {
        if (pulls.length === 0) return []
        yield* repositories.recordPulls(repository, pulls, yield* Clock.currentTimeMillis)
        return pulls.map(({ commit, pull }) => `Commit ${commit} came with pull request ${pull.number}.`)
      })

      /** Keeps a default branch that a user set. */
      const setDefaultBranch = Effect.fnUntraced(function* ({ defaultBranch, repository }: GitHubDelivery) {
        if (defaultBranch === null) return []
        const known = yield* repositories.get(repository)
        const settings = Option.isSome(known) ? known.value.settings : Repository.defaultSettings
        if (settings.defaultBranch !== null) return []
        yield* repositories.set(repository, { ...settings, defaultBranch }, yield* Clock.currentTimeMillis)
        return [`The default branch is ${defaultBranch} from now on.`]
      })

      const readConfiguration = Effect.fnUntraced(function* ({ configurationFile: path, repository }: GitHubDelivery) {
        if (path === null) return []
        const text = yield* platform.file(repository, path)
        if (Option.isNone(text)) return [unreadable(path)]
        if (!isConfiguration(text.value)) return [noConfiguration(path)]
        const faults = yield* queues.configure(repository, text.value)
        return [`${path} has been read.`, ...faults.map(({ message }) => `${path}: ${message}`)]
      })

      const receive = Effect.fnUntraced(function* (delivery: GitHubDelivery) {
        const { notes, outcomes } = yield* recordEvents(delivery)
        const pulls = yield* recordPulls(delivery)
        const branch = yield* setDefaultBranch(delivery)
        const configuration = yield* readConfiguration(delivery)
        return { outcomes, notes: [...notes, ...pulls, ...branch, ...configuration] }
      })

      return GitHubEvents.of({ receive })
    })
  )
}

const farAhead =
  "What happened in the merge queue lies more than a day ahead of the clock of this server, and is not recorded."

const { characters } = QueueConfiguration.limits

const isConfiguration = Schema.is(Text.between(0, characters))

const noConfiguration = (path: string): string =>
  `${path} has changed, and is no UTF-8 text of at most ${characters} characters: what was read before stays.`

const unreadable = (path: string): string =>
  `${path} has changed, and the hosting platform does not show it to this server: send it with ` +
  "PUT /v1/repos/{owner}/{repository}/queues/configuration, an empty body when it is gone."
