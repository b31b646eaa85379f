/**
 * The settings of the server, from the environment and a configuration file.
 *
 * `settings/Table.ts` declares each setting.
 */
import { CommandFailure } from "@lazaret/cli"
import type { GitHubClient, GitHubManifest } from "@lazaret/forge-github"
import type { GitLabClient } from "@lazaret/forge-gitlab"
import { type Config, Effect, Option, type Redacted, Result } from "effect"
import type * as OidcSignIn from "./access/OidcSignIn.ts"
import * as GitHubConnection from "./settings/GitHubConnection.ts"
import * as GitLabConnection from "./settings/GitLabConnection.ts"
import type { Setting } from "./settings/Setting.ts"
import * as SignIn from "./settings/SignIn.ts"
import * as Sources from "./settings/Sources.ts"
import * as Table from "./settings/Table.ts"
import type * as Storage from "./Storage.ts"

/**
 * Each setting of the table, the storage that `LAZARET_STORE`, `DATABASE_URL` and `LAZARET_DATA_DIR` choose, and the
 * connection to GitHub or GitLab, null without one.
 */
export interface Settings extends Omit<
  Table.Values,
  | "store"
  | "databaseUrl"
  | "gitHubClientId"
  | "gitHubClientSecret"
  | Secret
  | GitHubConnection.Part
  | Exclude<GitLabConnection.Part, "gitLabGroups">
> {
  readonly storage: Storage.Storage
  readonly gitHub: GitHubClient.Connection | null
  readonly gitLab: GitLabClient.Connection | null
  readonly signIn: OidcSignIn.Options | null
  readonly gitHubClient: GitHubManifest.OAuthClient | null
  readonly adminKey: Option.Option<Redacted.Redacted>
  readonly gitHubWebhookSecret: Option.Option<Redacted.Redacted>
  readonly gitLabWebhookSecret: Option.Option<Redacted.Redacted>
}

type Secret = "adminKey" | "gitHubWebhookSecret" | "gitLabWebhookSecret"

/**
 * The settings of the environment and of a configuration file.
 *
 * **Details**
 *
 * All faults are one failure, which names each setting and says what to do. The environment comes before the file: the
 * one at `configFile`, else the one that `LAZARET_CONFIG_FILE` names, else no file. A setting that is set to nothing is
 * not set. An unknown name is a fault in both sources.
 */
export const load = Effect.fnUntraced(function* (configFile: Option.Option<string>) {
  const sources = yield* Effect.catchTag(Sources.open(Option.getOrNull(configFile)), "SourceError", ({ message }) =>
    CommandFailure.setup(message)
  )
  const [values, faults] = yield* read(sources)
  const platforms = Result.map(GitHubConnection.of(values), (gitHub) => ({
    gitHub,
    gitLab: GitLabConnection.of(values)
  }))
  const parts = Result.all({
    signIn: SignIn.of(values),
    gitHubClient: SignIn.gitHubOf(values),
    storage: storageOf(values),
    platforms: Result.flatMap(platforms, onePlatform)
  })
  const all = [
    ...sources.faults,
    ...faults,
    ...(Result.isFailure(parts) && faults.length === 0 ? [parts.failure] : []),
    ...(values.oidcIssuers !== null && values.publicUrl === null && faults.length === 0 ? [noAudience] : []),
    ...((values.smtpUrl === null) !== (values.mailFrom === null) && faults.length === 0 ? [halfAMailServer] : [])
  ]
  if (all.length > 0 || Result.isFailure(parts)) return yield* CommandFailure.setup(listed(all))
  const { platforms: connections, ...others } = parts.success
  return of(values, { ...others, ...connections })
})

type Platforms = Pick<Settings, "gitHub" | "gitLab">

/** With two platforms nobody could tell at which one a repository is. */
const onePlatform = (platforms: Platforms): Result.Result<Platforms, string> =>
  platforms.gitHub === null || platforms.gitLab === null ? Result.succeed(platforms) : Result.fail(twoPlatforms)

const twoPlatforms =
  "This server is connected to GitHub and to GitLab (settings with LAZARET_GITHUB_ and LAZARET_GITLAB_): " +
  "keep the ones of one platform, and start a second server for the other."

const settings = Object.entries<Setting<unknown>>(Table.table)

/** The settings when nothing is set. */
export const defaults: Settings = of(
  // Every key has its setting's default.
  Object.fromEntries(settings.map(([key, { absent }]) => [key, absent])) as Table.Values,
  {
    storage: { _tag: "Embedded", folder: Table.table.dataFolder.absent },
    gitHub: null,
    gitLab: null,
    signIn: null,
    gitHubClient: null
  }
)

type Parts = Pick<Settings, "storage" | "gitHub" | "gitLab" | "signIn" | "gitHubClient">

function of(table: Table.Values, parts: Parts): Settings {
  const { databaseUrl: _url, store: _store, gitHubApiUrl: _api, ...rest } = table
  const { gitHubAppId: _id, gitHubAppPrivateKey: _key, gitHubToken: _token, ...others } = rest
  const {
    gitHubClientId: _client,
    gitHubClientSecret: _secret,
    gitLabUrl: _url2,
    gitLabToken: _token2,
    gitLabStatus: _status,
    ...values
  } = others
  return {
    ...values,
    ...parts,
    adminKey: Option.fromNullOr(values.adminKey),
    gitHubWebhookSecret: Option.fromNullOr(values.gitHubWebhookSecret),
    gitLabWebhookSecret: Option.fromNullOr(values.gitLabWebhookSecret)
  }
}

/** `Config.all` ends at its first fault; here each setting is read on its own, so that all faults are known. */
const read = Effect.fnUntraced(function* (sources: Sources.Sources) {
  const faults: Array<string> = []
  const values: Record<string, unknown> = {}
  for (const [key, setting] of settings) {
    const value = yield* Effect.result(setting.config.parse(sources.provider))
    values[key] = Result.getOrElse(value, () => setting.absent)
    if (Result.isFailure(value)) faults.push(yield* faultOf(setting, value.failure, sources))
  }
  // Every key has the value that its setting reads, or its setting's default.
  return [values as Table.Values, faults] as const
})

/** A sentence of our own: the message of a `SchemaError` quotes the value, which may be secret, and says no remedy. */
const faultOf = (
  { advice, isSecret, name }: Setting<unknown>,
  { cause }: Config.ConfigError,
  { find }: Sources.Sources
) =>
  cause._tag === "SourceError"
    ? Effect.succeed(cause.message)
    : Effect.map(
        Effect.orElseSucceed(find(name), () => null),
        (entry) => {
          const place = entry === null || entry.place === "" ? "" : `${entry.place}: `
          return `${place}${name} ${isSecret ? "cannot be used" : `is ${JSON.stringify(entry?.value)}`}: ${advice}.`
        }
      )

function storageOf({ dataFolder, databaseUrl, store }: Table.Values): Result.Result<Storage.Storage, string> {
  switch (store ?? (databaseUrl === null ? "embedded" : "postgres")) {
    case "memory":
      return Result.succeed({ _tag: "Memory" })
    case "embedded":
      return Result.succeed({ _tag: "Embedded", folder: dataFolder })
    case "postgres":
      return databaseUrl === null
        ? Result.fail(
            "LAZARET_STORE is postgres, but DATABASE_URL is not set: " +
              "set it to one such as postgres://user:password@host:5432/lazaret."
          )
        : Result.succeed({ _tag: "Postgres", url: databaseUrl })
  }
}

const halfAMailServer =
  "E-mails need a mail server and the address that they come from: set both LAZARET_SMTP_URL and LAZARET_MAIL_FROM, or neither."

const noAudience =
  "LAZARET_OIDC_ISSUERS is set, but LAZARET_PUBLIC_URL is not: it is the audience that tokens must name. " +
  "Set it to the address of this server, such as https://tests.example.com."

/** One fault is one line; several are listed. */
const listed = (faults: ReadonlyArray<string>): string =>
  faults.length === 1
    ? faults.join("")
    : `${faults.length} settings are wrong:\n${faults.map((each) => `  - ${each}`).join("\n")}`
