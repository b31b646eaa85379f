/** The GitHub App of this server: set by the operator, or created from the dashboard and kept in the data folder. */
import { randomBytes } from "node:crypto"
import type { CommandFailure } from "@lazaret/cli"
import { GitHub, type GitHubClient, GitHubManifest } from "@lazaret/forge-github"
import { GitLab, type GitLabClient } from "@lazaret/forge-gitlab"
import type { Repository } from "@lazaret/domain"
import {
  AppNotRegistered,
  type Connected,
  Forge,
  ForgeApp,
  hashOf,
  type Registration,
  type RepositoryConnection
} from "@lazaret/services"
import { Clock, Context, Effect, type FileSystem, Layer, Option, type Path, Redacted, Ref, Semaphore } from "effect"
import * as AppFile from "./AppFile.ts"
import type * as GitHubSignIn from "../access/GitHubSignIn.ts"
import { type Platform, PlatformSwitch } from "./PlatformSwitch.ts"

/** The settings about the hosting platform. */
export interface GitHubSettings {
  readonly gitHub: GitHubClient.Connection | null
  readonly gitLab: GitLabClient.Connection | null
  readonly gitHubClient: GitHubManifest.OAuthClient | null
  readonly gitHubSignIn: "permissions" | "roles" | "off"
  readonly publicUrl: string | null
  readonly dataFolder: string
}

/** The app whose deliveries the server takes. */
export interface ReceivedApp {
  readonly id: number
  readonly webhookSecret: Redacted.Redacted
}

/** The app that was created here, none without one. */
export class CreatedApp extends Context.Service<CreatedApp, Effect.Effect<Option.Option<ReceivedApp>>>()(
  "@lazaret/server/CreatedApp"
) {}

/** The client that people sign in with now: of the settings, else of the app that was created here; null without one. */
export class SignInClient extends Context.Service<SignInClient, Effect.Effect<GitHubSignIn.Options | null>>()(
  "@lazaret/server/SignInClient"
) {}

/** Connects the platform of the settings, else that of the kept app; provides the app and what can be done with it. */
export const layer = (
  settings: GitHubSettings
): Layer.Layer<
  CreatedApp | SignInClient,
  CommandFailure.CommandFailure,
  PlatformSwitch | FileSystem.FileSystem | Path.Path
> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { get, set } = yield* PlatformSwitch
      const local = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const isSet =
        settings.gitLab !== null || (settings.gitHub !== null && settings.gitHub.credentials._tag !== "None")
      const kept = yield* Ref.make<AppFile.KeptApp | null>(isSet ? null : yield* AppFile.read(settings.dataFolder))
      const states = yield* Ref.make<ReadonlyMap<string, Begun>>(new Map())
      const connect = Effect.flatMap(Ref.get(kept), (app) => Effect.flatMap(platformOf(settings, app), set))
      yield* connect
      const made: Apps = { settings, isSet, kept, connect, states }
      const one = yield* Semaphore.make(1)
      const app: ForgeApp = {
        connected: connected(made),
        connectionOf: (ref) => Effect.flatMap(get, (platform) => connectionTo(platform, ref)),
        begin: (organization) => begin(made, organization),
        begun: (state) => begun(made, state),
        complete: (state, code) => one.withPermits(1)(Effect.provide(complete(made, state, code), local)),
        forget: one.withPermits(1)(Effect.provide(forget(made), local))
      }
      const received = Effect.map(Ref.get(kept), (each) =>
        Option.map(Option.fromNullOr(each), ({ app: { id }, webhookSecret }) => ({ id, webhookSecret }))
      )
      const client = Effect.map(Ref.get(kept), (each) => clientOf(settings, each))
      return Context.make(CreatedApp, received).pipe(Context.add(SignInClient, client), Context.add(ForgeApp, app))
    })
  )

interface Apps {
  readonly settings: GitHubSettings
  /** Whether the settings hold credentials: they count before an app that was created here. */
  readonly isSet: boolean
  readonly kept: Ref.Ref<AppFile.KeptApp | null>
  readonly connect: Effect.Effect<void>
  readonly states: Ref.Ref<ReadonlyMap<string, Begun>>
}

interface Begun {
  readonly registration: Registration
  readonly until: number
}

/** GitHub's limit for the exchange of a code. */
const lifetime = 60 * 60_000

/** A further registration replaces the oldest one. */
const mostBegun = 100

const apiUrlOf = ({ gitHub }: GitHubSettings): string => gitHub?.apiUrl ?? "https://api.github.com"

const connectionOf = (settings: GitHubSettings, kept: AppFile.KeptApp | null): GitHubClient.Connection | null =>
  kept === null
    ? settings.gitHub
    : {
        apiUrl: kept.apiUrl,
        credentials: { _tag: "App", appId: kept.app.id, privateKey: kept.privateKey },
        isPaced: settings.gitHub?.isPaced ?? true
      }

const clientOf = (settings: GitHubSettings, kept: AppFile.KeptApp | null): GitHubSignIn.Options | null => {
  if (settings.gitHubSignIn === "off" || settings.publicUrl === null) return null
  if (settings.gitHubClient !== null) return { ...settings.gitHubClient, apiUrl: apiUrlOf(settings) }
  return kept === null ? null : { ...kept.client, apiUrl: kept.apiUrl }
}

const platformOf = (settings: GitHubSettings, kept: AppFile.KeptApp | null): Effect.Effect<Platform | null> => {
  const { gitLab } = settings
  const connection = connectionOf(settings, kept)
  if (gitLab !== null) {
    return Effect.map(GitLab.make(gitLab), (parts) => ({ parts, isPublishing: gitLab.token !== null }))
  }
  return connection === null
    ? Effect.succeed(null)
    : Effect.map(GitHub.make(connection), (parts) => ({ parts, isPublishing: connection.credentials._tag !== "None" }))
}

// --- state -------------------------------------------------------------------------------------------------------

const connected = ({ isSet, kept, settings }: Apps): Effect.Effect<Connected> =>
  Effect.gen(function* () {
    const app = yield* Ref.get(kept)
    const connection = connectionOf(settings, app)
    const source = isSet ? "settings" : app === null ? "none" : "created"
    const found = { source, app: app?.app ?? null, problem: null, obstacle: obstacleOf(settings, isSet, app) } as const
    if (connection === null || connection.credentials._tag !== "App") return found
    return yield* GitHubManifest.registered(connection.apiUrl, connection.credentials).pipe(
      Effect.map((confirmed) => ({ ...found, app: confirmed })),
      Effect.catchTag("ManifestError", ({ message }) => Effect.succeed({ ...found, problem: message }))
    )
  })

const connectionTo = (
  platform: Platform | null,
  ref: Repository.RepositoryRef
): Effect.Effect<RepositoryConnection> => {
  if (platform === null || !platform.isPublishing) return Effect.succeed(off)
  return Context.get(platform.parts, Forge)
    .repository(ref)
    .pipe(
      Effect.map(({ defaultBranch }) => ({ state: "installed", detail: null, defaultBranch }) as const),
      Effect.catchTag("ForgeError", ({ message, reason }) =>
        Effect.succeed({
          state: reason === "rate_limited" ? ("unavailable" as const) : reason,
          detail: message,
          defaultBranch: null
        })
      )
    )
}

const off: RepositoryConnection = { state: "off", detail: null, defaultBranch: null }

const obstacleOf = (
  { gitLab, publicUrl }: GitHubSettings,
  isSet: boolean,
  kept: AppFile.KeptApp | null
): string | null => {
  if (gitLab !== null) return "This server is connected to GitLab. Start a second server for repositories at GitHub."
  if (isSet) return "The settings of the server name an app or a token of GitHub. Remove them to create an app here."
  if (kept !== null) return `This server has the app ${kept.app.name}. Disconnect it to create another one.`
  return publicUrl === null ? "Set LAZARET_PUBLIC_URL to the address at which GitHub reaches this server." : null
}

// --- registration ------------------------------------------------------------------------------------------------

const begin = Effect.fn("GitHubApps.begin")(function* (apps: Apps, organization: string | null) {
  const { isSet, kept, settings, states } = apps
  const obstacle = obstacleOf(settings, isSet, yield* Ref.get(kept))
  if (obstacle !== null || settings.publicUrl === null) return yield* stopped(obstacle ?? "")
  const state = Redacted.make(randomBytes(24).toString("base64url"))
  const registration: Registration = {
    state,
    form: GitHubManifest.formOf(apiUrlOf(settings), organization, state),
    manifest: GitHubManifest.manifestOf(settings.publicUrl)
  }
  const now = yield* Clock.currentTimeMillis
  yield* Ref.update(states, (all) => {
    const valid = [...all].filter(([, { until }]) => now < until).slice(1 - mostBegun)
    return new Map([...valid, [hashOf(Redacted.value(state)), { registration, until: now + lifetime }]])
  })
  return registration
})

const begun = Effect.fnUntraced(function* ({ states }: Apps, state: Redacted.Redacted) {
  const found = (yield* Ref.get(states)).get(hashOf(Redacted.value(state)))
  if (found === undefined || found.until <= (yield* Clock.currentTimeMillis)) return yield* unknownState
  return found.registration
})

const complete = Effect.fn("GitHubApps.complete")(function* (apps: Apps, state: Redacted.Redacted, code: string) {
  const { connect, isSet, kept, settings, states } = apps
  yield* begun(apps, state)
  yield* Ref.update(states, (all) => new Map([...all].filter(([hash]) => hash !== hashOf(Redacted.value(state)))))
  const obstacle = obstacleOf(settings, isSet, yield* Ref.get(kept))
  if (obstacle !== null) return yield* stopped(obstacle)
  const apiUrl = apiUrlOf(settings)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const { keep } = yield* AppFile.draft(settings.dataFolder)
      const credentials = yield* GitHubManifest.exchange(apiUrl, code)
      yield* keep({ ...credentials, apiUrl })
      yield* Ref.set(kept, { ...credentials, apiUrl })
      yield* connect
      yield* Effect.annotateLogs(Effect.logInfo("A GitHub App was created and connected"), { app: credentials.app.url })
      return credentials.app
    })
  ).pipe(
    Effect.uninterruptible,
    Effect.catchTags({
      ManifestError: ({ message }) =>
        new AppNotRegistered({ reason: "platform", message: `The app was not connected: ${message}.` }),
      PlatformError: ({ reason }) =>
        new AppNotRegistered({
          reason: "file",
          message: `The data folder ${settings.dataFolder} cannot be written (${reason._tag}), so no app is kept.`
        })
    })
  )
})

const forget = Effect.fn("GitHubApps.forget")(function* ({ connect, kept, settings }: Apps) {
  if ((yield* Ref.get(kept)) === null) return false
  yield* Effect.mapError(
    AppFile.remove(settings.dataFolder),
    ({ reason }) =>
      new AppNotRegistered({
        reason: "file",
        message: `The data folder ${settings.dataFolder} cannot be written (${reason._tag}): the app stays connected.`
      })
  )
  yield* Ref.set(kept, null)
  yield* connect
  return true
})

const stopped = (message: string) => new AppNotRegistered({ reason: "obstacle", message })

const unknownState = new AppNotRegistered({
  reason: "state",
  message: "This registration was not begun here, was used already, or is older than an hour. Begin again."
})
