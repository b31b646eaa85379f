/** The file in which a server keeps its first admin key. */
import { Effect, FileSystem, Option, Path, Redacted } from "effect"

/** The name of the file in the data folder. */
export const name = "admin-key"

/** The data folder where no other is set. */
export const defaultFolder = "./data"

/** The key that a server on this machine keeps in a data folder; none when the file does not exist, is empty, or may not be read. */
export const read = Effect.fnUntraced(function* (dataFolder: string) {
  const path = (yield* Path.Path).join(dataFolder, name)
  const text = yield* Effect.option((yield* FileSystem.FileSystem).readFileString(path))
  return Option.map(
    Option.filter(text, (each) => each.trim() !== ""),
    (each) => Redacted.make(each.trim())
  )
})
