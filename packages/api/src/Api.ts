/** The whole HTTP interface as one definition: routes, handlers, API description and typed client are made from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AdministrationApi } from "./groups/AdministrationApi.ts"
import { EventsApi } from "./groups/EventsApi.ts"
import { MergeQueueApi } from "./groups/MergeQueueApi.ts"
import { QuarantinesApi } from "./groups/QuarantinesApi.ts"
import { QueueFeedsApi } from "./groups/QueueFeedsApi.ts"
import { QueuesApi } from "./groups/QueuesApi.ts"
import { SessionApi } from "./groups/SessionApi.ts"
import { SubscriptionsApi } from "./groups/SubscriptionsApi.ts"
import { ApplicationApi, HealthApi } from "./groups/SystemApi.ts"
import { TestsApi } from "./groups/TestsApi.ts"
import { UpkeepApi } from "./groups/UpkeepApi.ts"
import { UploadsApi } from "./groups/UploadsApi.ts"
import { WebhooksApi } from "./groups/WebhooksApi.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"

/** The HTTP interface. */
export class Api extends HttpApi.make("lazaret")
  .add(TestsApi)
  .add(QuarantinesApi)
  .add(EventsApi)
  .add(SubscriptionsApi)
  .add(UploadsApi)
  .add(QueuesApi)
  .add(MergeQueueApi)
  .add(QueueFeedsApi)
  .add(WebhooksApi)
  .add(UpkeepApi)
  .add(AdministrationApi)
  .add(ApplicationApi)
  .add(SessionApi)
  .add(HealthApi)
  .annotateMerge(
    OpenApi.annotations({
      title: "Lazaret",
      version: "1",
      description: "Test health of CI runs: facts in, verdicts out.",
      transform: OpenApiDocument.complete,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
    })
  )
  .annotate(HttpApi.ParseOptions, { errors: "all" }) {}

/** The OpenAPI 3.1 document of the API, which a server answers at `/openapi.json`. */
export const openApiDocument = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)
