/** The whole HTTP API as one definition, from which routes, handlers' types, OpenAPI document and typed client follow. */
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AdministrationApi } from "./groups/AdministrationApi.ts"
import { AuditApi } from "./groups/AuditApi.ts"
import { EventsApi } from "./groups/EventsApi.ts"
import { GitHubEventsApi } from "./groups/GitHubEventsApi.ts"
import { GitLabEventsApi } from "./groups/GitLabEventsApi.ts"
import { HostingPlatformApi } from "./groups/HostingPlatformApi.ts"
import { MergeQueueApi } from "./groups/MergeQueueApi.ts"
import { IssuesApi } from "./groups/IssuesApi.ts"
import { OverviewApi } from "./groups/OverviewApi.ts"
import { QuarantinesApi } from "./groups/QuarantinesApi.ts"
import { QueueFeedsApi } from "./groups/QueueFeedsApi.ts"
import { QueuesApi } from "./groups/QueuesApi.ts"
import { RolesApi } from "./groups/RolesApi.ts"
import { SessionApi, SessionsApi } from "./groups/SessionApi.ts"
import { ApplicationApi, HealthApi } from "./groups/SystemApi.ts"
import { TestsApi } from "./groups/TestsApi.ts"
import { TriageApi } from "./groups/TriageApi.ts"
import { ArtifactsApi } from "./groups/ArtifactsApi.ts"
import { UpkeepApi } from "./groups/UpkeepApi.ts"
import { UploadsApi } from "./groups/UploadsApi.ts"
import { OwnersApi } from "./groups/OwnersApi.ts"
import { NotifiersApi } from "./groups/NotifiersApi.ts"
import { WebhooksApi } from "./groups/WebhooksApi.ts"
import * as Document from "./openapi/Document.ts"
import * as Operation from "./Operation.ts"

/** The HTTP API. */
export class Api extends HttpApi.make("lazaret")
  .add(TestsApi)
  .add(OverviewApi)
  .add(TriageApi)
  .add(QuarantinesApi)
  .add(EventsApi)
  .add(WebhooksApi)
  .add(NotifiersApi)
  .add(OwnersApi)
  .add(IssuesApi)
  .add(UploadsApi)
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

/** The routes of all operations. */
export const operationRoutes: ReadonlyArray<OperationRoute> = endpoints.map(({ identifier, method, path }) => ({
  id: identifier,
  method,
  path
}))

/** The ids of the operations that the audit log records. */
export const auditedOperations: ReadonlyArray<string> = endpoints
  .filter(Operation.isAudited)
  .map(({ identifier }) => identifier)
