/** The port of sightings, and its rules over a driver: the parts of the connection to a hosting platform that were seen at work. */
import { PlatformSighting, type Repository } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver, View } from "../Driver.ts"
import { platformSightings } from "../Rows.ts"

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
>()("@lazaret/store/SightingStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): SightingStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): SightingStore["Service"] =>
  SightingStore.of({
    // Most sightings repeat the last one: skip the transaction, which would change the version of the repository.
    note: (ref, seen) =>
      Effect.flatMap(
        driver.read("SightingStore.note", ref, (view) => isNews(view, seen)),
        (isNew) =>
          isNew
            ? driver.transact("SightingStore.note", ref, null, (transaction) =>
                Effect.flatMap(isNews(transaction, seen), (isStill) =>
                  isStill ? transaction.put(platformSightings, [seen]) : Effect.void
                )
              )
            : Effect.void
      ),
    all: (ref) =>
      driver.read("SightingStore.all", ref, (view) =>
        view.select(platformSightings, { where: [], order: ["kind", "name"] })
      )
  })

const isNews = (view: View, seen: PlatformSighting.PlatformSighting) =>
  Effect.map(
    view.select(platformSightings, {
      where: [
        ["kind", "=", seen.kind],
        ["name", "=", seen.name]
      ],
      order: []
    }),
    ([known]) => PlatformSighting.latest(known, seen) === seen
  )
