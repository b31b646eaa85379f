/**
 * The driver port: what an engine must do to keep facts. A driver knows no rule; `Stores` builds the public ports from it.
 */
import type { Event, Instant, Repository, TestId } from "@lazaret/domain"
import { Context, Effect, type Option } from "effect"
import type { CauseStore } from "./insight/CauseStore.ts"
import type { MissingStore } from "./insight/MissingStore.ts"
import type { CostStore } from "./insight/CostStore.ts"
import type { ExecutionStore } from "./report/ExecutionStore.ts"
import type { FailureStore } from "./failure/FailureStore.ts"
import type { RetentionStore } from "./repository/RetentionStore.ts"
import type { StoreError } from "./StoreError.ts"
import type { Condition, Query, Table } from "./driver/Table.ts"
import type { TestStore } from "./health/TestStore.ts"
import type { TriageStore } from "./failure/TriageStore.ts"
import type { UpkeepStore } from "./repository/UpkeepStore.ts"

/** The scope of an operation: the rows of a repository, or (null) those of the whole store. */
export type Scope = Repository.RepositoryRef | null

/** Rows of a list, and the length of the whole list. */
export interface Paged<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly total: number
}

/** The rows that an operation can read. A repository that does not exist has none. */
export interface View {
  /** The rows that a query asks for. */
  readonly select: <Row extends object>(
    table: Table<Row>,
    query: Query<Row>
  ) => Effect.Effect<ReadonlyArray<Row>, StoreError>
  /** The rows that a query asks for, and how many rows meet its conditions, before or after that place too. One moment. */
  readonly page: <Row extends object>(table: Table<Row>, query: Query<Row>) => Effect.Effect<Paged<Row>, StoreError>
  /** How many rows meet the conditions. */
  readonly count: <Row extends object>(
    table: Table<Row>,
    where: ReadonlyArray<Condition<Row>>
  ) => Effect.Effect<number, StoreError>
  /** The values that a field has in the rows that meet the conditions, each once, in any order. */
  readonly distinct: <Row extends object, Field extends keyof Row & string>(
    table: Table<Row>,
    field: Field,
    where: ReadonlyArray<Condition<Row>>
  ) => Effect.Effect<ReadonlyArray<Row[Field]>, StoreError>
  /** The position of the newest event ever appended to the log of the repository, 0 before any. */
  readonly head: Effect.Effect<number, StoreError>
}

/** The rows that an operation can read and write. It reads what it has written. */
export interface Transaction extends View {
  /** Writes rows, each in the place of the row with its key where there is one; of several with one key the last stays. */
  readonly put: <Row extends object>(table: Table<Row>, rows: ReadonlyArray<Row>) => Effect.Effect<void, StoreError>
  /** Removes the rows that meet the conditions, and yields how many. */
  readonly remove: <Row extends object>(
    table: Table<Row>,
    where: ReadonlyArray<Condition<Row>>
  ) => Effect.Effect<number, StoreError>
  /**
   * Appends events to the log of the repository, and yields how many: those whose id is in the log are left out, the
   * others get the next positions in the order given. A position is never used twice.
   */
  readonly log: (events: ReadonlyArray<Event.Event>) => Effect.Effect<number, StoreError>
}

/**
 * The transaction of a repository that does not exist: it has no rows, and what is written to it is gone, as if the repository had
 * been deleted right after. A write that waited for the deletion of its repository ends so.
 */
export const absent: Transaction = {
  select: () => Effect.succeed([]),
  page: () => Effect.succeed({ rows: [], total: 0 }),
  count: () => Effect.succeed(0),
  distinct: () => Effect.succeed([]),
  head: Effect.succeed(0),
  put: () => Effect.void,
  remove: () => Effect.succeed(0),
  log: () => Effect.succeed(0)
}

/** A row with the repository that it belongs to. */
export interface Scanned<Row> {
  readonly ref: Repository.RepositoryRef
  readonly row: Row
}

/**
 * The port of an engine that keeps facts.
 *
 * **Laws**
 *
 * - `operation` is the method of the port that asks, for errors and measurements: it changes no answer.
 * - *Atomic.* All writes of a body are stored when it succeeds, and none when it fails.
 * - *Serialised.* Transactions of one repository run as if one after another, also those of several processes; so do those
 *   of the whole store. A body may run more than once: it does nothing but read and write.
 * - *Ordered log.* An event becomes readable after every event with a lower position.
 * - A row comes back as it was written.
 *
 * **Stability**
 *
 * Not stable before 1.0: a release may add operations, which the changelog names. The cases of `DriverCases` in
 * `@lazaret/store-conformance` are the laws as tests.
 *
 * **Gotchas**
 *
 * A body uses its view alone: an operation of the driver inside of another one may wait for itself.
 */
export class Driver extends Context.Service<
  Driver,
  {
    /** Reads that each see what is committed when they run: for bodies that ask once. */
    readonly read: <A>(
      operation: string,
      scope: Scope,
      body: (view: View) => Effect.Effect<A, StoreError>
    ) => Effect.Effect<A, StoreError>
    /** Reads that all see one moment. */
    readonly snapshot: <A>(
      operation: string,
      scope: Scope,
      body: (view: View) => Effect.Effect<A, StoreError>
    ) => Effect.Effect<A, StoreError>
    /**
     * Reads and writes in one transaction. It creates the repository, with `at` as its creation; with null for `at` the
     * body of a repository that does not exist gets {@link absent}.
     */
    readonly transact: <A>(
      operation: string,
      scope: Scope,
      at: Instant.Instant | null,
      body: (transaction: Transaction) => Effect.Effect<A, StoreError>
    ) => Effect.Effect<A, StoreError>
    /** The rows of all repositories that meet the conditions, in any order. For tables of few rows. */
    readonly scan: <Row extends object>(
      operation: string,
      table: Table<Row>,
      where: ReadonlyArray<Condition<Row>>
    ) => Effect.Effect<ReadonlyArray<Scanned<Row>>, StoreError>
    /**
     * Replaces the settings of a repository, which it creates, by those that `decide` makes of the settings that hold; and
     * computes again what depends on them. One transaction, serialised with those that record reports.
     */
    readonly configure: (
      operation: string,
      ref: Repository.RepositoryRef,
      at: Instant.Instant,
      decide: (held: Repository.RepositorySettings) => Effect.Effect<Repository.RepositorySettings, StoreError>
    ) => Effect.Effect<Repository.Repository, StoreError>
    /**
     * Deletes a repository with all its rows, its log and its executions, and yields whether it existed. Serialised with the
     * transactions of the repository: one that waited for it creates a new repository, or finds none.
     */
    readonly erase: (operation: string, ref: Repository.RepositoryRef) => Effect.Effect<boolean, StoreError>
    /**
     * Deletes every execution of a test, on whatever branch, and all that is computed of them, and the rows that `body` removes: in
     * one transaction, serialised with those that record reports. Yields whether something was deleted; `body` yields the number of
     * its rows.
     *
     * **Details**
     *
     * What is known of whole job runs stays: their totals, and the judgement whether they are outages. Reports stay known, so that
     * the same report again changes nothing. An execution that is recorded later belongs to a new test.
     */
    readonly forget: (
      operation: string,
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      body: (transaction: Transaction) => Effect.Effect<number, StoreError>
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Runs a body that writes rows, then gives every stored execution to the test that stands for its name by the aliases of the
     * repository (`testAliases`, those that hold), and computes again what depends on that: in one transaction, serialised with
     * those that record reports. It creates the repository, with `at` as its creation; with null for `at` the body of a
     * repository that does not exist gets {@link absent}.
     *
     * **Details**
     *
     * Reports that are recorded later are stored in the same way (`TestAlias.applied`). So the answers are those of a
     * repository whose reports had these names from the beginning, as long as nothing is dropped (`RetentionStore`). The base of the
     * dropped executions of a test stays with the name that stood for it when they were dropped; where two tests become one, the one
     * whose name stands for both keeps its own.
     */
    readonly regroup: <A>(
      operation: string,
      ref: Repository.RepositoryRef,
      at: Instant.Instant | null,
      body: (transaction: Transaction) => Effect.Effect<A, StoreError>
    ) => Effect.Effect<A, StoreError>
    /**
     * The version of a repository, none when it does not exist. Every transaction of the repository that writes, recording and
     * deleting of executions among them, gives it a version that it never had, at the instant at which readers see the writes.
     * It holds for one store, whichever process asks; an engine whose facts are in the process gives each process its own.
     */
    readonly version: (
      operation: string,
      ref: Repository.RepositoryRef
    ) => Effect.Effect<Option.Option<string>, StoreError>
    /** Executions, and the questions about them: each driver answers them in its own way. */
    readonly executions: ExecutionStore["Service"]
    readonly tests: TestStore["Service"]
    readonly failures: FailureStore["Service"]
    readonly triage: TriageStore["Service"]
    readonly causeFacts: CauseStore["Service"]["facts"]
    readonly histories: MissingStore["Service"]["histories"]
    readonly costFacts: CostStore["Service"]["facts"]
    readonly retention: RetentionStore["Service"]
    readonly upkeep: UpkeepStore["Service"]
  }
>()("@lazaret/store/Driver") {}
