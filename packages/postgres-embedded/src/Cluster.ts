/** The data of PostgreSQL: made once, by the first start. */
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync
} from "node:fs"
import { Effect } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { attempt } from "./attempt.ts"
import type { Binaries } from "./Binaries.ts"
import * as DataFolder from "./DataFolder.ts"
import * as ServerProgram from "./ServerProgram.ts"
import type { ServerUser } from "./ServerUser.ts"

/** The name of the superuser and of the database that holds everything. */
export const username = "lazaret"
export const database = "postgres"

/**
 * Creates the data directory if it does not exist.
 *
 * **Details**
 *
 * It is created next to its final place and renamed when it is complete, so that an interrupted start leaves no partial
 * data directory.
 */
export const ensure = Effect.fnUntraced(function* (
  folder: DataFolder.DataFolder,
  binaries: Binaries,
  user: ServerUser | null
): Effect.fn.Return<void, EmbeddedPostgresError> {
  if (existsSync(folder.cluster)) return
  yield* attempt(folder.root, "make the folder of the data", () => {
    rmSync(folder.fresh, { recursive: true, force: true })
    mkdirSync(folder.fresh, { mode: 0o700 })
    if (user !== null) chownSync(folder.fresh, user.uid, user.gid)
  })
  const program = yield* ServerProgram.start(folder.root, {
    name: "initdb",
    binaries,
    user,
    folders: [folder.fresh],
    args: ([data = folder.fresh]) => ["-D", data, ...options],
    log: folder.log
  })
  const how = yield* program.ended
  if (how !== "status 0") return yield* failed(folder, how)
  yield* attempt(folder.root, "move the data to their place", () => {
    DataFolder.mark(folder)
    renameSync(folder.fresh, folder.cluster)
    sync(folder.root)
  })
})

/** Everyone with access to the socket may connect: its folder is accessible only to the server's user and root. */
const options = [`--username=${username}`, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"]

const sync = (path: string): void => {
  const file = openSync(path, "r")
  fsyncSync(file)
  closeSync(file)
}

const failed = (folder: DataFolder.DataFolder, how: string): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    folder: folder.root,
    reason: "failed",
    message: `The database could not be made (${how}): ${readFileSync(folder.log, "utf8").trim().slice(-1000)}`
  })
