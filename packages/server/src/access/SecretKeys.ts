/** The keys of secrets at rest: from the settings, or made at the first start of the embedded storage. */
import { randomBytes } from "node:crypto"
import { CommandFailure } from "@lazaret/cli"
import { Sealer, SecretStore } from "@lazaret/store"
import { Effect, FileSystem, Layer, Path, type PlatformError, Redacted } from "effect"
import * as KeyFile from "./KeyFile.ts"
import type { Storage } from "../Storage.ts"
import * as SecretBox from "./SecretBox.ts"

/** The name of the file in the data folder. */
export const fileName = "secret-key"

/** The settings about secrets at rest. */
export interface SecretSettings {
  readonly secretKey: Redacted.Redacted | null
  readonly storage: Storage
}

/**
 * The keys that a text holds: one in each line, 32 bytes in base64, the newest first. Null for any other text.
 *
 * Empty lines, and lines that begin with `#`, count for nothing.
 */
export const parse = (text: string): ReadonlyArray<Redacted.Redacted<Uint8Array>> | null => {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
  const keys = lines.map((line) => (/^[\w+/-]{43}=?$/u.test(line) ? Buffer.from(line, "base64") : Buffer.alloc(0)))
  return keys.length > 0 && keys.every(({ length }) => length === SecretBox.keyBytes)
    ? keys.map((key) => Redacted.make(key))
    : null
}

/** The sealer of a server: with the keys of the settings, or those in the data folder of the embedded storage, or without keys. */
export const layer = (
  settings: SecretSettings
): Layer.Layer<never, CommandFailure.CommandFailure, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    Sealer.Sealer,
    Effect.map(keysOf(settings), (keys) => (keys === null ? Sealer.Sealer.defaultValue() : SecretBox.make(keys)))
  )

const keysOf = Effect.fnUntraced(function* ({ secretKey, storage }: SecretSettings) {
  if (secretKey !== null) return parse(Redacted.value(secretKey))
  if (storage._tag !== "Embedded") return null
  return yield* Effect.catchTag(kept(storage.folder), "PlatformError", (error) => unusable(storage.folder, error))
})

const kept = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(folder, fileName)
  if (!(yield* files.exists(path))) {
    yield* files.makeDirectory(folder, { recursive: true, mode: 0o700 })
    yield* KeyFile.place(`${randomBytes(SecretBox.keyBytes).toString("base64")}\n`, path)
  }
  const keys = parse(yield* files.readFileString(path))
  if (keys === null) return yield* CommandFailure.setup(`${path} does not hold keys of 32 bytes in base64: restore it.`)
  yield* Effect.ignore(files.chmod(path, 0o600))
  return keys
})

const unusable = (folder: string, error: PlatformError.PlatformError) =>
  CommandFailure.setup(`The file ${fileName} in the data folder ${folder} cannot be used (${error.reason._tag}).`)

/**
 * Seals what a server without a key, or with an earlier one, has stored; stops the start when a secret is sealed with a key that
 * the server does not have.
 */
export const start = ({ secretKey, storage }: SecretSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { renewed, unknown } = yield* (yield* SecretStore).renew
      if (unknown.length > 0) return yield* CommandFailure.setup(otherKey(unknown))
      if (renewed > 0) yield* Effect.annotateLogs(Effect.logInfo("Stored secrets were encrypted"), { records: renewed })
      if (secretKey === null && storage._tag === "Postgres") yield* Effect.logWarning(withoutKey)
    })
  )

const otherKey = (ids: ReadonlyArray<string>): string =>
  `Webhooks or notifiers are encrypted with a key that this server does not have, or were changed (key ${ids.join(", ")}): ` +
  `set LAZARET_SECRET_KEY_FILE to the file with that key, or restore the file ${fileName} of the data folder.`

const withoutKey =
  "LAZARET_SECRET_KEY_FILE is not set: the secrets of webhooks and the addresses of notifiers are stored as plain text in the " +
  "database. Make a key with `openssl rand -base64 32`."
