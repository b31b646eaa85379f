/** Every use case over whatever stores are provided. */
import { Layer } from "effect"
import { Access } from "./access/Access.ts"
import { Audits } from "./access/Audits.ts"
import { AnswerVersion } from "./answer/AnswerVersion.ts"
import { KeyAdministration } from "./access/KeyAdministration.ts"
import { Artifacts } from "./report/Artifacts.ts"
import { Automation } from "./quarantine/Automation.ts"
import { Badges } from "./health/Badges.ts"
import { Deliveries } from "./events/Deliveries.ts"
import { Events } from "./events/Events.ts"
import { FieldPrecisions } from "./failure/FieldPrecisions.ts"
import { FirstVerdicts } from "./failure/FirstVerdicts.ts"
import { FlakyDetection } from "./health/FlakyDetection.ts"
import { PlatformEvents } from "./platform/PlatformEvents.ts"
import { PlatformChecks } from "./platform/PlatformChecks.ts"
import { Certifications } from "./queue/Certifications.ts"
import { MergeQueues } from "./queue/MergeQueues.ts"
import { Ingestion } from "./report/Ingestion.ts"
import { Issues } from "./platform/Issues.ts"
import { KeyRegistry } from "./access/KeyRegistry.ts"
import { Notifications } from "./events/Notifications.ts"
import { OriginPins } from "./access/OriginPins.ts"
import { Overviews } from "./health/Overviews.ts"
import { Owners } from "./health/Owners.ts"
import { OwnersFiles } from "./health/OwnersFiles.ts"
import { PullRequests } from "./health/PullRequests.ts"
import { QuarantineDebts } from "./quarantine/QuarantineDebts.ts"
import { QuarantineLives } from "./quarantine/QuarantineLives.ts"
import { TestAliases } from "./report/TestAliases.ts"
import { Quarantines } from "./quarantine/Quarantines.ts"
import { Queues } from "./queue/Queues.ts"
import { Repositories } from "./repository/Repositories.ts"
import { Retention } from "./repository/Retention.ts"
import { RoleAdministration } from "./access/RoleAdministration.ts"
import { Roles } from "./access/Roles.ts"
import * as ServiceMetrics from "./background/ServiceMetrics.ts"
import { Sessions } from "./access/Sessions.ts"
import { Shards } from "./insight/Shards.ts"
import { StressRuns } from "./insight/StressRuns.ts"
import { Exports } from "./insight/Exports.ts"
import { SlowerRounds } from "./insight/SlowerRounds.ts"
import { SlowerTests } from "./insight/SlowerTests.ts"
import { SignInCodes } from "./access/SignInCodes.ts"
import { Tests } from "./health/Tests.ts"
import { CauseRounds } from "./insight/CauseRounds.ts"
import { Causes } from "./insight/Causes.ts"
import { Changes } from "./insight/Changes.ts"
import { Missing } from "./insight/Missing.ts"
import { MissingRounds } from "./insight/MissingRounds.ts"
import { CostRounds } from "./insight/CostRounds.ts"
import { Costs } from "./insight/Costs.ts"
import { Commits } from "./failure/Commits.ts"
import { Triages } from "./failure/Triages.ts"
import { Upkeep } from "./repository/Upkeep.ts"
import { Webhooks } from "./events/Webhooks.ts"
import { WideNotifications } from "./events/WideNotifications.ts"

/** The use cases of recording: a layer is built once, however often it is provided. */
const artifacts = Artifacts.layer.pipe(
  Layer.provideMerge(Ingestion.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      Automation.layer,
      FirstVerdicts.layer,
      CauseRounds.layer,
      MissingRounds.layer,
      CostRounds.layer,
      SlowerRounds.layer
    )
  )
)

/**
 * The use cases of flaky tests: recording, tests, verdicts on failures, quarantines and repositories.
 *
 * **Details**
 *
 * Needs the storage ports and the hosting platform, as `layer` does, and builds no sessions, keys, webhooks, notifiers or merge queues.
 */
export const core = Layer.mergeAll(
  Tests.layer.pipe(Layer.provide(PullRequests.layer)),
  Triages.layer.pipe(Layer.provide(Owners.layer)),
  Quarantines.layer,
  QuarantineLives.layer,
  Repositories.layer.pipe(Layer.provide(Automation.layer)),
  artifacts
)

/** Every use case; needs the storage ports and the hosting platform. */
export const layer = Layer.mergeAll(
  core,
  TestAliases.layer,
  QuarantineDebts.layer.pipe(Layer.provide(Owners.layer)),
  Commits.layer,
  Causes.layer,
  Changes.layer,
  Missing.layer,
  Costs.layer,
  Shards.layer,
  StressRuns.layer,
  SlowerTests.layer,
  Exports.layer,
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
  PlatformChecks.layer,
  Certifications.layer.pipe(Layer.provide(Audits.layer)),
  AnswerVersion.layer,
  FlakyDetection.layer,
  Upkeep.layer,
  Retention.layer.pipe(Layer.provideMerge(Layer.mergeAll(Audits.layer, Sessions.layer))),
  Layer.mergeAll(Access.layer, KeyAdministration.layer, RoleAdministration.layer).pipe(
    Layer.merge(SignInCodes.layer),
    Layer.provideMerge(Layer.mergeAll(KeyRegistry.layer, Roles.layer, OriginPins.layer)),
    Layer.provide(Sessions.layer)
  ),
  ServiceMetrics.layerZero
)
