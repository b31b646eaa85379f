/** A PostgreSQL in a data folder: nothing to install, nothing to configure, and durable. */
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as Binaries from "./Binaries.ts"
import * as Cluster from "./Cluster.ts"
import * as DataFolder from "./DataFolder.ts"
import * as FolderLock from "./FolderLock.ts"
import * as Orphan from "./Orphan.ts"
import * as Server from "./Server.ts"
import * as ServerSettings from "./ServerSettings.ts"
import * as ServerUser from "./ServerUser.ts"
import * as Socket from "./Socket.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/**
 * The options of the server: the folder of its data, settings that differ from ours (see `ServerSettings`), and the
 * programs of PostgreSQL where they are not those of the optional dependencies.
 */
export interface EmbeddedOptions {
  readonly folder: string
  readonly settings?: Readonly<Record<string, string>>
  readonly binaries?: Binaries.Binaries
}

/**
 * How to reach the server in the data folder.
 *
 * **Details**
 *
 * - It is the native PostgreSQL, with all its durability, from a package of npm.
 * - One process uses the folder at a time; another one is refused with a message that names the first.
 * - A server left behind by a process that was killed is stopped by the next start, and loses nothing.
 * - It is restarted when it ends by itself, and stopped when the scope closes.
 * - When root starts it, it runs as another user (`ServerUser.candidates`).
 */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    /** For any client of PostgreSQL on this machine, as the same user or root: it leads to a socket in the folder. */
    readonly url: string
    /** The file that the server writes its messages to. */
    readonly log: string
  }
>()("@lazaret/postgres-embedded/EmbeddedPostgres") {
  /** The server in a folder, which is made when it does not exist. */
  static readonly layer = (options: EmbeddedOptions): Layer.Layer<EmbeddedPostgres, EmbeddedPostgresError> =>
    Layer.effect(EmbeddedPostgres, start(options))

  /** Refuses a folder with data of another format, and writes nothing. */
  static readonly check = (folder: string): Effect.Effect<void, EmbeddedPostgresError> =>
    DataFolder.checkFormat(DataFolder.at(folder))

  /** A layer on the server in a folder, made from its URL. The layer is released before the server stops. */
  static readonly layerOn = <A, E>(
    options: EmbeddedOptions,
    layerOf: (url: Redacted.Redacted) => Layer.Layer<A, E>
  ): Layer.Layer<A, E | EmbeddedPostgresError> =>
    Layer.unwrap(Effect.map(EmbeddedPostgres, ({ url }) => layerOf(Redacted.make(url)))).pipe(
      Layer.provide(EmbeddedPostgres.layer(options))
    )
}

const start = Effect.fnUntraced(function* (
  options: EmbeddedOptions
): Effect.fn.Return<EmbeddedPostgres["Service"], EmbeddedPostgresError, Scope.Scope> {
  const folder = DataFolder.at(options.folder)
  const installed = options.binaries ?? (yield* Binaries.locate(folder.root))
  // Check before taking the lock, which is a file in the folder: a folder of another format must not be changed.
  yield* DataFolder.checkFormat(folder)
  yield* DataFolder.make(folder)
  yield* FolderLock.acquire(folder.root)
  yield* DataFolder.check(folder, installed.major)
  const user = yield* userOf(folder)
  const binaries = yield* Binaries.usable(folder.root, installed, user)
  yield* Cluster.ensure(folder, binaries, user)
  yield* Orphan.stop(folder)
  const socketFolder = yield* Socket.acquire(folder, user)
  const settings = { ...ServerSettings.defaults, ...options.settings }
  yield* Server.supervise({ folder, binaries, user, socketFolder, settings })
  const { database, username } = Cluster
  const url = `postgres://${username}@localhost/${database}?host=${encodeURIComponent(socketFolder)}&sslmode=disable`
  return { url, log: folder.log }
})

const userOf = (folder: DataFolder.DataFolder): Effect.Effect<ServerUser.ServerUser | null, EmbeddedPostgresError> => {
  const choice = ServerUser.choose(folder.cluster)
  if (choice._tag === "Self") return Effect.succeed(null)
  if (choice._tag === "Other") return Effect.succeed(choice.user)
  return Effect.fail(
    new EmbeddedPostgresError({
      folder: folder.root,
      reason: "unsupported",
      message:
        "PostgreSQL does not run as root, and this machine has no user named " +
        `${ServerUser.candidates.join(", ")}. Create one of them, start as another user, or give the URL of a PostgreSQL.`
    })
  )
}
