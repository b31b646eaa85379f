/** Sightings over a driver. */
import { PlatformSighting } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, View } from "../Driver.ts"
import { platformSightings } from "../Rows.ts"
import { SightingStore } from "./SightingStore.ts"

/** The port of sightings. */
export const make = (driver: Driver["Service"]): SightingStore["Service"] =>
  SightingStore.of({
    // Most sightings repeat the last one: a transaction would give the repository another version.
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
