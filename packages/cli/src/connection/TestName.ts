/** How people name a test: by its name or by its id. */
import { Effect } from "effect"
import { load } from "../terminal/MissingPackage.ts"

/** The id of a test, which follows from its name; an id is itself. */
export const idOf = (given: string) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(given)
    ? Effect.succeed(given)
    : Effect.map(
        load(() => import("@lazaret/domain")),
        ({ TestId }): string => TestId.of(given)
      )
