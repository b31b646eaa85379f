/** The port of retention: what is older than a horizon is dropped, and what it led to is kept. */
import type { Instant, Repository } from "@lazaret/domain"
import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * The result of a drop.
 *
 * **Details**
 *
 * `reports` is how many reports were forgotten, with their idempotency keys; `identities` is how many tests (in one job)
 * were. Both are 0 when everything had been dropped before.
 */
export interface Dropped {
  readonly reports: number
  readonly identities: number
}

/**
 * The upkeep that an engine did on its storage, in units that it allocates and frees as a whole (weeks of results on
 * PostgreSQL); an engine without such units reports 0.
 */
export interface StorageChanges {
  readonly allocated: number
  readonly freed: number
  readonly compacted: number
}

/**
 * Deletes data older than a horizon, and keeps what it led to.
 *
 * **Laws**
 *
 * - *Windows.* Every answer about a window that begins at the horizon or later is the same before and after a drop: the
 *   verdict of an identity goes on from the state that the dropped executions led to. A failure is contradicted by a
 *   dropped pass if its commit is among those that this state remembers.
 * - *Identities.* An identity without an execution of the default branch since the horizon is forgotten, its state
 *   too; when it comes back it is a new one.
 * - *Failures.* A group that failed since the horizon keeps its count and its first failure; its older events are
 *   dropped, and groups that have not failed since.
 * - *Late uploads.* What finished before the horizon is not taken any more (`Expired`, `Trimmed`): not counted, not
 *   searched, not folded. Among what finished since, arrival makes no difference, before and after a drop.
 * - *Outages.* A run of which a part was dropped is judged as a whole, and those before the horizon go on standing before
 *   those after it.
 * - *What was judged stays judged.* Dropped executions were folded under the policy and the default branch of that time. A
 *   new policy holds for what is kept; under another default branch the dropped executions lead to nothing, until the
 *   first one is back with no drop in between.
 * - *Idempotent, safe at any time.* Drops, uploads and questions may run at once, also in several processes. A horizon
 *   never moves back. When a drop is interrupted, the next one finishes it.
 */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /**
     * Drops the executions of a repository that finished before a horizon: the start of a week
     * (`Retention.startOfWeek`), an instant between two weeks is moved back to one. Nothing happens when nothing is known
     * of the repository.
     */
    readonly drop: (ref: Repository.RepositoryRef, horizon: Instant.Instant) => Effect.Effect<Dropped, StoreError>
    /**
     * Frees storage that no repository needs any more, allocates storage for the time after `now`, and compacts storage that
     * will not be written again. Changes no answer; there may be nothing to do.
     */
    readonly tidy: (now: Instant.Instant) => Effect.Effect<StorageChanges, StoreError>
  }
>()("@lazaret/store/RetentionStore") {}
