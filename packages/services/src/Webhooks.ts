/** The use case of the hosting platform's webhooks: what the platform tells by itself. */
import { QueueConfiguration, type QueueEvent, type QueueOutcome, Repository, Text } from "@lazaret/domain"
import { type PullFact, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { HostingPlatform } from "./HostingPlatform.ts"
import { Queues } from "./Queues.ts"

/**
 * What a delivery of a webhook tells.
 *
 * **Details**
 *
 * - `defaultBranch`: null when the delivery is not about it.
 * - `configurationFile`: the path of the file that configures the merge queue, when it has changed.
 */
export interface WebhookDelivery {
  readonly repository: Repository.RepositoryRef
  readonly events: ReadonlyArray<QueueEvent.QueueEvent>
  readonly pulls: ReadonlyArray<PullFact>
  readonly defaultBranch: string | null
  readonly configurationFile: string | null
}

/** What became of a delivery: of its events, in their order, and of everything else, in sentences. */
export interface WebhookReceipt {
  readonly outcomes: ReadonlyArray<QueueOutcome.QueueOutcome>
  readonly notes: ReadonlyArray<string>
}

/** Records what the hosting platform tells. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Records a delivery, and creates the repository when there is something to record. Each part is idempotent, so a
     * delivery that was cut off is sent again.
     */
    readonly receive: (delivery: WebhookDelivery) => Effect.Effect<WebhookReceipt, StoreError>
  }
>()("@lazaret/services/Webhooks") {
  /** The use case over the storage ports, the hosting platform and the queues. */
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const platform = yield* HostingPlatform
      const queues = yield* Queues

      const recordEvents = Effect.fnUntraced(function* ({ events, repository }: WebhookDelivery) {
        if (events.length === 0) return { outcomes: [], notes: [] }
        return yield* queues.record(repository, events).pipe(
          Effect.map((outcomes) => ({ outcomes, notes: [] })),
          Effect.catchTag("Invalid", () => Effect.succeed({ outcomes: [], notes: [farAhead] }))
        )
      })

      const recordPulls = Effect.fnUntraced(function* ({ pulls, repository }: WebhookDelivery) {
        if (pulls.length === 0) return []
        yield* repositories.recordPulls(repository, pulls, yield* Clock.currentTimeMillis)
        return pulls.map(({ commit, pull }) => `Commit ${commit} came with pull request ${pull.number}.`)
      })

      /** What somebody has set by hand stays as it is. */
      const setDefaultBranch = Effect.fnUntraced(function* ({ defaultBranch, repository }: WebhookDelivery) {
        if (defaultBranch === null) return []
        const known = yield* repositories.get(repository)
        const settings = Option.isSome(known) ? known.value.settings : Repository.defaultSettings
        if (settings.defaultBranch !== null) return []
        yield* repositories.set(repository, { ...settings, defaultBranch }, yield* Clock.currentTimeMillis)
        return [`The default branch is ${defaultBranch} from now on.`]
      })

      const readConfiguration = Effect.fnUntraced(function* ({ configurationFile: path, repository }: WebhookDelivery) {
        if (path === null) return []
        const text = yield* platform.file(repository, path)
        if (Option.isNone(text)) return [unreadable(path)]
        if (!isConfiguration(text.value)) return [noConfiguration(path)]
        const faults = yield* queues.configure(repository, text.value)
        return [`${path} has been read.`, ...faults.map(({ message }) => `${path}: ${message}`)]
      })

      const receive = Effect.fnUntraced(function* (delivery: WebhookDelivery) {
        const { notes, outcomes } = yield* recordEvents(delivery)
        const pulls = yield* recordPulls(delivery)
        const branch = yield* setDefaultBranch(delivery)
        const configuration = yield* readConfiguration(delivery)
        return { outcomes, notes: [...notes, ...pulls, ...branch, ...configuration] }
      })

      return Webhooks.of({ receive })
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
