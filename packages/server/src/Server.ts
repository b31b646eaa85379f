/**
 * The server as a layer: the stores, the use cases over them, the HTTP interface over those, and a port to listen on.
 */
import { createServer, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { type CommandFailure, SingleFile } from "@lazaret/cli"
import { Instant, Redaction } from "@lazaret/domain"
import { GitLabGroups } from "@lazaret/forge-gitlab"
import { ArchiveReading, Http, HttpConfig } from "@lazaret/http"
import {
  Artifacts,
  AuditDays,
  Automation,
  CauseRounds,
  MissingRounds,
  CostRounds,
  Deliveries,
  FirstVerdicts,
  MessageOptions,
  Notifications,
  QuarantineLives,
  KeyRegistry,
  OwnersDialect,
  Retention,
  RepositoryCreation,
  RepositoryMetrics,
  RetentionDays,
  Services,
  SlowerRounds,
  SessionLimits,
  SignInCodes,
  SignInProviders,
  Upkeep,
  WarmUp,
  WideNotifications
} from "@lazaret/services"
import { folder as dashboard } from "@lazaret/web"
import { ByteSize, Effect, Layer, Option, type Redacted, Result } from "effect"
import { FetchHttpClient, HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import * as ClientError from "./ClientError.ts"
import * as EventRequests from "./events/EventRequests.ts"
import * as GitHubApps from "./platform/GitHubApps.ts"
import * as GitHubSignIn from "./access/GitHubSignIn.ts"
import * as PlatformSwitch from "./platform/PlatformSwitch.ts"
import * as Messages from "./events/Messages.ts"
import * as OidcSignIn from "./access/OidcSignIn.ts"
import * as OidcTokens from "./access/OidcTokens.ts"
import * as ProcessGauges from "./ProcessGauges.ts"
import * as Reporting from "./Reporting.ts"
import type { Settings } from "./Settings.ts"
import * as SecretKeys from "./access/SecretKeys.ts"
import * as SlowReaders from "./SlowReaders.ts"
import * as Storage from "./Storage.ts"
import * as Telemetry from "./Telemetry.ts"
import { version } from "./Version.ts"

/**
 * A server that listens, with its first admin key registered; provides its address as `HttpServer`, and the codes that
 * sign people in to its dashboard.
 *
 * **Details**
 *
 * When the layer is released, the server accepts no more requests and finishes the running ones within the time of the
 * settings; then storage is closed. While `isStopping` is true, the server is not ready.
 */
export const layer = (
  settings: Settings,
  adminKey: Redacted.Redacted,
  isStopping: Effect.Effect<boolean> = Effect.succeed(false)
) => {
  // Start after the server listens, so that the start is not delayed.
  return WarmUp.layer.pipe(
    Layer.provideMerge(served(settings)),
    Layer.provideMerge(listener(settings)),
    Layer.provide(registration(settings, adminKey)),
    Layer.provide(SecretKeys.start(settings)),
    Layer.provide([
      Artifacts.layerRounds,
      Automation.layerRounds,
      CauseRounds.layerRounds,
      MissingRounds.layerRounds,
      CostRounds.layerRounds,
      SlowerRounds.layerRounds,
      Deliveries.layerRounds,
      FirstVerdicts.layerRounds,
      QuarantineLives.layerRounds,
      Notifications.layerRounds,
      WideNotifications.layerRounds,
      Retention.layerRounds,
      Upkeep.layerRounds
    ]),
    Layer.provide(RepositoryMetrics.layerRounds),
    Layer.provide(Services.layer),
    Layer.provide(ArchiveReading.layer),
    Layer.provide([EventRequests.layer(settings.webhookTargets), messages(settings), reporting(settings)]),
    // The services above use the same instance: a layer is built once.
    Layer.provideMerge(SignInCodes.layer.pipe(Layer.provide(KeyRegistry.layer))),
    Layer.provide([
      Storage.layer(settings.storage),
      PlatformSwitch.layer(isGivingRoles(settings)),
      uploadTokens(settings)
    ]),
    Layer.provide([configuration(settings, isStopping), references(settings), signIn(settings), ProcessGauges.layer]),
    Layer.provide(gitHubApps(settings)),
    Layer.provide(secrets(settings)),
    Layer.provide(PlatformSwitch.PlatformSwitch.layer),
    Layer.provide(Telemetry.layer(settings))
  )
}

const references = (settings: Settings) => {
  const { auditDays, gitLab, repositories, repositoryMetrics, retentionDays, sessionDays, sessionIdleHours } = settings
  return Layer.mergeAll(
    Layer.succeed(SessionLimits, {
      absolute: sessionDays * 24 * Instant.hour,
      idle: sessionIdleHours * Instant.hour
    }),
    Layer.succeed(AuditDays, auditDays),
    Layer.succeed(OwnersDialect, gitLab === null ? "github" : "gitlab"),
    Layer.succeed(RepositoryCreation.RepositoryCreation, repositories),
    Layer.succeed(RetentionDays, retentionDays),
    Layer.succeed(RepositoryMetrics.RepositoryMetrics, repositoryMetrics === "on")
  )
}

const secrets = (settings: Settings): Layer.Layer<never, CommandFailure.CommandFailure> =>
  Layer.provide(SecretKeys.layer(settings), NodeServices.layer)

const gitHubApps = (
  settings: Settings
): Layer.Layer<
  GitHubApps.CreatedApp | GitHubApps.SignInClient,
  CommandFailure.CommandFailure,
  PlatformSwitch.PlatformSwitch
> => Layer.provide(GitHubApps.layer(settings), NodeServices.layer)

/** Reports are published while a platform with credentials is connected. */
const reporting = (settings: Settings) => Reporting.layer(leaving(settings))

/** Whether permissions at the hosting platform give people roles. */
const isGivingRoles = ({ gitHubSignIn, gitLab, gitLabSignIn }: Settings): boolean =>
  (gitLab === null ? gitHubSignIn : gitLabSignIn) === "permissions"

/** Messages have links where the address of the server is known, and no secrets; the setting holds valid patterns only. */
const leaving = ({ publicUrl, redact }: Settings) => ({
  publicUrl,
  redact: Result.getOrElse(Redaction.withPatterns(redact ?? []), () => Redaction.redact)
})

/** The messages of notifiers; e-mails need both settings. */
const messages = (settings: Settings) => {
  const { mailFrom, smtpUrl, webhookTargets } = settings
  const mailServer = smtpUrl === null || mailFrom === null ? null : { url: smtpUrl, from: mailFrom }
  return Layer.mergeAll(
    Messages.layer(webhookTargets, Option.fromNullOr(mailServer)),
    Layer.succeed(MessageOptions, leaving(settings))
  )
}

/** The providers at the time of a sign-in: the app of GitHub may be created, or disconnected, while the server runs. */
const signIn = ({ signIn: provider }: Settings) =>
  Layer.effect(
    SignInProviders,
    Effect.gen(function* () {
      const oidc = provider === null ? [] : [yield* OidcSignIn.make(provider)]
      const client = yield* GitHubApps.SignInClient
      return Effect.map(client, (gitHub) => [...oidc, ...(gitHub === null ? [] : [GitHubSignIn.make(gitHub)])])
    })
  )

const uploadTokens = ({ gitLabGroups, oidcIssuers, publicUrl }: Settings) =>
  oidcIssuers === null || publicUrl === null
    ? Layer.empty
    : Layer.provide(
        OidcTokens.layer({ trusts: oidcIssuers, audience: publicUrl, groups: gitLabGroups ?? GitLabGroups.none }),
        FetchHttpClient.layer
      )

const options = { routerConfig: Http.routerConfig, disableLogger: true, disableListenLog: true }

/** Only known proxies can set forwarded headers: other callers could claim any address. */
const served = ({ trustedProxies }: Settings) =>
  trustedProxies === null
    ? HttpRouter.serve(Http.layer, options)
    : HttpRouter.serve(Http.layer, { ...options, middleware: HttpMiddleware.xForwardedHeaders({ trustedProxies }) })

/** Closes the connections of requests that still run when the time to finish is over: they would keep the server open. */
const listener = ({ host, port, shutdownSeconds }: Settings) =>
  Layer.unwrap(
    Effect.sync(() => {
      const server = httpServer()
      const cut = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
      const gracefulShutdownTimeout = `${shutdownSeconds} seconds` as const
      return Layer.provideMerge(
        cut,
        NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout })
      )
    })
  )

/** A closing server waits for connections that were busy; this one closes them as soon as they are idle. */
const httpServer = () => {
  const server = createServer({ maxHeaderSize: Http.maxHeaderSize })
  const closeIdle = () => {
    if (!server.listening) server.closeIdleConnections()
  }
  const onRequest = (_: unknown, response: ServerResponse) => {
    response.once("close", () => setImmediate(closeIdle))
  }
  // A request with `Expect: 100-continue` is the event `checkContinue`.
  return ClientError.answer(SlowReaders.close(server).on("request", onRequest).on("checkContinue", onRequest))
}

/**
 * Setting a different key revokes the previous one. A key that the server made revokes others only in a storage that
 * belongs to this server alone: servers that share a database may each have made a key.
 */
const registration = ({ adminKey: set, storage }: Settings, adminKey: Redacted.Redacted) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const keys = yield* KeyRegistry
      const isInForce = yield* keys.start(adminKey, { replaces: Option.isSome(set) || storage._tag !== "Postgres" })
      if (!isInForce) yield* Effect.logWarning(revokedKey)
    })
  )

const revokedKey =
  "The admin key of this server has been revoked, and remains revoked. Use another admin key, or start the server " +
  "with another value of LAZARET_ADMIN_KEY (without one: remove the file admin-key from the data folder)."

const configuration = (
  {
    gitHub,
    gitHubWebhookSecret,
    gitLab,
    gitLabWebhookSecret,
    metricsToken,
    publicUrl,
    rateLimit,
    uploadMemory
  }: Settings,
  isStopping: Effect.Effect<boolean>
) =>
  Layer.effect(
    HttpConfig,
    Effect.map(Effect.all([HttpConfig, GitHubApps.CreatedApp]), ([defaults, createdApp]) => ({
      ...defaults,
      publicUrl: Option.fromNullOr(publicUrl),
      gitHubWebhookSecret,
      createdGitHubApp: createdApp,
      gitHubAppId: gitHub?.credentials._tag === "App" ? Option.some(gitHub.credentials.appId) : Option.none(),
      upload: { ...defaults.upload, memory: ByteSize.mebibytes(uploadMemory) },
      gitLab: Option.map(gitLab === null ? Option.none() : gitLabWebhookSecret, (webhookSecret) => ({
        webhookSecret,
        refOf: (path: string) => GitLabGroups.refOf(gitLab?.groups ?? GitLabGroups.none, path)
      })),
      dashboard: Option.some(dashboard),
      commandLine: Option.some({ file: SingleFile.path, version }),
      isStopping,
      rateLimit: rateLimit === 0 ? Option.none() : Option.some(rateLimit),
      metricsToken: Option.fromNullOr(metricsToken)
    }))
  )

/** The address of a running server, as this machine reaches it. */
export const urlOf = (server: HttpServer.HttpServer["Service"]): string =>
  HttpServer.formatAddress(server.address).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
