/** The GitHub App that was created from the dashboard, in a file of the data folder that only this user can read. */
import { randomUUID } from "node:crypto"
import { CommandFailure } from "@lazaret/cli"
import { GitHubCredentials, type GitHubManifest } from "@lazaret/forge-github"
import { Sealer } from "@lazaret/store"
import { Effect, FileSystem, Path, type PlatformError, Redacted, Result, Schema } from "effect"

/** An app with the address of the API that it belongs to. */
export interface KeptApp extends GitHubManifest.AppCredentials {
  readonly apiUrl: string
}

const name = "github-app.json"

const Kept = Schema.Struct({
  apiUrl: Schema.String,
  app: Schema.Struct({ id: Schema.Int, name: Schema.String, owner: Schema.String, url: Schema.String }),
  privateKey: Schema.String,
  webhookSecret: Schema.NonEmptyString,
  client: Schema.Struct({ id: Schema.NonEmptyString, secret: Schema.NonEmptyString })
})

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Kept))

const pathIn = (folder: string) => Effect.map(Path.Path, (path) => path.join(folder, name))

/** The kept app, null without one. A damaged file fails with a sentence that names it and quotes nothing. */
export const read = (folder: string) =>
  Effect.catchTag(reading(folder), "PlatformError", ({ reason }) =>
    CommandFailure.setup(`${name} in the data folder ${folder} cannot be read (${reason._tag}).`)
  )

const reading = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* pathIn(folder)
  if (!(yield* files.exists(path))) return null
  const text = yield* files.readFileString(path)
  const sealer = yield* Sealer.Sealer
  const kept = decode(text)
  if (Result.isFailure(kept)) return yield* CommandFailure.setup(damaged(path))
  const { client: sealed, privateKey, webhookSecret } = kept.success
  const stored = [privateKey, webhookSecret, sealed.secret]
  const { apiUrl, app, client, ...open } = opened(sealer, kept.success)
  if ([open.privateKey, open.webhookSecret, client.secret].some(Sealer.isSealed)) {
    return yield* CommandFailure.setup(otherKey(path))
  }
  const key = GitHubCredentials.privateKey(open.privateKey)
  if (Result.isFailure(key)) return yield* CommandFailure.setup(damaged(path))
  yield* Effect.ignore(files.chmod(path, 0o600))
  const found: KeptApp = {
    apiUrl,
    app,
    privateKey: key.success,
    webhookSecret: Redacted.make(open.webhookSecret),
    client: { clientId: client.id, clientSecret: Redacted.make(client.secret) }
  }
  // Stored by a server without a key, or encrypted with an older key.
  if (!stored.every(sealer.isCurrent)) yield* Effect.scoped(Effect.flatMap(draft(folder), ({ keep }) => keep(found)))
  return found
})

/** The texts of a file with its secrets opened; one that cannot be opened stays sealed. */
const opened = (sealer: Sealer.Sealer, kept: Kept): Kept =>
  changed(kept, (text, field) => Sealer.opened(sealer, text, placeOf(kept, field)))

type Kept = typeof Kept.Type

const changed = (
  { client, privateKey, webhookSecret, ...kept }: Kept,
  change: (text: string, field: string) => string
): Kept => ({
  ...kept,
  privateKey: change(privateKey, "privateKey"),
  webhookSecret: change(webhookSecret, "webhookSecret"),
  client: { id: client.id, secret: change(client.secret, "client.secret") }
})

const placeOf = ({ apiUrl, app }: Pick<Kept, "apiUrl" | "app">, field: string): string =>
  [name, apiUrl, app.id, field].join("\0")

const otherKey = (path: string): string =>
  `${path} is encrypted with a key that this server does not have, or was changed: set LAZARET_SECRET_KEY_FILE to the file ` +
  "with that key, or remove it and create the app again from the dashboard."

const damaged = (path: string): string =>
  `${path} does not hold a GitHub App: restore the file, or remove it and create the app again from the dashboard.`

/** A file that is ready to take an app. */
export interface Draft {
  readonly keep: (app: KeptApp) => Effect.Effect<void, PlatformError.PlatformError>
}

/**
 * An empty file in the folder, which becomes that of the app; it is removed with the scope.
 *
 * A folder that cannot be written fails here, before GitHub gives away a key that it shows only once.
 */
export const draft = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* pathIn(folder)
  const sealer = yield* Sealer.Sealer
  yield* files.makeDirectory(folder, { recursive: true, mode: 0o700 })
  const place = `${path}.${randomUUID()}`
  yield* Effect.acquireRelease(files.writeFileString(place, "", { mode: 0o600 }), () =>
    Effect.ignore(files.remove(place))
  )
  return {
    keep: (app) => Effect.andThen(files.writeFileString(place, `${textOf(app, sealer)}\n`), files.rename(place, path))
  } satisfies Draft
})

const textOf = ({ apiUrl, app, client, privateKey, webhookSecret }: KeptApp, sealer: Sealer.Sealer): string => {
  const plain: Kept = {
    apiUrl,
    app,
    privateKey: Redacted.value(privateKey),
    webhookSecret: Redacted.value(webhookSecret),
    client: { id: client.clientId, secret: Redacted.value(client.clientSecret) }
  }
  return JSON.stringify(changed(plain, (text, field) => Sealer.sealed(sealer, text, placeOf(plain, field))))
}

/** Removes the file. */
export const remove = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.remove(yield* pathIn(folder), { force: true })
})
