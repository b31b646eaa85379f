/** Brings the tables to this version. */
import { CommandFailure } from "@lazaret/cli"
import { Console, Effect, type Option } from "effect"
import * as Settings from "../Settings.ts"
import * as Storage from "../Storage.ts"
import * as StorageFailure from "./StorageFailure.ts"

/** The flags of the command. */
export interface Given {
  readonly config: Option.Option<string>
  readonly distribute: boolean
  readonly json: boolean
}

/** Brings the tables of the storage to this version, distributes them when that is asked for, and prints what was done. */
export const migrate = Effect.fnUntraced(function* ({ config, distribute, json }: Given) {
  const { storage } = yield* Settings.load(config)
  if (storage._tag === "Memory") {
    return yield* CommandFailure.usage("LAZARET_STORE is memory, which has no tables: set it to postgres or embedded.")
  }
  const migrated = yield* orFail(Storage.migrate(storage))
  const distributed = distribute ? yield* orFail(Storage.distribute(storage)) : null
  const text = [
    migrated.length === 0 ? "The tables are already those of this version." : `Migrated: ${migrated.join(", ")}`,
    distributed === null
      ? []
      : distributed.length === 0
        ? "Every table is distributed already."
        : `Distributed: ${distributed.join(", ")}`
  ]
  const done = distributed === null ? { migrated } : { migrated, distributed }
  yield* Console.log(json ? JSON.stringify(done, null, 2) : text.flat().join("\n"))
})

const orFail = <A>(work: Effect.Effect<A, Effect.Error<ReturnType<typeof Storage.migrate>>>) =>
  Effect.catchTags(work, {
    DatabaseError: StorageFailure.of,
    EmbeddedPostgresError: StorageFailure.of,
    SqlError: (error) => CommandFailure.setup(`The database cannot be used: ${error.message}.`)
  })
