/** Which server a command talks to, and with which key. */
import { Effect, Option, Path, Redacted } from "effect"
import { Flag } from "effect/cli"
import * as AdminKeyFile from "./AdminKeyFile.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as Environment from "./Environment.ts"

/**
 * A server, by its address without a trailing slash, and a key.
 *
 * `keyFile` is where the key was found when nobody gave one.
 */
export interface Connection {
  readonly url: string
  readonly token: Redacted.Redacted
  readonly keyFile: string | null
}

/** The flags of every command that talks to a server. */
export const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("Address of the server (LAZARET_URL, else http://127.0.0.1:4180)"),
    Flag.optional
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withDescription("Key (LAZARET_TOKEN, else the one in the data folder when the server is on this machine)"),
    Flag.optional
  )
}

/** What was given for {@link flags}. */
export interface Given {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
}

/**
 * The connection for what was given, completed by the environment.
 *
 * The key in the local data folder is only ever sent to a server on this machine.
 */
export const resolve = Effect.fnUntraced(function* (given: Given) {
  const text = Option.getOrNull(given.url) ?? (yield* Environment.variable("LAZARET_URL")) ?? "http://127.0.0.1:4180"
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return yield* CommandFailure.usage(`"${text}" is no address of a server: give one such as http://127.0.0.1:4180.`)
  }
  const set = yield* Environment.variable("LAZARET_TOKEN")
  const token = Option.filter(given.token, (each) => Redacted.value(each) !== "").pipe(
    Option.orElse(() => Option.map(Option.fromNullOr(set), (each) => Redacted.make(each)))
  )
  const key = Option.isSome(token) ? { token: token.value, keyFile: null } : yield* localKey(url)
  return { url: text.replace(/\/+$/, ""), ...key }
})

const localKey = Effect.fnUntraced(function* (url: URL) {
  if (!isLocal(url)) return yield* CommandFailure.usage("There is no key: give --token or set LAZARET_TOKEN.")
  const folder = (yield* Environment.variable("LAZARET_DATA_DIR")) ?? AdminKeyFile.defaultFolder
  const kept = yield* AdminKeyFile.read(folder)
  if (Option.isSome(kept)) return { token: kept.value, keyFile: (yield* Path.Path).resolve(folder, AdminKeyFile.name) }
  return yield* CommandFailure.usage(
    `There is no key, and none in the data folder ${folder}: start the server there (npm start), or set LAZARET_TOKEN.`
  )
})

/** Whether an address is one of this machine. */
export const isLocal = (url: URL): boolean =>
  url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname)
