/** The configuration of an engine: what the file of the repository says about a base branch. */
import { type Repository } from "@lazaret/domain"
import { type EngineConfiguration, EngineSettings, QueueConfiguration } from "@lazaret/queue"
import type { QueueStore, RepositoryStore, StoreError } from "@lazaret/store"
import { Effect, Option, Result } from "effect"

/** The ports that hold it. */
interface Ports {
  readonly queues: QueueStore["Service"]
  readonly repositories: RepositoryStore["Service"]
}

/** The settings of the last valid file, and its rules. */
const inForce = (queues: QueueStore["Service"], ref: Repository.RepositoryRef) =>
  Effect.map(queues.lastValidConfiguration(ref), (text) =>
    // The text was valid when it was stored. If a newer version of the rules refuses it, the engine does nothing.
    Result.getOrElse(QueueConfiguration.parseAll(Option.getOrElse(text, () => "")), () => ({
      engine: EngineSettings.defaults,
      rules: []
    }))
  )

/** The settings in force for every base branch. */
export const settings = (
  queues: QueueStore["Service"],
  ref: Repository.RepositoryRef
): Effect.Effect<EngineSettings.EngineSettings, StoreError> => Effect.map(inForce(queues, ref), ({ engine }) => engine)

/** The configuration of a queue that was driven and is not any more: it takes away what it has made. */
export const leaving = (branch: string): EngineConfiguration.EngineConfiguration =>
  EngineSettings.configurationOf({ ...EngineSettings.defaults, mode: "off", shadow: false }, [], branch)

/** The configuration in force for a base branch; null where it has no engine. */
export const of: (
  ports: Ports,
  ref: Repository.RepositoryRef,
  branch: string
) => Effect.Effect<EngineConfiguration.EngineConfiguration | null, StoreError> = Effect.fnUntraced(function* (
  { queues, repositories },
  ref,
  branch
) {
  const repository = yield* repositories.get(ref)
  const known = Option.isSome(repository) ? repository.value.settings.defaultBranch : null
  const { engine, rules } = yield* inForce(queues, ref)
  const defaultBranch = known ?? branch
  if (engine.mode === "off" || !EngineSettings.concerns(engine, branch, defaultBranch)) return null
  return EngineSettings.configurationOf(engine, rules, branch)
})
