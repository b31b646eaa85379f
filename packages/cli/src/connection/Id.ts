/** Ids that the server gave, as arguments of commands. */
import { Effect } from "effect"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { plain } from "../terminal/Terminal.ts"

/** Whether a text is a whole id. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** Fails for a text that is not an id; `of` names the thing, and the command that shows its ids. */
export const check = (text: string, of: string): Effect.Effect<void, CommandFailure.CommandFailure> =>
  isId(text) ? Effect.void : CommandFailure.usage(`"${plain(text)}" is not the id of ${of}.`)
