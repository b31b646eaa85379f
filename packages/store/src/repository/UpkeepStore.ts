/** The port of upkeep: what is computed from the kept facts is computed again and compared. */
import type { Repository } from "@lazaret/domain"
import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * Something that is stored otherwise than the kept executions say.
 *
 * **Details**
 *
 * `kind` is what differs and `place` where, in words of the engine. They are for the log and for people, not for decisions.
 */
export interface Difference {
  readonly kind: string
  readonly place: string
}

/**
 * The port of upkeep, for a repository whose computed part is not to be trusted.
 *
 * **Laws**
 *
 * - `verify` finds nothing after any sequence of operations of the other ports.
 * - `refold` changes no answer where `verify` finds nothing, and after it `verify` finds nothing.
 * - `outdated` lists a repository until a refold has computed it by the rules of this version.
 * - Neither stands in the way of other operations for long: appends go on while either runs, and what they write is
 *   neither lost nor reported.
 */
export class UpkeepStore extends Context.Service<
  UpkeepStore,
  {
    /** Succeeds while the store takes writes, and is `unavailable` otherwise. A store that only reads is not available. */
    readonly takesWrites: Effect.Effect<void, StoreError>
    /**
     * Recomputes everything from the stored executions; `false` when the repository is unknown. When it is interrupted,
     * what was done so far stays, and is right.
     */
    readonly refold: (ref: Repository.RepositoryRef) => Effect.Effect<boolean, StoreError>
    /**
     * The repositories of which something is stored as an older version computed it, in any order. Their answers stay
     * available, by the older rules.
     */
    readonly outdated: Effect.Effect<ReadonlyArray<Repository.RepositoryRef>, StoreError>
    /** Every difference at one moment, in any order; none when nothing is known of the repository. Writes nothing. */
    readonly verify: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<Difference>, StoreError>
  }
>()("@lazaret/store/UpkeepStore") {}
