/** The server that a command asks, and the key that it sends. */
import { Effect, Option, Path, Redacted } from "effect"
import * as AdminKeyFile from "./AdminKeyFile.ts"
import * as JobToken from "../ci/JobToken.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Environment from "../terminal/Environment.ts"
import type * as Flags from "./Flags.ts"

/** The address of a server that was started without settings, on this machine. */
export const defaultUrl = "http://127.0.0.1:4180"

/**
 * A server and a key.
 *
 * **Details**
 *
 * - `url`: the address without a slash at the end.
 * - `keyFile`: the file that holds the key; null when the key was given.
 */
export interface Connection {
  readonly url: string
  readonly token: Redacted.Redacted
  readonly keyFile: string | null
}

/**
 * The connection of the flags, completed by the environment.
 *
 * **Details**
 *
 * The key in the local data folder is sent only to a server on this machine. A job of a CI system without a key gets a token
 * from that system, which uploads reports and nothing else.
 */
export const resolve = Effect.fnUntraced(function* (given: Pick<Flags.Server, "url" | "token">) {
  const text = Option.getOrNull(given.url) ?? (yield* Environment.variable("LAZARET_URL")) ?? defaultUrl
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return yield* CommandFailure.usage(
      `"${text}" is not the address of a server: write one such as http://127.0.0.1:4180.`
    )
  }
  const set = yield* Environment.variable("LAZARET_TOKEN")
  const token = Option.filter(given.token, (each) => Redacted.value(each) !== "").pipe(
    Option.orElse(() => Option.map(Option.fromNullOr(set), (each) => Redacted.make(each)))
  )
  const address = text.replace(/\/+$/, "")
  const key = Option.isSome(token) ? { token: token.value, keyFile: null } : yield* ownKey(url, address)
  return { url: address, ...key } satisfies Connection
})

const ownKey = Effect.fnUntraced(function* (url: URL, address: string) {
  const folder = (yield* Environment.variable("LAZARET_DATA_DIR")) ?? AdminKeyFile.defaultFolder
  const kept = isLocal(url) ? yield* AdminKeyFile.read(folder) : Option.none()
  if (Option.isSome(kept)) return { token: kept.value, keyFile: (yield* Path.Path).resolve(folder, AdminKeyFile.name) }
  const job = yield* JobToken.current(address)
  if (Option.isSome(job)) return { token: job.value, keyFile: null }
  return yield* CommandFailure.usage(
    isLocal(url)
      ? `There is no key, also not in the data folder ${folder}: start the server there (npm start), or set LAZARET_TOKEN.`
      : "There is no key: give --token, set LAZARET_TOKEN, or let the CI system issue a token for this job."
  )
})

/** Whether an address is one of this machine. */
export const isLocal = (url: URL): boolean =>
  url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname)
