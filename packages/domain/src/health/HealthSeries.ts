/**
 * Health over time: the changes of a verdict, and the verdict at any moment, computed from every execution up to it
 * (interface 4.1.4).
 */
import type { HealthPolicy } from "./HealthPolicy.ts"
import * as Health from "./Health.ts"
import * as HealthStatus from "./HealthStatus.ts"
import * as Text from "../text/Text.ts"

/**
 * One change of a verdict.
 *
 * **Details**
 *
 * `status` holds from `mover.at` on. `episode` is the first failing execution of the failure episode behind the change,
 * null for a change to healthy, and for one that other branches caused. `exceptionType` is that of `episode`, null where it has none or is no longer kept. The
 * first change of a series has the rule `start` and the status healthy.
 */
export interface Change<Id = string, Commit = string> {
  readonly status: HealthStatus.HealthStatus
  readonly rule: Health.Rule
  readonly trigger: Health.Mark<Id, Commit>
  readonly episode: Health.Mark<Id, Commit> | null
  readonly exceptionType: string | null
}

/**
 * The changes of one identity's verdict over executions, and contradictions on other branches, that follow `base` in order.
 *
 * **Details**
 *
 * `exceptionTypeOf` finds the exception of an execution of this history by its id. The first execution ever yields the
 * change to healthy that starts the series, and may yield a second one that leaves it.
 *
 * @example
 * ```ts
 * import { Execution, Health, HealthPolicy, HealthSeries } from "@lazaret/domain"
 *
 * const run = (id: string, commit: string, conclusion: "passed" | "failed") =>
 *   Execution.observed({ id, at: Number(id), commit, conclusion })
 * const history = [run("1", "c1", "passed"), run("2", "c2", "failed"), run("3", "c2", "passed")]
 * HealthSeries.changes(Health.initial, history, HealthPolicy.defaults).map((change) => change.status)
 * // => ["healthy", "broken", "flaky"]
 * ```
 */
export const changes = <Id, Commit>(
  base: Health.State<Id, Commit>,
  items: Iterable<Health.Item<Id, Commit>>,
  policy: HealthPolicy,
  exceptionTypeOf: (id: Id) => string | null = () => null
): Array<Change<Id, Commit>> => {
  const found: Array<Change<Id, Commit>> = []
  let started = base.trigger !== null
  Health.walk(base, items, policy, (item, _, before, state) => {
    if (!started) {
      started = true
      found.push(start(item))
    }
    if (state.status !== before) found.push(changeOf(state, item, exceptionTypeOf))
  })
  return found
}

/**
 * The remainder of a series whose oldest executions are no longer kept: its last change before them, the state that
 * they led to, and the exception of the episode in that state.
 */
export interface Base<Id = string, Commit = string> {
  readonly change: Change<Id, Commit>
  readonly state: Health.State<Id, Commit>
  readonly exceptionType: string | null
}

/** The base after more executions, given in their order; null when there has never been one. */
export const advance = <Id, Commit>(
  base: Base<Id, Commit> | null,
  items: Iterable<Health.Item<Id, Commit>>,
  policy: HealthPolicy,
  exceptionTypeOf: (id: Id) => string | null
): Base<Id, Commit> | null => {
  const list = [...items]
  const exceptionOf = since(base, exceptionTypeOf)
  const before = base?.state ?? Health.initialOf<Id, Commit>()
  const change = changes(before, list, policy, exceptionOf).at(-1) ?? base?.change
  const state = Health.fold(before, list, policy)
  if (change === undefined) return null
  return { change, state, exceptionType: state.episode === null ? null : exceptionOf(state.episode.id) }
}

/** The changes over executions that follow a base, the last one before them first. */
export const changesSince = <Id, Commit>(
  base: Base<Id, Commit> | null,
  items: Iterable<Health.Item<Id, Commit>>,
  policy: HealthPolicy,
  exceptionTypeOf: (id: Id) => string | null = () => null
): Array<Change<Id, Commit>> => [
  ...(base === null ? [] : [base.change]),
  ...changes(base?.state ?? Health.initialOf<Id, Commit>(), items, policy, since(base, exceptionTypeOf))
]

/** The episode that was open is that of an execution which is no longer kept. */
const since =
  <Id, Commit>(base: Base<Id, Commit> | null, exceptionTypeOf: (id: Id) => string | null) =>
  (id: Id): string | null =>
    base !== null && id === base.state.episode?.id ? base.exceptionType : exceptionTypeOf(id)

/**
 * The changes of a test's verdict from those of its identities: the worst one counts, broken > flaky > healthy.
 *
 * **Details**
 *
 * The result is in the order of executions (`mover`), consecutive entries differ. Where the worst identity recovers and
 * leaves a second one in a milder status, the change carries the second one's rule and episode.
 */
export const worst = (identities: ReadonlyArray<ReadonlyArray<Change>>): Array<Change> => {
  const all = identities
    .flatMap((list, identity) => list.map((change) => ({ change, identity })))
    .sort((a, b) => a.change.trigger.at - b.change.trigger.at || Text.compare(a.change.trigger.id, b.change.trigger.id))
  const current = new Map<number, Change>()
  const merged: Array<Change> = []
  for (const { change, identity } of all) {
    current.set(identity, change)
    const ruling = rulingChange(change, current)
    if (merged.at(-1)?.status !== ruling.status) {
      merged.push({ ...ruling, trigger: change.trigger })
    }
  }
  return merged
}

const start = <Id, Commit>({ at, commit, id }: Health.Item<Id, Commit>): Change<Id, Commit> => ({
  status: "healthy",
  rule: "start",
  trigger: { id, at, commit },
  episode: null,
  exceptionType: null
})

const changeOf = <Id, Commit>(
  state: Health.State<Id, Commit>,
  { at, commit, id }: Health.Item<Id, Commit>,
  exceptionTypeOf: (id: Id) => string | null
): Change<Id, Commit> => {
  const episode = state.status === "healthy" || state.onset === null ? null : state.episode
  return {
    status: state.status,
    rule: state.rule,
    trigger: { id, at, commit },
    episode,
    exceptionType: episode === null ? null : exceptionTypeOf(episode.id)
  }
}

const rulingChange = (latest: Change, current: ReadonlyMap<number, Change>): Change => {
  let ruling = latest
  for (const change of current.values()) {
    if (HealthStatus.rank(change.status) > HealthStatus.rank(ruling.status)) ruling = change
  }
  return ruling
}
