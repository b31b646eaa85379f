/** Every use case over whatever stores are provided. */
import { Layer } from "effect"
import { Access } from "./Access.ts"
import { Audits } from "./Audits.ts"
import { AnswerVersion } from "./AnswerVersion.ts"
import { KeyAdministration } from "./KeyAdministration.ts"
import { Artifacts } from "./Artifacts.ts"
import { Automation } from "./Automation.ts"
import { Badges } from "./Badges.ts"
import { Deliveries } from "./Deliveries.ts"
import { Events } from "./Events.ts"
import { FieldPrecisions } from "./FieldPrecisions.ts"
import { FlakyDetection } from "./FlakyDetection.ts"
import { PlatformEvents } from "./PlatformEvents.ts"
import { MergeQueues } from "./engine/MergeQueues.ts"
import { Ingestion } from "./Ingestion.ts"
import { Issues } from "./Issues.ts"
import { KeyRegistry } from "./KeyRegistry.ts"
import { Notifications } from "./Notifications.ts"
import { Overviews } from "./Overviews.ts"
import { Owners } from "./Owners.ts"
import { OwnersFiles } from "./OwnersFiles.ts"
import { PullRequests } from "./PullRequests.ts"
import { QuarantineDebts } from "./QuarantineDebts.ts"
import { QuarantineLives } from "./QuarantineLives.ts"
import { Quarantines } from "./Quarantines.ts"
import { Queues } from "./Queues.ts"
import { Repositories } from "./Repositories.ts"
import { Retention } from "./Retention.ts"
import { RoleAdministration } from "./RoleAdministration.ts"
import { Roles } from "./Roles.ts"
import * as ServiceMetrics from "./ServiceMetrics.ts"
import { Sessions } from "./Sessions.ts"
import { SignInCodes } from "./SignInCodes.ts"
import { Tests } from "./Tests.ts"
import { Triages } from "./Triages.ts"
import { Upkeep } from "./Upkeep.ts"
import { Webhooks } from "./Webhooks.ts"
import { WideNotifications } from "./WideNotifications.ts"

/** The use cases of recording: a layer is built once, however often it is provided. */
const artifacts = Artifacts.layer.pipe(Layer.provideMerge(Ingestion.layer), Layer.provideMerge(Automation.layer))

/** Every use case; needs the storage ports and the hosting platform. */
export const layer = Layer.mergeAll(
  Tests.layer.pipe(Layer.provide(PullRequests.layer)),
  Quarantines.layer,
  QuarantineLives.layer,
  QuarantineDebts.layer.pipe(Layer.provide(Owners.layer)),
  Triages.layer.pipe(Layer.provide(Owners.layer)),
  OwnersFiles.layer.pipe(Layer.provide(Owners.layer)),
  FieldPrecisions.layer,
  Overviews.layer.pipe(Layer.provide(Owners.layer)),
  Events.layer,
  Webhooks.layer.pipe(Layer.provideMerge(Deliveries.layer)),
  Notifications.layer,
  WideNotifications.layer,
  Issues.layer,
  Badges.layer,
  PlatformEvents.layer.pipe(Layer.provideMerge(Queues.layer), Layer.provide(artifacts)),
  MergeQueues.layer,
  AnswerVersion.layer,
  FlakyDetection.layer,
  artifacts,
  Upkeep.layer,
  Retention.layer.pipe(Layer.provideMerge(Layer.mergeAll(Audits.layer, Sessions.layer))),
  Repositories.layer,
  Layer.mergeAll(Access.layer, KeyAdministration.layer, RoleAdministration.layer).pipe(
    Layer.merge(SignInCodes.layer),
    Layer.provideMerge(Layer.mergeAll(KeyRegistry.layer, Roles.layer)),
    Layer.provide(Sessions.layer)
  ),
  ServiceMetrics.layerZero
)
