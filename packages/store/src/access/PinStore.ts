/** The port of pins: what the names of owners and repositories stand for at the issuers of tokens. */
import type { OriginPin } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * The port of pins.
 *
 * **Details**
 *
 * Pins belong to names, like keys: one exists before the first report of its repository, and stays when the repository is removed.
 */
export class PinStore extends Context.Service<
  PinStore,
  {
    /**
     * Stores the pins whose `OriginPin.subject` is new, and yields none. When a stored one has another `platformId`, stores nothing
     * and yields the stored one. Of concurrent calls for one subject the first decides.
     */
    readonly confirm: (
      pins: ReadonlyArray<OriginPin.OriginPin>
    ) => Effect.Effect<Option.Option<OriginPin.OriginPin>, StoreError>
    /** All pins in the order of creation, then id. */
    readonly list: Effect.Effect<ReadonlyArray<OriginPin.OriginPin>, StoreError>
    /** Removes a pin, and yields whether there was one: the next token of the name makes a new one. */
    readonly remove: (id: string) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/PinStore") {}
