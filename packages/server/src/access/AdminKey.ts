/** The first admin key: from the settings, or made once and kept in the data folder. */
import { randomBytes } from "node:crypto"
import { AdminKeyFile, CommandFailure } from "@lazaret/cli"
import { Effect, FileSystem, Option, Path, type PlatformError, Redacted, Schema } from "effect"
import * as KeyFile from "./KeyFile.ts"
import * as SettingSchema from "../settings/SettingSchema.ts"

/** An admin key and its origin: the environment, a file from an earlier start, or a file that was made just now. */
export type AdminKey =
  | { readonly _tag: "Environment"; readonly secret: Redacted.Redacted }
  | { readonly _tag: "Kept"; readonly secret: Redacted.Redacted; readonly path: string }
  | { readonly _tag: "Made"; readonly secret: Redacted.Redacted; readonly path: string }

/**
 * The admin key of a server.
 *
 * **Details**
 *
 * A key from the settings comes first, and nothing is written. Otherwise the key is read from the data folder. When the
 * folder has no key, a random one is written, readable by this user only (the file 0600, a new folder 0700).
 */
export const load = Effect.fnUntraced(function* (set: Option.Option<Redacted.Redacted>, dataFolder: string) {
  if (Option.isSome(set)) return { _tag: "Environment", secret: set.value } as const satisfies AdminKey
  const path = (yield* Path.Path).join(dataFolder, AdminKeyFile.name)
  return yield* Effect.catchTag(kept(path, dataFolder), "PlatformError", (error) => unusable(dataFolder, error))
})

const kept = Effect.fnUntraced(function* (path: string, dataFolder: string) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(path))) {
    const secret = `lzr_admin_${randomBytes(32).toString("base64url")}`
    yield* files.makeDirectory(dataFolder, { recursive: true, mode: 0o700 })
    const isMade = yield* KeyFile.place(`${secret}\n`, path)
    if (isMade) return { _tag: "Made", secret: Redacted.make(secret), path } as const satisfies AdminKey
  }
  const secret = (yield* files.readFileString(path)).trim()
  if (!isToken(secret)) return yield* CommandFailure.setup(noKey(path))
  yield* Effect.ignore(files.chmod(path, 0o600))
  return { _tag: "Kept", secret: Redacted.make(secret), path } as const satisfies AdminKey
})

const isToken = Schema.is(SettingSchema.token)

const noKey = (path: string): string =>
  `${path} does not hold an admin key of at least ${SettingSchema.fewestTokenCharacters} ASCII characters without spaces: ` +
  "remove the file, and the server makes a new key."

const unusable = (dataFolder: string, error: PlatformError.PlatformError) =>
  CommandFailure.setup(
    `The data folder ${dataFolder} cannot be used (${error.reason._tag}): make it writable for this user, or set ` +
      "LAZARET_DATA_DIR to a folder that is."
  )
