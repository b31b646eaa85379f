/** Requests of people to a queue that is driven, also in the shadow: the events that follow from them. */
import type { Repository } from "@lazaret/domain"
import { type EngineConfiguration, type EngineEvent, EngineState, QueuePriority } from "@lazaret/queue"
import { Effect } from "effect"
import { PullRequestNotOpen, PullRequestNotQueued, QueueRuleNotFound } from "../answer/ServiceError.ts"
import type { Asked } from "./MergeQueues.ts"
import type { PullSnapshot } from "./QueueForge.ts"
import * as Reading from "./Reading.ts"

/** The queue that is asked. */
export interface Queue {
  readonly ref: Repository.RepositoryRef
  readonly branch: string
  readonly state: EngineState.EngineState
  readonly configuration: EngineConfiguration.EngineConfiguration
}

/** A request, and the pull request as it is now; null: the platform did not answer, or was not asked. */
export interface Request extends Asked {
  readonly pull: PullSnapshot | null
}

/** The longest name of a person that is kept. */
export const longestName = 255

/** Whether a request is about this base branch. */
export const isKnown = (
  state: EngineState.EngineState,
  { branch, number, pull }: { readonly branch: string; readonly number: number; readonly pull: PullSnapshot | null }
): boolean =>
  EngineState.entryOf(state, number) !== undefined ||
  (pull === null ? state.heads.some((head) => head.number === number) : pull.state === "open" && pull.base === branch)

/**
 * The events of a request.
 *
 * **Details**
 *
 * The head is pinned as it is now. Who is queued at this head stays where it is: with a priority it gets that, and what the
 * repository refused to merge is tried again.
 */
export const causes = (
  queue: Queue,
  request: Request,
  at: number
): Effect.Effect<
  ReadonlyArray<EngineEvent.EngineEvent>,
  PullRequestNotOpen | PullRequestNotQueued | QueueRuleNotFound
> => (request.action === "dequeue" ? leaving(queue, request) : entering(queue, request, at))

const leaving = ({ ref, state }: Queue, { by, number }: Request) =>
  EngineState.entryOf(state, number) === undefined
    ? Effect.fail(new PullRequestNotQueued({ owner: ref.owner, repository: ref.repository, number }))
    : Effect.succeed([{ kind: "dequeue_asked", number, by: by.slice(0, longestName) } as const])

const entering = Effect.fnUntraced(function* (queue: Queue, request: Request, at: number) {
  const { configuration, ref, state } = queue
  const { number, pull } = request
  const { owner, repository } = ref
  const by = request.by.slice(0, longestName)
  const head = pull?.head ?? state.heads.find((each) => each.number === number)?.sha
  if (head === undefined) return yield* new PullRequestNotOpen({ owner, repository, number })
  const [first] = configuration.rules
  const rule = request.rule ?? first?.name ?? "default"
  const isRule = configuration.rules.some(({ name }) => name === rule) || (request.rule ?? null) === null
  if (!isRule) return yield* new QueueRuleNotFound({ owner, repository, rule })
  const priority = request.priority ?? null
  const present = EngineState.entryOf(state, number)
  if (present?.head === head) {
    const urgent = priority === null ? [] : [{ kind: "priority_asked", number, priority, by } as const]
    return [...urgent, ...(present.hold?.kind === "refused" ? [{ kind: "retry_asked", number, by } as const] : [])]
  }
  const asked = { kind: "queue_asked", number, head, rule, priority: priority ?? QueuePriority.fallback, by } as const
  return [
    asked,
    ...(pull === null
      ? []
      : [{ kind: "pull_seen", pull: Reading.pullOf(pull, at, configuration.blockingLabels) } as const])
  ]
})
