/** The whole HTTP interface as one definition: routes, handlers, API description and typed client are made from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AdministrationApi } from "./AdministrationApi.ts"
import * as Description from "./Description.ts"
import { MergeQueueApi } from "./MergeQueueApi.ts"
import { SubscriptionsApi } from "./SubscriptionsApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { QuarantinesApi } from "./QuarantinesApi.ts"
import { QueueFeedsApi } from "./QueueFeedsApi.ts"
import { QueuesApi } from "./QueuesApi.ts"
import { SessionApi } from "./SessionApi.ts"
import { ApplicationApi, HealthApi } from "./SystemApi.ts"
import { TestsApi } from "./TestsApi.ts"
import { UploadsApi } from "./UploadsApi.ts"
import { UpkeepApi } from "./UpkeepApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

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
      transform: Description.complete,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
    })
  )
  .annotate(HttpApi.ParseOptions, { errors: "all" }) {}
