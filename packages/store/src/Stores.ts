/** All storage ports, built from a driver: every rule of storage stands here once, whatever the engine. */
import { Context, Effect, Layer } from "effect"
import { AuditStore } from "./access/AuditStore.ts"
import { CertificationStore } from "./platform/CertificationStore.ts"
import { CauseStore } from "./insight/CauseStore.ts"
import { MissingStore } from "./insight/MissingStore.ts"
import { CostStore } from "./insight/CostStore.ts"
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
import * as Sealed from "./access/Sealed.ts"
import * as Storable from "./driver/Storable.ts"
import { Sealer } from "./access/Sealer.ts"
import { SecretStore } from "./access/SecretStore.ts"
import { SessionStore } from "./access/SessionStore.ts"
import { SightingStore } from "./platform/SightingStore.ts"
import { ShardStore } from "./insight/ShardStore.ts"
import { SlowerStore } from "./insight/SlowerStore.ts"
import { StressStore } from "./insight/StressStore.ts"
import { SignInCodeStore } from "./access/SignInCodeStore.ts"
import { SubscriptionStore } from "./events/SubscriptionStore.ts"
import { TestAliasStore } from "./report/TestAliasStore.ts"
import { TestStore } from "./health/TestStore.ts"
import { TriageStore } from "./failure/TriageStore.ts"
import { UpkeepStore } from "./repository/UpkeepStore.ts"
import { VerdictStore } from "./failure/VerdictStore.ts"
import { WideNotifierStore } from "./events/WideNotifierStore.ts"

/** The ports that are rules over plain rows: each is built from the driver alone. */
const overRows = [
  RepositoryStore,
  QueueStore,
  EngineStore,
  EventStore,
  SubscriptionStore,
  NotifierStore,
  WideNotifierStore,
  OwnersStore,
  ShardStore,
  StressStore,
  CauseStore,
  MissingStore,
  CostStore,
  SlowerStore,
  PublicationStore,
  IssueStore,
  ReadingStore,
  SightingStore,
  CertificationStore,
  KeyStore,
  AuditStore,
  SessionStore,
  SignInCodeStore,
  RoleStore,
  PinStore,
  VerdictStore,
  QuarantineStore,
  TestAliasStore
] as const

type OverRows = InstanceType<(typeof overRows)[number]>

/** All storage ports. */
export type Stores =
  | OverRows
  | ExecutionStore
  | TestStore
  | FailureStore
  | TriageStore
  | SecretStore
  | UpkeepStore
  | RetentionStore

/** All storage ports over a driver; secrets are stored as the sealer seals them. */
export const fromDriver = (engine: Driver["Service"], sealer: Sealer): Context.Context<Stores> => {
  const driver = AliasedQuestions.over(Sealed.over(Storable.guarded(engine), sealer))
  return Context.make(ExecutionStore, driver.executions).pipe(
    Context.add(TestStore, driver.tests),
    Context.add(FailureStore, driver.failures),
    Context.add(TriageStore, driver.triage),
    Context.add(UpkeepStore, driver.upkeep),
    Context.add(RetentionStore, driver.retention),
    Context.add(SecretStore, Sealed.make(engine, sealer)),
    Context.merge(ofRows(driver))
  )
}

const ofRows = (driver: Driver["Service"]): Context.Context<OverRows> =>
  // Each port is added with its own service.
  Context.makeUnsafe(new Map(overRows.map((port) => [port.key, port.over(driver)])))

/** All storage ports over the driver of the context. */
export const layer: Layer.Layer<Stores, never, Driver> = Layer.effectContext(
  Effect.map(Effect.all([Driver, Sealer]), ([driver, sealer]) => fromDriver(driver, sealer))
)
