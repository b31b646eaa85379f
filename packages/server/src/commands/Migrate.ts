/** Brings the tables to this version. */
import { CommandFailure } from "@lazaret/cli"
import { Console, Effect, type Option } from "effect"
import * as Settings from "../Settings.ts"
import * as Storage from "../Storage.ts"
import * as StorageFailure from "./StorageFailure.ts"

/** The flags of the command. */
export interface Given {
  readonly config: Option.Option<string>
  readonly json: boolean
}

/** Brings the tables of the storage to this version, and prints the migrations. */
export const migrate = Effect.fnUntraced(function* ({ config, json }: Given) {
  const { storage } = yield* Settings.load(config)
  if (storage._tag === "Memory") {
    return yield* CommandFailure.usage("LAZARET_STORE is memory, which has no tables: set it to postgres or embedded.")
  }
  const names = yield* Effect.catchTags(Storage.migrate(storage), {
    DatabaseError: StorageFailure.of,
    EmbeddedPostgresError: StorageFailure.of,
    SqlError: (error) => CommandFailure.setup(`The database cannot be used: ${error.message}.`)
  })
  const text = names.length === 0 ? "The tables are already those of this version." : `Migrated: ${names.join(", ")}`
  yield* Console.log(json ? JSON.stringify({ migrated: names }, null, 2) : text)
})
