/** The driver in memory: maps and arrays. It is the reference that other drivers are compared with. */
import { Effect, Layer } from "effect"
import { Driver, type Scope, type Transaction } from "./Driver.ts"
import * as MemoryExecutionStore from "./memory/MemoryExecutionStore.ts"
import * as MemoryFailureStore from "./memory/MemoryFailureStore.ts"
import * as MemoryRetentionStore from "./memory/MemoryRetentionStore.ts"
import * as MemoryState from "./memory/MemoryState.ts"
import * as MemoryTables from "./memory/MemoryTables.ts"
import * as MemoryTestStore from "./memory/MemoryTestStore.ts"
import * as MemoryUpkeepStore from "./memory/MemoryUpkeepStore.ts"
import * as RepositoryEntry from "./memory/RepositoryEntry.ts"
import type { StoreError } from "./StoreError.ts"

/** A driver over one new, empty memory. Everything is gone when the process ends. */
export const layer: Layer.Layer<Driver> = Layer.sync(Driver, () => make(MemoryState.make()))

const make = (state: MemoryState.MemoryState): Driver["Service"] => {
  /** A repository that does not exist has the rows of a table that nobody keeps. */
  const tablesOf = (scope: Scope): MemoryTables.MemoryTables =>
    scope === null ? state.tables : (MemoryState.find(state, scope)?.tables ?? MemoryTables.make())

  const read = <A>(
    _: string,
    scope: Scope,
    body: (transaction: Transaction) => Effect.Effect<A, StoreError>
  ): Effect.Effect<A, StoreError> => Effect.suspend(() => MemoryTables.transact(tablesOf(scope), body))

  return Driver.of({
    read,
    snapshot: read,
    transact: (operation, scope, at, body) =>
      scope === null || at === null
        ? read(operation, scope, body)
        : MemoryState.within(state, scope, at, ({ tables }) => MemoryTables.transact(tables, body)),
    scan: (_, table, where) =>
      Effect.sync(() =>
        [...state.repositories.values()].flatMap(({ repository, tables }) =>
          MemoryTables.select(tables, table, { where, order: [] }).map((row) => ({ ref: repository, row }))
        )
      ),
    configure: (_, ref, at, decide) =>
      MemoryState.within(state, ref, at, (entry) =>
        MemoryTables.transact(entry.tables, () =>
          Effect.map(decide(entry.repository.settings), (settings) => {
            RepositoryEntry.set(entry, settings)
            MemoryState.note(state, entry)
            return entry.repository
          })
        )
      ),
    executions: MemoryExecutionStore.make(state),
    tests: MemoryTestStore.make(state),
    failures: MemoryFailureStore.make(state),
    retention: MemoryRetentionStore.make(state),
    upkeep: MemoryUpkeepStore.make(state)
  })
}
