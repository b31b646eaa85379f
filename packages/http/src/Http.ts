/**
 * The HTTP interface as a layer of routes.
 *
 * **How a server composes it**
 *
 * `layer` adds routes to an `HttpRouter` and needs the use cases of `@lazaret/services` and nothing else.
 *
 * ```ts skip
 * HttpRouter.serve(Http.layer, { routerConfig: Http.routerConfig, disableLogger: true }).pipe(
 *   Layer.provide(NodeHttpServer.layer(() => createServer({ maxHeaderSize: Http.maxHeaderSize }), { host, port })),
 *   Layer.provide(Services.layer),
 *   Layer.provide(Layer.succeed(HttpConfig, { ...settings }))
 * )
 * ```
 *
 * - `routerConfig` is required: paths are matched as written, and parameters of any length reach their schema (422).
 * - `maxHeaderSize` must be raised: 255 names of 255 characters are a legal filter, and they stand in the URL.
 * - `disableLogger`, because requests and failures are logged here, the failures with their cause.
 * - `HttpMiddleware.TracerDisabledWhen` should be provided as `() => true`: requests have spans of their own here, with
 *   the route for a name and nothing that was sent.
 * - `effect/schema/SchemaJITCompiler/enable`, imported before this module, makes encoding of answers cheaper. That is
 *   the choice of the program that starts the server, since it generates code at run time.
 * - Behind a proxy: set `publicUrl`, or wrap the routes with `HttpMiddleware.xForwardedHeaders` and the proxies that are
 *   trusted. Without either, `X-Forwarded-*` headers count for nothing.
 */
import { Api } from "@lazaret/api"
import { Effect, Layer, Option } from "effect"
import { HttpServer } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import * as AdministrationHandlers from "./access/AdministrationHandlers.ts"
import * as Assets from "./response/Assets.ts"
import * as CommandLineFile from "./system/CommandLineFile.ts"
import * as AuditHandlers from "./access/AuditHandlers.ts"
import * as Authentication from "./access/Authentication.ts"
import * as BadgeRoutes from "./health/BadgeRoutes.ts"
import { BodyBudget } from "./request/BodyBudget.ts"
import * as CausesHandlers from "./insight/CausesHandlers.ts"
import * as ChangesHandlers from "./insight/ChangesHandlers.ts"
import * as MissingHandlers from "./insight/MissingHandlers.ts"
import * as CostsHandlers from "./insight/CostsHandlers.ts"
import * as EventsHandlers from "./events/EventsHandlers.ts"
import * as GitHubAppPages from "./platform/GitHubAppPages.ts"
import * as GitHubEventsHandlers from "./platform/GitHubEventsHandlers.ts"
import * as GitLabEventsHandlers from "./platform/GitLabEventsHandlers.ts"
import * as HostingPlatformHandlers from "./platform/HostingPlatformHandlers.ts"
import { HttpConfig } from "./request/HttpConfig.ts"
import { KeptAnswers } from "./response/KeptAnswers.ts"
import * as MergeQueueHandlers from "./queue/MergeQueueHandlers.ts"
import * as MetricsPage from "./system/MetricsPage.ts"
import * as OverviewHandlers from "./health/OverviewHandlers.ts"
import * as Pages from "./response/Pages.ts"
import * as QuarantinesHandlers from "./quarantine/QuarantinesHandlers.ts"
import * as QueueFeedsHandlers from "./queue/QueueFeedsHandlers.ts"
import * as QueuesHandlers from "./queue/QueuesHandlers.ts"
import { RateLimit } from "./request/RateLimit.ts"
import * as RequestErrors from "./request/RequestErrors.ts"
import * as ResponseMiddleware from "./response/ResponseMiddleware.ts"
import * as Revalidation from "./response/Revalidation.ts"
import * as PinsHandlers from "./access/PinsHandlers.ts"
import * as RolesHandlers from "./access/RolesHandlers.ts"
import * as SessionCookie from "./access/SessionCookie.ts"
import * as SessionsHandlers from "./access/SessionsHandlers.ts"
import * as SessionHandlers from "./access/SessionHandlers.ts"
import * as ShardsHandlers from "./insight/ShardsHandlers.ts"
import * as StressHandlers from "./insight/StressHandlers.ts"
import * as ExportHandlers from "./insight/ExportHandlers.ts"
import * as SlowerHandlers from "./insight/SlowerHandlers.ts"
import * as SignInPages from "./access/SignInPages.ts"
import * as SystemHandlers from "./system/SystemHandlers.ts"
import * as TestsHandlers from "./health/TestsHandlers.ts"
import * as TriageHandlers from "./failure/TriageHandlers.ts"
import * as ArtifactsHandlers from "./report/ArtifactsHandlers.ts"
import * as UpkeepHandlers from "./repository/UpkeepHandlers.ts"
import * as TestAliasesHandlers from "./report/TestAliasesHandlers.ts"
import { UploadBody } from "./report/UploadBody.ts"
import * as UploadsHandlers from "./report/UploadsHandlers.ts"
import * as NotifiersHandlers from "./events/NotifiersHandlers.ts"
import * as IssuesHandlers from "./platform/IssuesHandlers.ts"
import * as OwnersHandlers from "./health/OwnersHandlers.ts"
import * as WebhooksHandlers from "./events/WebhooksHandlers.ts"

export { maxHeaderSize } from "./request/Limits.ts"
export { routerConfig } from "./request/Methods.ts"

/** Every route of the interface, with everything that holds for all of them. */
export const layer = Layer.unwrap(
  Effect.map(HttpConfig, ({ publicUrl }) => {
    const api = Option.match(publicUrl, {
      onNone: () => Api,
      onSome: (url) => Api.annotate(OpenApi.Servers, [{ url }])
    })
    return Layer.mergeAll(
      HttpApiBuilder.layer(api, { openapiPath: Pages.paths.openapi }),
      Pages.docs(api),
      Assets.layer,
      BadgeRoutes.layer,
      CommandLineFile.layer,
      GitHubAppPages.layer,
      MetricsPage.layer,
      SignInPages.layer
    )
  })
).pipe(
  Layer.provide([TestsHandlers.layer, QuarantinesHandlers.layer, UploadsHandlers.layer, SystemHandlers.layer]),
  Layer.provide([QueuesHandlers.layer, MergeQueueHandlers.layer, QueueFeedsHandlers.layer]),
  Layer.provide([
    GitLabEventsHandlers.layer,
    GitHubEventsHandlers.layer,
    UpkeepHandlers.layer,
    ArtifactsHandlers.layer,
    TriageHandlers.layer,
    CausesHandlers.layer,
    ChangesHandlers.layer,
    MissingHandlers.layer,
    ShardsHandlers.layer,
    StressHandlers.layer,
    SlowerHandlers.layer,
    ExportHandlers.layer,
    CostsHandlers.layer
  ]),
  Layer.provide([
    AdministrationHandlers.layer,
    SessionHandlers.layer,
    HostingPlatformHandlers.layer,
    AuditHandlers.layer,
    SessionsHandlers.layer,
    RolesHandlers.layer,
    PinsHandlers.layer
  ]),
  Layer.provide([
    TestAliasesHandlers.layer,
    EventsHandlers.layer,
    OverviewHandlers.layer,
    OwnersHandlers.layer,
    IssuesHandlers.layer
  ]),
  Layer.provide([WebhooksHandlers.layer, NotifiersHandlers.layer]),
  Layer.provide([Authentication.layer, Revalidation.layer, RequestErrors.layer]),
  Layer.provide(UploadBody.layer),
  Layer.provide(BodyBudget.layer),
  Layer.provide([ResponseMiddleware.layer, SessionCookie.layer]),
  Layer.provide(KeptAnswers.layer),
  Layer.provide(RateLimit.layer),
  Layer.provide(HttpServer.layerServices)
)
