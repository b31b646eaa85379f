/** The configuration of an engine: what the file of the repository says about a base branch. */
import { type EngineConfiguration, EngineSettings, QueueConfiguration, Repository } from "@lazaret/domain"
import type { QueueStore, RepositoryStore, StoreError } from "@lazaret/store"
import { Effect, Option, Result } from "effect"

/** The ports that hold it. */
interface Ports {
  readonly queues: QueueStore["Service"]
  readonly repositories: RepositoryStore["Service"]
}

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
  const settings = Option.isSome(repository) ? repository.value.settings : Repository.defaultSettings
  const text = Option.getOrElse(yield* queues.lastValidConfiguration(ref), () => "")
  const parsed = QueueConfiguration.parseAll(text)
  // The text was valid when it was kept; where newer rules refuse it, nothing acts.
  const { engine, rules } = Result.getOrElse(parsed, () => ({ engine: EngineSettings.defaults, rules: [] }))
  const defaultBranch = Option.getOrElse(Option.fromNullOr(settings.defaultBranch), () => branch)
  if (engine.mode === "off" || !EngineSettings.concerns(engine, branch, defaultBranch)) return null
  return EngineSettings.configurationOf(engine, rules, branch)
})
