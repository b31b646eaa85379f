/** The whole HTTP API as one definition, from which routes, handlers' types, OpenAPI document and typed client follow. */
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AdministrationApi } from "./access/AdministrationApi.ts"
import { AuditApi } from "./access/AuditApi.ts"
import { CausesApi } from "./insight/CausesApi.ts"
import { ChangesApi } from "./insight/ChangesApi.ts"
import { CostsApi } from "./insight/CostsApi.ts"
import { EventsApi } from "./events/EventsApi.ts"
import { GitHubEventsApi } from "./platform/GitHubEventsApi.ts"
import { GitLabEventsApi } from "./platform/GitLabEventsApi.ts"
import { HostingPlatformApi } from "./platform/HostingPlatformApi.ts"
import { MergeQueueApi } from "./queue/MergeQueueApi.ts"
import { IssuesApi } from "./platform/IssuesApi.ts"
import { OverviewApi } from "./health/OverviewApi.ts"
import { QuarantinesApi } from "./quarantine/QuarantinesApi.ts"
import { QueueFeedsApi } from "./queue/QueueFeedsApi.ts"
import { QueuesApi } from "./queue/QueuesApi.ts"
import { PinsApi } from "./access/PinsApi.ts"
import { RolesApi } from "./access/RolesApi.ts"
import { MissingApi } from "./insight/MissingApi.ts"
import { ShardsApi } from "./insight/ShardsApi.ts"
import { StressApi } from "./insight/StressApi.ts"
import { ExportApi } from "./insight/ExportApi.ts"
import { SlowerApi } from "./insight/SlowerApi.ts"
import { SessionApi, SessionsApi } from "./access/SessionApi.ts"
import { ApplicationApi, HealthApi } from "./system/SystemApi.ts"
import { TestsApi } from "./health/TestsApi.ts"
import { TriageApi } from "./failure/TriageApi.ts"
import { ArtifactsApi } from "./report/ArtifactsApi.ts"
import { UpkeepApi } from "./repository/UpkeepApi.ts"
import { TestAliasesApi } from "./report/TestAliasesApi.ts"
import { UploadsApi } from "./report/UploadsApi.ts"
import { OwnersApi } from "./health/OwnersApi.ts"
import { NotifiersApi } from "./events/NotifiersApi.ts"
import { WebhooksApi } from "./events/WebhooksApi.ts"
import * as Document from "./definition/openapi/Document.ts"
import * as Operation from "./definition/Operation.ts"

/** The HTTP API. */
export class Api extends HttpApi.make("lazaret")
  .add(TestsApi)
  .add(OverviewApi)
  .add(TriageApi)
  .add(CausesApi)
  .add(ChangesApi)
  .add(MissingApi)
  .add(CostsApi)
  .add(ShardsApi)
  .add(StressApi)
  .add(SlowerApi)
  .add(ExportApi)
  .add(QuarantinesApi)
  .add(EventsApi)
  .add(WebhooksApi)
  .add(NotifiersApi)
  .add(OwnersApi)
  .add(IssuesApi)
  .add(UploadsApi)
  .add(TestAliasesApi)
  .add(QueuesApi)
  .add(MergeQueueApi)
  .add(QueueFeedsApi)
  .add(GitHubEventsApi)
  .add(GitLabEventsApi)
  .add(UpkeepApi)
  .add(ArtifactsApi)
  .add(HostingPlatformApi)
  .add(AdministrationApi)
  .add(AuditApi)
  .add(ApplicationApi)
  .add(SessionApi)
  .add(SessionsApi)
  .add(RolesApi)
  .add(PinsApi)
  .add(HealthApi)
  .annotateMerge(
    OpenApi.annotations({
      title: "Lazaret",
      version: "1",
      description: "Test health of CI runs: facts in, verdicts out.",
      transform: Document.complete,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
    })
  )
  .annotate(HttpApi.ParseOptions, { errors: "all" }) {}

/** The OpenAPI 3.1 document of the API, which a server answers at `/openapi.json`. */
export const openApiDocument = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)

const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints)
)

/** The id, the method and the path of an operation; the path names its parameters as `:name`. */
export interface OperationRoute {
  readonly id: string
  readonly method: string
  readonly path: string
}

const routeOf = ({ identifier, method, path }: HttpApiEndpoint.Top): OperationRoute => ({
  id: identifier,
  method,
  path
})

/** The routes of all operations. */
export const operationRoutes: ReadonlyArray<OperationRoute> = endpoints.map(routeOf)

/** The routes whose answers have an entity tag and may be kept (`Operation.revalidated`). */
export const keptRoutes: ReadonlyArray<OperationRoute> = endpoints.filter(Operation.isRevalidated).map(routeOf)

/** The ids of the operations that the audit log records. */
export const auditedOperations: ReadonlyArray<string> = endpoints
  .filter(Operation.isAudited)
  .map(({ identifier }) => identifier)
