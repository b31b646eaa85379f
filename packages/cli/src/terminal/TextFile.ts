/** Files of text that a command sends to a server. */
import { Effect, FileSystem } from "effect"
import * as CommandFailure from "./CommandFailure.ts"
import { plain } from "./Terminal.ts"

/** The most bytes that the server takes, and the name of such a file in a message. */
interface Limit {
  readonly bytes: number
  readonly subject: string
}

/** The text of a file; a file that is missing, too large or no text is a fault of usage. */
export const read = Effect.fnUntraced(
  function* (file: string, { bytes: most, subject }: Limit) {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* files.stat(file)
    if (type === "Directory") return yield* CommandFailure.usage(`${plain(file)} is a folder: name ${subject}.`)
    if (size > most) {
      return yield* CommandFailure.usage(
        `${plain(file)} is larger than ${Math.round(most / 1024)} KiB, too large for ${subject}.`
      )
    }
    const bytes = yield* files.readFile(file)
    return yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => CommandFailure.usage(`${plain(file)} is not UTF-8 text: save it as UTF-8.`)
    })
  },
  (effect, file) =>
    Effect.catchTag(effect, "PlatformError", ({ reason }) =>
      CommandFailure.usage(
        reason._tag === "NotFound"
          ? `There is no file ${plain(file)}: check the path.`
          : `${plain(file)} cannot be read (${reason._tag}).`
      )
    )
)
