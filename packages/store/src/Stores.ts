/** All storage ports, built from a driver: every rule of storage stands here once, whatever the engine. */
import { Context, Effect, Layer } from "effect"
import { AuditStore } from "./access/AuditStore.ts"
import { CauseStore } from "./insight/CauseStore.ts"
import { Driver } from "./Driver.ts"
import { EngineStore } from "./queue/EngineStore.ts"
import { EventStore } from "./events/EventStore.ts"
import { ExecutionStore } from "./report/ExecutionStore.ts"
import { FailureStore } from "./failure/FailureStore.ts"
import { IssueStore } from "./platform/IssueStore.ts"
import { KeyStore } from "./access/KeyStore.ts"
import { NotifierStore } from "./events/NotifierStore.ts"
import { OwnersStore } from "./health/OwnersStore.ts"
import { PublicationStore } from "./platform/PublicationStore.ts"
import { QuarantineStore } from "./quarantine/QuarantineStore.ts"
import { QueueStore } from "./queue/QueueStore.ts"
import { ReadingStore } from "./platform/ReadingStore.ts"
import { RepositoryStore } from "./repository/RepositoryStore.ts"
import { PinStore } from "./access/PinStore.ts"
import { RoleStore } from "./access/RoleStore.ts"
import { RetentionStore } from "./repository/RetentionStore.ts"
import * as AliasedQuestions from "./report/AliasedQuestions.ts"
import * as Aliases from "./report/Aliases.ts"
import * as AssignedRoles from "./access/AssignedRoles.ts"
import * as OriginPins from "./access/OriginPins.ts"
import * as Audit from "./access/Audit.ts"
import * as Causes from "./insight/Causes.ts"
import * as Engines from "./queue/Engines.ts"
import * as Events from "./events/Events.ts"
import * as Issues from "./platform/Issues.ts"
import * as Keys from "./access/Keys.ts"
import * as Notifiers from "./events/Notifiers.ts"
import * as OwnersFiles from "./health/OwnersFiles.ts"
import * as Publications from "./platform/Publications.ts"
import * as Quarantines from "./quarantine/Quarantines.ts"
import * as Queues from "./queue/Queues.ts"
import * as Readings from "./platform/Readings.ts"
import * as Repositories from "./repository/Repositories.ts"
import * as Sessions from "./access/Sessions.ts"
import * as Sightings from "./platform/Sightings.ts"
import * as Shards from "./insight/Shards.ts"
import * as SignInCodes from "./access/SignInCodes.ts"
import * as Sealed from "./access/Sealed.ts"
import * as Storable from "./driver/Storable.ts"
import * as Subscriptions from "./events/Subscriptions.ts"
import * as Verdicts from "./failure/Verdicts.ts"
import * as WideNotifiers from "./events/WideNotifiers.ts"
import { Sealer } from "./access/Sealer.ts"
import { SecretStore } from "./access/SecretStore.ts"
import { SessionStore } from "./access/SessionStore.ts"
import { SightingStore } from "./platform/SightingStore.ts"
import { ShardStore } from "./insight/ShardStore.ts"
import { SignInCodeStore } from "./access/SignInCodeStore.ts"
import { SubscriptionStore } from "./events/SubscriptionStore.ts"
import { TestAliasStore } from "./report/TestAliasStore.ts"
import { TestStore } from "./health/TestStore.ts"
import { TriageStore } from "./failure/TriageStore.ts"
import { UpkeepStore } from "./repository/UpkeepStore.ts"
import { VerdictStore } from "./failure/VerdictStore.ts"
import { WideNotifierStore } from "./events/WideNotifierStore.ts"

/** All storage ports. */
export type Stores =
  | RepositoryStore
  | ExecutionStore
  | TestStore
  | TestAliasStore
  | FailureStore
  | TriageStore
  | VerdictStore
  | CauseStore
  | QuarantineStore
  | QueueStore
  | EngineStore
  | EventStore
  | SubscriptionStore
  | NotifierStore
  | WideNotifierStore
  | OwnersStore
  | ShardStore
  | PublicationStore
  | IssueStore
  | ReadingStore
  | SightingStore
  | KeyStore
  | AuditStore
  | SessionStore
  | SignInCodeStore
  | RoleStore
  | PinStore
  | SecretStore
  | UpkeepStore
  | RetentionStore

/** All storage ports over a driver; secrets are stored as the sealer seals them. */
export const fromDriver = (engine: Driver["Service"], sealer: Sealer): Context.Context<Stores> => {
  const driver = AliasedQuestions.over(Sealed.over(Storable.guarded(engine), sealer))
  return Context.make(RepositoryStore, Repositories.make(driver))
    .pipe(
      Context.add(ExecutionStore, driver.executions),
      Context.add(TestStore, driver.tests),
      Context.add(FailureStore, driver.failures),
      Context.add(TriageStore, driver.triage),
      Context.add(VerdictStore, Verdicts.make(driver)),
      Context.add(QuarantineStore, Quarantines.make(driver)),
      Context.add(QueueStore, Queues.make(driver)),
      Context.add(EngineStore, Engines.make(driver)),
      Context.add(EventStore, Events.make(driver)),
      Context.add(SubscriptionStore, Subscriptions.make(driver)),
      Context.add(NotifierStore, Notifiers.make(driver)),
      Context.add(WideNotifierStore, WideNotifiers.make(driver)),
      Context.add(OwnersStore, OwnersFiles.make(driver)),
      Context.add(PublicationStore, Publications.make(driver)),
      Context.add(ReadingStore, Readings.make(driver)),
      Context.add(KeyStore, Keys.make(driver)),
      Context.add(AuditStore, Audit.make(driver)),
      Context.add(SessionStore, Sessions.make(driver)),
      Context.add(UpkeepStore, driver.upkeep),
      Context.add(RetentionStore, driver.retention)
    )
    .pipe(
      Context.add(SightingStore, Sightings.make(driver)),
      Context.add(RoleStore, AssignedRoles.make(driver)),
      Context.add(PinStore, OriginPins.make(driver)),
      Context.add(SignInCodeStore, SignInCodes.make(driver)),
      Context.add(ShardStore, Shards.make(driver)),
      Context.add(IssueStore, Issues.make(driver)),
      Context.add(CauseStore, Causes.make(driver)),
      Context.add(SecretStore, Sealed.make(engine, sealer)),
      Context.add(TestAliasStore, Aliases.make(driver))
    )
}

/** All storage ports over the driver of the context. */
export const layer: Layer.Layer<Stores, never, Driver> = Layer.effectContext(
  Effect.map(Effect.all([Driver, Sealer]), ([driver, sealer]) => fromDriver(driver, sealer))
)
