/** `lazaret sign-in`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"

/** Makes a link that signs a browser in to the dashboard. */
export const command = Command.make("sign-in", { ...Connection.flags, json: JsonFlag.flag }, (given) =>
  Effect.flatMap(
    load(() => import("./SignIn.ts")),
    ({ signIn }) => signIn(given)
  )
).pipe(
  Command.withDescription(
    "Print a link that signs a browser in to the dashboard: once, within a quarter of an hour, with the key of this command."
  ),
  Command.withShortDescription("Print a link to the dashboard that signs in")
)
