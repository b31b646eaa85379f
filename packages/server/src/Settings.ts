/**
 * The settings of the server, read from the environment.
 *
 * @since 0.1.0
 */
import { Config, Effect, Option, Redacted } from "effect"
import * as CommandFailure from "./cli/CommandFailure.ts"
import type * as Storage from "./Storage.ts"

/**
 * What the server is told by its environment.
 *
 * **Details**
 *
 * - `host` (`HOST`, 127.0.0.1) and `port` (`PORT`, 4180): where it listens; port 0 takes a free one.
 * - `storage` (`LAZARET_STORE`, embedded): where the facts are kept; `DATABASE_URL` alone means postgres.
 * - `dataFolder` (`LAZARET_DATA_DIR`, ./data).
 * - `adminKey` (`LAZARET_ADMIN_KEY`): the first admin key; none has one made.
 * - `publicUrl` (`LAZARET_PUBLIC_URL`): the address in links; null takes it from each request.
 * - `gitHubApiUrl` (`LAZARET_GITHUB_API_URL`): null asks no hosting platform.
 * - `gitHubWebhookSecret` (`LAZARET_GITHUB_WEBHOOK_SECRET`): what GitHub signs its deliveries with; none takes none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly storage: Storage.Storage
  readonly dataFolder: string
  readonly adminKey: Option.Option<Redacted.Redacted>
  readonly publicUrl: string | null
  readonly gitHubApiUrl: string | null
  readonly gitHubWebhookSecret: Option.Option<Redacted.Redacted>
}

/**
 * The settings of this environment; a value that cannot be is a failure that names the variable and says what to do. A
 * variable that is set to nothing counts as not set.
 *
 * @category constructors
 * @since 0.1.0
 */
export const load: Effect.Effect<Settings, CommandFailure.CommandFailure> = Effect.suspend(() =>
  Effect.all({
    host: Effect.map(variable("HOST"), (host) => host ?? "127.0.0.1"),
    port: Effect.flatMap(variable("PORT"), port),
    storage: storage(),
    dataFolder: dataFolder(),
    adminKey: Effect.flatMap(variable("LAZARET_ADMIN_KEY"), adminKey),
    publicUrl: Effect.flatMap(variable("LAZARET_PUBLIC_URL"), (text) => url("LAZARET_PUBLIC_URL", text)),
    gitHubApiUrl: Effect.flatMap(variable("LAZARET_GITHUB_API_URL"), (text) => url("LAZARET_GITHUB_API_URL", text)),
    gitHubWebhookSecret: Effect.map(variable("LAZARET_GITHUB_WEBHOOK_SECRET"), (text) =>
      Option.map(Option.fromNullOr(text), (secret) => Redacted.make(secret))
    )
  })
)

/**
 * The folder for data when none is set.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultDataFolder = "./data"

/**
 * The text of a variable of the environment; null when it is not set, or set to nothing.
 *
 * @category accessors
 * @since 0.1.0
 */
export const variable = (name: string): Effect.Effect<string | null> =>
  Config.String(name).pipe(
    Config.option,
    Effect.map((text) => Option.getOrNull(Option.filter(text, (each) => each.trim() !== ""))),
    Effect.orElseSucceed(() => null)
  )

function dataFolder(): Effect.Effect<string> {
  return Effect.map(variable("LAZARET_DATA_DIR"), (folder) => folder ?? defaultDataFolder)
}

const port = (text: string | null): Effect.Effect<number, CommandFailure.CommandFailure> => {
  if (text === null) return Effect.succeed(4180)
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return number <= 65_535
    ? Effect.succeed(number)
    : Effect.fail(CommandFailure.unfit(`PORT is "${text}": set it to a number from 0 to 65535, such as PORT=4180.`))
}

type Chosen = Effect.Effect<Storage.Storage, CommandFailure.CommandFailure>

function storage(): Chosen {
  return Effect.flatMap(
    Effect.all([variable("LAZARET_STORE"), variable("DATABASE_URL"), dataFolder()]),
    ([name, databaseUrl, folder]) => {
      switch (name ?? (databaseUrl === null ? "embedded" : "postgres")) {
        case "memory":
          return Effect.succeed({ _tag: "Memory" } as const)
        case "embedded":
          return Effect.succeed({ _tag: "Embedded", folder } as const)
        case "postgres":
          return postgres(databaseUrl)
        default:
          return CommandFailure.unfit(
            `LAZARET_STORE is "${name}", which is no store: set it to embedded, postgres or memory.`
          )
      }
    }
  )
}

/** The URL may hold a password: it is never shown. */
const postgres = (text: string | null): Chosen => {
  if (text === null) {
    return Effect.fail(
      CommandFailure.unfit(`LAZARET_STORE is postgres, but DATABASE_URL is not set: ${databaseExample}`)
    )
  }
  return /^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? "")
    ? Effect.succeed({ _tag: "Postgres", url: Redacted.make(text) })
    : Effect.fail(CommandFailure.unfit(`DATABASE_URL is no URL of a PostgreSQL: ${databaseExample}`))
}

const databaseExample = "set it to one such as postgres://user:password@host:5432/lazaret."

/** A key travels in a header, and a space or a line break around it is a slip that would be hard to find. */
const adminKey = (
  text: string | null
): Effect.Effect<Option.Option<Redacted.Redacted>, CommandFailure.CommandFailure> => {
  if (text === null) return Effect.succeedNone
  return /^[\x21-\x7e]+$/.test(text)
    ? Effect.succeedSome(Redacted.make(text))
    : Effect.fail(CommandFailure.unfit("LAZARET_ADMIN_KEY cannot be a key: set it to ASCII characters without spaces."))
}

const url = (name: string, text: string | null): Effect.Effect<string | null, CommandFailure.CommandFailure> => {
  if (text === null) return Effect.succeed(null)
  const parsed = URL.parse(text)
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.search === "" && parsed.hash === ""
    ? Effect.succeed(text.replace(/\/+$/, ""))
    : Effect.fail(CommandFailure.unfit(`${name} is "${text}": set it to an address such as https://tests.example.com.`))
}
