/** The tables of the plain rows: what every driver keeps besides executions. */
import {
  ApplicationKey,
  AuditEntry,
  EngineEvent,
  type EngineState,
  type MergeQueue,
  type PullRef,
  Event,
  Notifier,
  FailurePrecision,
  FailureVerdict,
  Quarantine,
  QuarantineLife,
  QueueCheck,
  QueueEvent,
  Report,
  Repository,
  Role,
  type Session,
  type Subscription,
  TestId
} from "@lazaret/domain"
import { type Effect, Schema } from "effect"
import type { LoggedEvent } from "./EventStore.ts"
import * as Settings from "./rules/Settings.ts"
import type { Shape, Table } from "./Table.ts"
import type { Suspension } from "./VerdictStore.ts"

const Num = Schema.Number
const Str = Schema.String
const nullable = Schema.NullOr

/** Reads rows that have left the process; made once for each table. */
const rowsOf = <Row>(
  schema: Schema.Codec<Row, unknown>
): ((rows: unknown) => Effect.Effect<ReadonlyArray<Row>, Schema.SchemaError>) =>
  Schema.decodeUnknownEffect(Schema.Array(schema))

/** A repository with the key that it is found by (`Repository.key`). */
export interface RepositoryRow extends Repository.Repository {
  readonly key: string
}

/** Repositories. They are created by transactions, and changed by `Driver.configure`. */
export const repositories: Table<RepositoryRow> = {
  name: "repositories",
  scope: "store",
  columns: { key: "text", owner: "text", repository: "text", createdAt: "instant", settings: "json" },
  key: ["key"],
  decode: rowsOf(Schema.Struct({ key: Str, owner: Str, repository: Str, createdAt: Num, settings: Settings.Stored }))
}

/** Application keys. */
export const keys: Table<ApplicationKey.ApplicationKey> = {
  name: "application_keys",
  scope: "store",
  columns: {
    id: "text",
    name: "text",
    owner: "text",
    scope: "text",
    hash: "text",
    createdAt: "instant",
    revokedAt: "instant"
  },
  key: ["id"],
  unique: "hash",
  decode: rowsOf(
    Schema.Struct({
      id: Str,
      name: Str,
      owner: nullable(Str),
      scope: ApplicationKey.Scope,
      hash: Str,
      createdAt: Num,
      revokedAt: nullable(Num)
    })
  )
}

/** Sessions. */
export const sessions: Table<Session.Session> = {
  name: "sessions",
  scope: "store",
  columns: {
    id: "text",
    hash: "text",
    kind: "text",
    subjectId: "text",
    name: "text",
    owner: "text",
    grants: "json",
    createdAt: "instant",
    seenAt: "instant",
    address: "text",
    agent: "text"
  },
  key: ["id"],
  unique: "hash",
  decode: rowsOf(
    Schema.Struct({
      id: Str,
      hash: Str,
      kind: Schema.Literals(["key", "user"]),
      subjectId: Str,
      name: Str,
      owner: nullable(Str),
      grants: Schema.Array(Role.Grant),
      createdAt: Num,
      seenAt: Num,
      address: nullable(Str),
      agent: nullable(Str)
    })
  )
}

const Fields = Schema.Record(Str, Schema.Json)

/** An entry of the audit log, with the keys that its owner and repository are found by. */
export interface AuditRow extends Omit<AuditEntry.AuditEntry, "actor"> {
  readonly actorKind: AuditEntry.Actor["kind"]
  readonly actorId: string
  readonly actorName: string
  readonly ownerKey: string | null
  readonly repositoryKey: string | null
}

/** The audit log. */
export const auditEntries: Table<AuditRow> = {
  name: "audit_entries",
  scope: "store",
  columns: {
    id: "text",
    at: "instant",
    actorKind: "text",
    actorId: "text",
    actorName: "text",
    address: "text",
    action: "text",
    owner: "text",
    ownerKey: "text",
    repository: "text",
    repositoryKey: "text",
    target: "json",
    outcome: "text",
    before: "json",
    after: "json"
  },
  key: ["id"],
  decode: rowsOf(
    Schema.Struct({
      id: Str,
      at: Num,
      actorKind: AuditEntry.ActorKind,
      actorId: Str,
      actorName: Str,
      address: nullable(Str),
      action: Str,
      owner: nullable(Str),
      ownerKey: nullable(Str),
      repository: nullable(Str),
      repositoryKey: nullable(Str),
      target: Fields,
      outcome: AuditEntry.Outcome,
      before: nullable(Fields),
      after: nullable(Fields)
    })
  )
}

/** A commit and the pull request that brought it. */
export interface PullRow extends Omit<PullRef.PullRef, "user"> {
  readonly commit: string
  readonly userId: number
  readonly userLogin: string
}

/** Pull requests by commit. */
export const pulls: Table<PullRow> = {
  name: "pulls",
  scope: "repository",
  columns: {
    commit: "text",
    id: "integer",
    number: "integer",
    title: "text",
    userId: "integer",
    userLogin: "text"
  },
  key: ["commit"],
  decode: rowsOf(Schema.Struct({ commit: Str, id: Num, number: Num, title: Str, userId: Num, userLogin: Str }))
}

/** The row of a commit and the pull request that brought it. */
export const pullRow = ({ commit, pull }: { readonly commit: string; readonly pull: PullRef.PullRef }): PullRow => ({
  commit,
  id: pull.id,
  number: pull.number,
  title: pull.title,
  userId: pull.user.id,
  userLogin: pull.user.login
})

/** The pull request that a run names for its commit; what a fork says of one is not kept. */
export const pullsOf = (
  run: Pick<Report.RunContext, "branch" | "commit" | "pullRequest">
): ReadonlyArray<{ readonly commit: string; readonly pull: PullRef.PullRef }> =>
  run.pullRequest === null || Report.isFork(run) ? [] : [{ commit: run.commit, pull: run.pullRequest }]

/** The pull request in a row. */
export const pullOf = ({ id, number, title, userId, userLogin }: PullRow): PullRef.PullRef => ({
  id,
  number,
  title,
  user: { id: userId, login: userLogin }
})

/**
 * A quarantine with the id of its test. Earlier quarantines may have the same id and another `record`: the position of the
 * log after which each began.
 */
export interface QuarantineRow extends Quarantine.Quarantine {
  readonly record: number
  readonly testId: TestId.TestId
}

/** Quarantines, ended ones included. */
export const quarantines: Table<QuarantineRow> = {
  name: "quarantines",
  scope: "repository",
  columns: {
    record: "integer",
    id: "text",
    testId: "uuid",
    testName: "text",
    reason: "text",
    branch: "text",
    createdAt: "instant",
    createdBy: "text",
    source: "text",
    removedAt: "instant",
    removedBy: "text",
    expiresAt: "instant",
    remindAt: "instant",
    owner: "text",
    ticket: "text",
    scope: "text"
  },
  key: ["record"],
  decode: rowsOf(
    Schema.Struct({
      record: Num,
      id: Str,
      testId: TestId.TestId,
      testName: Str,
      reason: Str,
      branch: nullable(Str),
      createdAt: Num,
      createdBy: Str,
      source: Quarantine.Source,
      removedAt: nullable(Num),
      removedBy: nullable(Str),
      expiresAt: nullable(Num),
      remindAt: nullable(Num),
      owner: nullable(Str),
      ticket: nullable(Str),
      scope: QuarantineLife.Scope
    })
  )
}

const StoredEvent = Schema.Struct({
  id: Str,
  at: Num,
  type: Event.EventType,
  actor: Str,
  testId: nullable(TestId.TestId),
  testName: nullable(Str),
  branch: nullable(Str),
  summary: Str,
  detail: Schema.Record(Str, Schema.Json)
})

/** An event with its place in the log, and the fields that it is found by. */
export interface EventRow extends Pick<LoggedEvent, "id" | "position" | "type" | "at"> {
  readonly event: Event.Event
}

/** The log of events. It is written by `Transaction.log` alone. */
export const events: Table<EventRow> = {
  name: "events",
  scope: "repository",
  columns: { id: "uuid", position: "integer", type: "text", at: "instant", event: "json" },
  key: ["id"],
  decode: rowsOf(Schema.Struct({ id: Str, position: Num, type: Event.EventType, at: Num, event: StoredEvent }))
}

/** A subscription with its progress, and the holder and end of its lease. */
export interface SubscriptionRow extends Subscription.Subscription {
  readonly position: number
  readonly attempts: number
  readonly nextAt: number
  readonly lease: string | null
  readonly leasedUntil: number
}

/** Subscriptions. */
export const subscriptions: Table<SubscriptionRow> = {
  name: "subscriptions",
  scope: "repository",
  columns: {
    id: "text",
    url: "text",
    secret: "text",
    types: "json",
    createdAt: "instant",
    createdBy: "text",
    position: "integer",
    attempts: "integer",
    nextAt: "instant",
    lease: "text",
    leasedUntil: "instant"
  },
  key: ["id"],
  decode: rowsOf(
    Schema.Struct({
      id: Str,
      url: Str,
      secret: Str,
      types: Schema.Array(Event.EventType),
      createdAt: Num,
      createdBy: Str,
      position: Num,
      attempts: Num,
      nextAt: Num,
      lease: nullable(Str),
      leasedUntil: Num
    })
  )
}

/** A notifier with its progress, and the holder and end of its lease. */
export interface NotifierRow extends Notifier.Notifier {
  readonly position: number
  readonly until: number | null
  readonly attempts: number
  readonly nextAt: number
  readonly failure: string | null
  readonly sentAt: number | null
  readonly lease: string | null
  readonly leasedUntil: number
}

/** Notifiers. */
export const notifiers: Table<NotifierRow> = {
  name: "notifiers",
  scope: "repository",
  columns: {
    id: "text",
    channel: "json",
    types: "json",
    owners: "json",
    schedule: "json",
    createdAt: "instant",
    createdBy: "text",
    position: "integer",
    until: "integer",
    attempts: "integer",
    nextAt: "instant",
    failure: "text",
    sentAt: "instant",
    lease: "text",
    leasedUntil: "instant"
  },
  key: ["id"],
  decode: rowsOf(
    Schema.Struct({
      id: Str,
      channel: Notifier.Channel,
      types: Schema.Array(Event.EventType),
      owners: Schema.Array(Str),
      schedule: Notifier.Schedule,
      createdAt: Num,
      createdBy: Str,
      position: Num,
      until: nullable(Num),
      attempts: Num,
      nextAt: Num,
      failure: nullable(Str),
      sentAt: nullable(Num),
      lease: nullable(Str),
      leasedUntil: Num
    })
  )
}

/** An event that a subscription did not take. */
export interface DeadLetterRow extends Subscription.DeadLetter {
  readonly subscriptionId: string
  readonly eventId: string
}

/** Dead letters. */
export const deadLetters: Table<DeadLetterRow> = {
  name: "dead_letters",
  scope: "repository",
  columns: {
    subscriptionId: "text",
    eventId: "uuid",
    at: "instant",
    attempts: "integer",
    error: "text",
    event: "json"
  },
  key: ["subscriptionId", "eventId"],
  decode: rowsOf(
    Schema.Struct({
      subscriptionId: Str,
      eventId: Str,
      at: Num,
      attempts: Num,
      error: Str,
      event: StoredEvent
    })
  )
}

/** A queue event with the fields that it is found by. */
export interface QueueEventRow extends Pick<QueueEvent.QueueEvent, "id" | "at" | "branch"> {
  readonly event: QueueEvent.QueueEvent
}

/** The logs of merge queues. */
export const queueEvents: Table<QueueEventRow> = {
  name: "queue_events",
  scope: "repository",
  columns: { id: "text", at: "instant", branch: "text", event: "json" },
  key: ["id"],
  decode: rowsOf(Schema.Struct({ id: Str, at: Num, branch: Str, event: Schema.toType(QueueEvent.QueueEvent) }))
}

/** A merge queue as the fold has left it after the older events, and the version of the rules that folded it. */
export interface QueueBaseRow {
  readonly rules: number
  readonly queue: MergeQueue.MergeQueue
}

const CheckRun = Schema.Struct({
  round: nullable(Str),
  checkType: QueueEvent.CheckType,
  pullRequest: Num,
  startedAt: Num,
  endedAt: nullable(Num),
  endState: nullable(QueueCheck.EndState),
  checks: Schema.Array(QueueCheck.QueueCheck),
  evaluatedConditions: Str
})

const BranchQueue = Schema.Struct({
  branch: Str,
  pullRequests: Schema.Array(
    Schema.Struct({ number: Num, queueRule: Str, priority: Num, queuedAt: Num, run: nullable(CheckRun) })
  ),
  completed: Schema.Array(Schema.Struct({ pullRequest: Num, startedAt: Num, endedAt: Num }))
})

/** The starts of the folds of merge queues. */
export const queueBases: Table<QueueBaseRow> = {
  name: "queue_bases",
  scope: "repository",
  columns: { rules: "integer", queue: "json" },
  key: [],
  decode: rowsOf(
    Schema.Struct({
      rules: Num,
      queue: Schema.Struct({
        last: nullable(Schema.Struct({ at: Num, id: Str })),
        branches: Schema.Array(BranchQueue)
      })
    })
  )
}

/** The pause of a merge queue. */
export interface PauseRow {
  readonly reason: string
  readonly pausedAt: number
}

/** Pauses of merge queues. */
export const pauses: Table<PauseRow> = {
  name: "queue_pauses",
  scope: "repository",
  columns: { reason: "text", pausedAt: "instant" },
  key: [],
  decode: rowsOf(Schema.Struct({ reason: Str, pausedAt: Num }))
}

/** The text of a configuration of merge queues, and the last valid one; null: none was, or it is not known. */
export interface ConfigurationRow {
  readonly configuration: string
  readonly lastValid: string | null
}

/** Configurations of merge queues. */
export const configurations: Table<ConfigurationRow> = {
  name: "queue_configurations",
  scope: "repository",
  columns: { configuration: "text", lastValid: "text" },
  key: [],
  decode: rowsOf(Schema.Struct({ configuration: Str, lastValid: nullable(Str) }))
}

/** A commit to publish, and the holder and end of its lease. */
export interface PublicationRow {
  readonly commit: string
  readonly requests: number
  readonly nextAt: number
  readonly attempts: number
  readonly lease: string | null
  readonly leasedUntil: number
}

/** Publications. */
export const publications: Table<PublicationRow> = {
  name: "publications",
  scope: "repository",
  columns: {
    commit: "text",
    requests: "integer",
    nextAt: "instant",
    attempts: "integer",
    lease: "text",
    leasedUntil: "instant"
  },
  key: ["commit"],
  decode: rowsOf(
    Schema.Struct({
      commit: Str,
      requests: Num,
      nextAt: Num,
      attempts: Num,
      lease: nullable(Str),
      leasedUntil: Num
    })
  )
}

/** The first verdict on a failure, and its mark: null while nobody has marked it. */
export interface FirstVerdictRow extends FailurePrecision.FirstVerdict {
  readonly truth: FailurePrecision.Truth | null
  readonly markedBy: string | null
  readonly markedAt: number | null
}

/** First verdicts. */
export const firstVerdicts: Table<FirstVerdictRow> = {
  name: "first_verdicts",
  scope: "repository",
  columns: {
    testId: "uuid",
    executionId: "text",
    testName: "text",
    pipelineName: "text",
    jobName: "text",
    commit: "text",
    runId: "text",
    at: "instant",
    verdict: "text",
    probability: "json",
    truth: "text",
    markedBy: "text",
    markedAt: "instant"
  },
  key: ["testId", "executionId"],
  decode: rowsOf(
    Schema.Struct({
      testId: TestId.TestId,
      executionId: Str,
      testName: Str,
      pipelineName: Str,
      jobName: Str,
      commit: Str,
      runId: nullable(Str),
      at: Num,
      verdict: FailureVerdict.Verdict,
      probability: Num,
      truth: nullable(FailurePrecision.Truth),
      markedBy: nullable(Str),
      markedAt: nullable(Num)
    })
  )
}

/** An event of an engine with the base branch of the engine. */
export interface EngineEventRow extends EngineEvent.Logged {
  readonly branch: string
}

/** The logs of engines. */
export const engineEvents: Table<EngineEventRow> = {
  name: "engine_events",
  scope: "repository",
  columns: { branch: "text", seq: "integer", at: "instant", event: "json" },
  key: ["branch", "seq"],
  decode: rowsOf(Schema.Struct({ branch: Str, seq: Num, at: Num, event: Schema.toType(EngineEvent.EngineEvent) }))
}

/** The fold of the log of an engine by the rules of a version. */
export interface EngineStateRow {
  readonly branch: string
  readonly rules: number
  readonly state: EngineState.EngineState
}

/** A snapshot is as the fold of the version in its row has made it; those of other versions are not used. */
const Snapshot = Schema.declare(
  (value): value is EngineState.EngineState => typeof value === "object" && value !== null
)

/** The snapshots of engines. */
export const engineStates: Table<EngineStateRow> = {
  name: "engine_states",
  scope: "repository",
  columns: { branch: "text", rules: "integer", state: "json" },
  key: ["branch"],
  decode: rowsOf(Schema.Struct({ branch: Str, rules: Num, state: Snapshot }))
}

/** An engine: when it is due (null: not before it is woken), until when it acts, and the holder and end of its lease. */
export interface EngineRow {
  readonly branch: string
  readonly nextAt: number | null
  readonly actingUntil: number
  readonly lease: string | null
  readonly leasedUntil: number
}

/** Engines. */
export const engines: Table<EngineRow> = {
  name: "engines",
  scope: "repository",
  columns: {
    branch: "text",
    nextAt: "instant",
    actingUntil: "instant",
    lease: "text",
    leasedUntil: "instant"
  },
  key: ["branch"],
  decode: rowsOf(
    Schema.Struct({
      branch: Str,
      nextAt: nullable(Num),
      actingUntil: Num,
      lease: nullable(Str),
      leasedUntil: Num
    })
  )
}

/** A run to read, and the holder and end of its lease. */
export interface ReadingRow extends Omit<PublicationRow, "commit"> {
  readonly runId: string
}

/** Readings. */
export const readings: Table<ReadingRow> = {
  name: "readings",
  scope: "repository",
  columns: {
    runId: "text",
    requests: "integer",
    nextAt: "instant",
    attempts: "integer",
    lease: "text",
    leasedUntil: "instant"
  },
  key: ["runId"],
  decode: rowsOf(
    Schema.Struct({
      runId: Str,
      requests: Num,
      nextAt: Num,
      attempts: Num,
      lease: nullable(Str),
      leasedUntil: Num
    })
  )
}

/** Suspensions of excuses by verdict: since when, and what was known then. */
export const suspensions: Table<Suspension> = {
  name: "excuse_suspensions",
  scope: "repository",
  columns: { since: "instant", reason: "text" },
  key: [],
  decode: rowsOf(Schema.Struct({ since: Num, reason: Str }))
}

/** Every table. */
export const all: ReadonlyArray<Shape> = [
  repositories,
  keys,
  auditEntries,
  sessions,
  pulls,
  quarantines,
  events,
  subscriptions,
  deadLetters,
  notifiers,
  queueEvents,
  queueBases,
  pauses,
  configurations,
  publications,
  firstVerdicts,
  suspensions,
  engineEvents,
  engineStates,
  engines,
  readings
]
