/** A file that several servers may make at the same time. */
import { randomUUID } from "node:crypto"
import { Effect, FileSystem } from "effect"

/**
 * Writes a new file, readable by this user only, and yields whether it did: a file that exists stays.
 *
 * When servers start at once, one of them places its whole key, and the others read it.
 */
export const place = Effect.fnUntraced(function* (text: string, path: string) {
  const files = yield* FileSystem.FileSystem
  const draft = `${path}.${randomUUID()}`
  yield* files.writeFileString(draft, text, { mode: 0o600 })
  return yield* files.link(draft, path).pipe(
    Effect.as(true),
    Effect.catchIf(
      (error) => error.reason._tag === "AlreadyExists",
      () => Effect.succeed(false)
    ),
    Effect.ensuring(Effect.ignore(files.remove(draft)))
  )
})
