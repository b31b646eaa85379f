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
import * as AdministrationHandlers from "./AdministrationHandlers.ts"
import * as Assets from "./Assets.ts"
import * as CommandLineFile from "./CommandLineFile.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import * as Authentication from "./Authentication.ts"
import * as BadgeRoutes from "./BadgeRoutes.ts"
import { BodyBudget } from "./BodyBudget.ts"
import * as EventsHandlers from "./EventsHandlers.ts"
import * as GitHubAppPages from "./GitHubAppPages.ts"
import * as GitHubEventsHandlers from "./GitHubEventsHandlers.ts"
import * as GitLabEventsHandlers from "./GitLabEventsHandlers.ts"
import * as HostingPlatformHandlers from "./HostingPlatformHandlers.ts"
import { HttpConfig } from "./HttpConfig.ts"
import { KeptAnswers } from "./KeptAnswers.ts"
import * as MergeQueueHandlers from "./MergeQueueHandlers.ts"
import * as MetricsPage from "./MetricsPage.ts"
import * as OverviewHandlers from "./OverviewHandlers.ts"
import * as Pages from "./Pages.ts"
import * as QuarantinesHandlers from "./QuarantinesHandlers.ts"
import * as QueueFeedsHandlers from "./QueueFeedsHandlers.ts"
import * as QueuesHandlers from "./QueuesHandlers.ts"
import { RateLimit } from "./RateLimit.ts"
import * as RequestErrors from "./RequestErrors.ts"
import * as ResponseMiddleware from "./ResponseMiddleware.ts"
import * as Revalidation from "./Revalidation.ts"
import * as RolesHandlers from "./RolesHandlers.ts"
import * as SessionCookie from "./SessionCookie.ts"
import * as SessionsHandlers from "./SessionsHandlers.ts"
import * as SessionHandlers from "./SessionHandlers.ts"
import * as SignInPages from "./SignInPages.ts"
import * as SystemHandlers from "./SystemHandlers.ts"
import * as TestsHandlers from "./TestsHandlers.ts"
import * as TriageHandlers from "./TriageHandlers.ts"
import * as ArtifactsHandlers from "./ArtifactsHandlers.ts"
import * as UpkeepHandlers from "./UpkeepHandlers.ts"
import { UploadBody } from "./UploadBody.ts"
import * as UploadsHandlers from "./UploadsHandlers.ts"
import * as NotifiersHandlers from "./NotifiersHandlers.ts"
import * as IssuesHandlers from "./IssuesHandlers.ts"
import * as OwnersHandlers from "./OwnersHandlers.ts"
import * as WebhooksHandlers from "./WebhooksHandlers.ts"

export { maxHeaderSize } from "./Limits.ts"
export { routerConfig } from "./Methods.ts"

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
    TriageHandlers.layer
  ]),
  Layer.provide([
    AdministrationHandlers.layer,
    SessionHandlers.layer,
    HostingPlatformHandlers.layer,
    AuditHandlers.layer,
    SessionsHandlers.layer,
    RolesHandlers.layer
  ]),
  Layer.provide([EventsHandlers.layer, OverviewHandlers.layer, OwnersHandlers.layer, IssuesHandlers.layer]),
  Layer.provide([WebhooksHandlers.layer, NotifiersHandlers.layer]),
  Layer.provide([Authentication.layer, Revalidation.layer, RequestErrors.layer]),
  Layer.provide(UploadBody.layer),
  Layer.provide(BodyBudget.layer),
  Layer.provide([ResponseMiddleware.layer, SessionCookie.layer]),
  Layer.provide(KeptAnswers.layer),
  Layer.provide(RateLimit.layer),
  Layer.provide(HttpServer.layerServices)
)
