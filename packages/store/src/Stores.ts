/** All storage ports, built from a driver: every rule of storage stands here once, whatever the engine. */
import { Context, Effect, Layer } from "effect"
import { AuditStore } from "./AuditStore.ts"
import { Driver } from "./Driver.ts"
import { EngineStore } from "./EngineStore.ts"
import { EventStore } from "./EventStore.ts"
import { ExecutionStore } from "./ExecutionStore.ts"
import { FailureStore } from "./FailureStore.ts"
import { IssueStore } from "./IssueStore.ts"
import { KeyStore } from "./KeyStore.ts"
import { NotifierStore } from "./NotifierStore.ts"
import { OwnersStore } from "./OwnersStore.ts"
import { PublicationStore } from "./PublicationStore.ts"
import { QuarantineStore } from "./QuarantineStore.ts"
import { QueueStore } from "./QueueStore.ts"
import { ReadingStore } from "./ReadingStore.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
import { RoleStore } from "./RoleStore.ts"
import { RetentionStore } from "./RetentionStore.ts"
import * as AssignedRoles from "./rules/AssignedRoles.ts"
import * as Audit from "./rules/Audit.ts"
import * as Engines from "./rules/Engines.ts"
import * as Events from "./rules/Events.ts"
import * as Issues from "./rules/Issues.ts"
import * as Keys from "./rules/Keys.ts"
import * as Notifiers from "./rules/Notifiers.ts"
import * as OwnersFiles from "./rules/OwnersFiles.ts"
import * as Publications from "./rules/Publications.ts"
import * as Quarantines from "./rules/Quarantines.ts"
import * as Queues from "./rules/Queues.ts"
import * as Readings from "./rules/Readings.ts"
import * as Repositories from "./rules/Repositories.ts"
import * as Sessions from "./rules/Sessions.ts"
import * as SignInCodes from "./rules/SignInCodes.ts"
import * as Sealed from "./rules/Sealed.ts"
import * as Storable from "./rules/Storable.ts"
import * as Subscriptions from "./rules/Subscriptions.ts"
import * as Verdicts from "./rules/Verdicts.ts"
import * as WideNotifiers from "./rules/WideNotifiers.ts"
import { Sealer } from "./Sealer.ts"
import { SecretStore } from "./SecretStore.ts"
import { SessionStore } from "./SessionStore.ts"
import { SignInCodeStore } from "./SignInCodeStore.ts"
import { SubscriptionStore } from "./SubscriptionStore.ts"
import { TestStore } from "./TestStore.ts"
import { TriageStore } from "./TriageStore.ts"
import { UpkeepStore } from "./UpkeepStore.ts"
import { VerdictStore } from "./VerdictStore.ts"
import { WideNotifierStore } from "./WideNotifierStore.ts"

/** All storage ports. */
export type Stores =
  | RepositoryStore
  | ExecutionStore
  | TestStore
  | FailureStore
  | TriageStore
  | VerdictStore
  | QuarantineStore
  | QueueStore
  | EngineStore
  | EventStore
  | SubscriptionStore
  | NotifierStore
  | WideNotifierStore
  | OwnersStore
  | PublicationStore
  | IssueStore
  | ReadingStore
  | KeyStore
  | AuditStore
  | SessionStore
  | SignInCodeStore
  | RoleStore
  | SecretStore
  | UpkeepStore
  | RetentionStore

/** All storage ports over a driver; secrets are stored as the sealer seals them. */
export const fromDriver = (engine: Driver["Service"], sealer: Sealer): Context.Context<Stores> => {
  const driver = Sealed.over(Storable.guarded(engine), sealer)
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
      Context.add(RoleStore, AssignedRoles.make(driver)),
      Context.add(SignInCodeStore, SignInCodes.make(driver)),
      Context.add(IssueStore, Issues.make(driver)),
      Context.add(SecretStore, Sealed.make(engine, sealer))
    )
}

/** All storage ports over the driver of the context. */
export const layer: Layer.Layer<Stores, never, Driver> = Layer.effectContext(
  Effect.map(Effect.all([Driver, Sealer]), ([driver, sealer]) => fromDriver(driver, sealer))
)
