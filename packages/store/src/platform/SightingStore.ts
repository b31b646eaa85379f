/** The port of sightings: the parts of the connection to a hosting platform that were seen at work. */
import type { PlatformSighting, Repository } from "@lazaret/domain"
import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * Keeps the last sighting of each kind and name.
 *
 * **Laws**
 *
 * - *Order-free.* Sightings may be noted in any order, and repeatedly: the one to keep is that of `PlatformSighting.latest`.
 */
export class SightingStore extends Context.Service<
  SightingStore,
  {
    /** Notes a sighting; changes nothing where the repository does not exist. */
    readonly note: (
      ref: Repository.RepositoryRef,
      seen: PlatformSighting.PlatformSighting
    ) => Effect.Effect<void, StoreError>
    /** The last sightings, by kind and name. */
    readonly all: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<PlatformSighting.PlatformSighting>, StoreError>
  }
>()("@lazaret/store/SightingStore") {}
