/** The plain rows of all repositories in memory. */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import { absent, type Driver, type Scope, type Transaction } from "../Driver.ts"
import type { RowDriver } from "../driver/RowDriver.ts"
import { repositories } from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"
import * as MemoryTables from "./MemoryTables.ts"

type Body<A> = (transaction: Transaction) => Effect.Effect<A, StoreError>

/** Rows of new, empty repositories. */
export const make = (): RowDriver => {
  const store = MemoryTables.make()
  const all = new Map<string, MemoryTables.MemoryTables>()

  /** A repository that does not exist has the rows of tables that nobody keeps. */
  const tablesOf = (scope: Scope): MemoryTables.MemoryTables =>
    scope === null ? store : (all.get(Repository.key(scope)) ?? MemoryTables.make())

  const read = <A>(operation: string, scope: Scope, body: Body<A>): Effect.Effect<A, StoreError> =>
    Effect.suspend(() => MemoryTables.transact(tablesOf(scope), operation, body))

  /** Runs a body in a new repository, which exists from then on when the body succeeds. One is created at a time. */
  const create = <A>(
    operation: string,
    ref: Repository.RepositoryRef,
    at: number,
    body: Body<A>
  ): Effect.Effect<A, StoreError> =>
    store.lock.withPermit(
      Effect.suspend(() => {
        const key = Repository.key(ref)
        const meanwhile = all.get(key)
        if (meanwhile !== undefined) return MemoryTables.transact(meanwhile, operation, body)
        const { owner, repository } = ref
        const made = MemoryTables.make()
        const row = { key, owner, repository, createdAt: at, settings: Repository.defaultSettings }
        MemoryTables.put(store, repositories, [row])
        all.set(key, made)
        return Effect.onError(MemoryTables.transact(made, operation, body), () =>
          Effect.sync(() => {
            MemoryTables.remove(store, repositories, [["key", "=", key]])
            all.delete(key)
          })
        )
      })
    )

  /** Runs a body in a repository; when that was erased while the body waited for it, starts again. */
  const within = <A>(
    operation: string,
    ref: Repository.RepositoryRef,
    at: number | null,
    body: Body<A>
  ): Effect.Effect<A, StoreError> =>
    Effect.suspend(() => {
      const key = Repository.key(ref)
      const tables = all.get(key)
      if (tables === undefined) return at === null ? body(absent) : create(operation, ref, at, body)
      return Effect.flatten(
        MemoryTables.transact(tables, operation, (transaction) =>
          all.get(key) === tables
            ? Effect.map(body(transaction), Effect.succeed<A>)
            : Effect.succeed(within(operation, ref, at, body))
        )
      )
    })

  const transact: Driver["Service"]["transact"] = (operation, scope, at, body) =>
    scope === null ? read(operation, scope, body) : within(operation, scope, at, body)

  /** Waits for the running transaction: no body writes to rows that are gone. */
  const erase: RowDriver["erase"] = (operation, ref, also) =>
    within(operation, ref, null, () => {
      const key = Repository.key(ref)
      if (!all.has(key)) return Effect.succeed(false)
      return Effect.map(also, () => {
        MemoryTables.remove(store, repositories, [["key", "=", key]])
        return all.delete(key)
      })
    })

  return {
    read,
    snapshot: read,
    transact,
    erase,
    scan: (_, table, where) =>
      Effect.sync(() =>
        MemoryTables.select(store, repositories, { where: [], order: [] }).flatMap((ref) =>
          MemoryTables.select(tablesOf(ref), table, { where, order: [] }).map((row) => ({ ref, row }))
        )
      ),
    setSettings: (ref, settings) =>
      Effect.suspend(() => {
        const where = [["key", "in", [Repository.key(ref)]] as const]
        const [row] = MemoryTables.select(store, repositories, { where, order: [] })
        if (row === undefined) return Effect.die(new Error("the repository is gone"))
        MemoryTables.put(store, repositories, [{ ...row, settings }])
        const { createdAt, owner, repository } = row
        return Effect.succeed({ owner, repository, createdAt, settings })
      })
  }
}
