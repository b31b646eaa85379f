/**
 * Queues the uploads of one repository in memory instead of on a database lock. One transaction records all uploads
 * that arrived during the previous transaction. A block that several of them change is read, folded and written once.
 */
import type { Report, Repository } from "@lazaret/domain"
import { type AppendOutcome, StoreError } from "@lazaret/store"
import { Deferred, Effect, Exit, type Scope } from "effect"

/** A report and the name of its repository as the caller wrote it. */
export interface Entry {
  readonly ref: Repository.RepositoryRef
  readonly report: Report.Report
}

/** Records reports of one repository in one transaction, in order. */
export interface Write {
  (entries: readonly [Entry, ...ReadonlyArray<Entry>]): Effect.Effect<ReadonlyArray<AppendOutcome>, StoreError>
}

/**
 * The waiting reports, by repository.
 *
 * **Details**
 *
 * - Interrupting a caller does not remove its report: it is recorded, and a repeated upload is a duplicate.
 * - When a transaction of several reports fails, each report is retried alone, so that a report fails only for its own
 *   fault. When the database is unavailable, all of them fail.
 */
export class AppendQueue {
  private readonly write: Write
  private readonly scope: Scope.Scope
  private readonly lines = new Map<string, Array<Waiting>>()

  /** `scope` owns the fibers that write. */
  constructor(write: Write, scope: Scope.Scope) {
    this.write = write
    this.scope = scope
  }

  /** The outcome of a report; `key` is that of its repository. */
  readonly offer = (key: string, entry: Entry): Effect.Effect<AppendOutcome, StoreError> =>
    Effect.suspend(() => {
      const waiting = { entry, outcome: Deferred.makeUnsafe<AppendOutcome, StoreError>() }
      const line = this.lines.get(key)
      if (line === undefined) this.lines.set(key, [waiting])
      else line.push(waiting)
      const started = line === undefined ? Effect.forkIn(this.drain(key), this.scope) : Effect.void
      return Effect.andThen(started, Deferred.await(waiting.outcome))
    })

  /** Writes until no report of the repository waits. */
  private readonly drain = (key: string): Effect.Effect<void> => {
    const line = this.lines.get(key) ?? []
    const write: Effect.Effect<void> = Effect.suspend(() => {
      const [first, ...others] = take(line)
      if (first !== undefined) return Effect.andThen(this.settle([first, ...others]), write)
      this.lines.delete(key)
      return Effect.void
    })
    return Effect.onInterrupt(write, () => Effect.sync(() => line.forEach(stop)))
  }

  private readonly settle = Effect.fnUntraced(function* (
    this: AppendQueue,
    batch: readonly [Waiting, ...ReadonlyArray<Waiting>]
  ): Effect.fn.Return<void> {
    const [first, ...others] = batch
    const entries = [first.entry, ...others.map(({ entry }) => entry)] as const
    const written = Effect.onInterrupt(this.write(entries), () => Effect.sync(() => batch.forEach(stop)))
    const exit = yield* Effect.exit(written)
    if (Exit.isFailure(exit) && others.length > 0 && !isUnavailable(exit)) {
      for (const each of batch) yield* this.settle([each])
      return
    }
    batch.forEach(({ outcome }, index) => Deferred.doneUnsafe(outcome, outcomeAt(exit, index)))
  })
}

interface Waiting {
  readonly entry: Entry
  readonly outcome: Deferred.Deferred<AppendOutcome, StoreError>
}

type Written = Exit.Exit<ReadonlyArray<AppendOutcome>, StoreError>

/**
 * The limits of one transaction: its number of reports, and its number of results in addition to those of the first
 * report.
 */
const mostReports = 8
const mostResults = 200_000

const take = (line: Array<Waiting>): Array<Waiting> => {
  let results = 0
  const end = line.findIndex(({ entry }, index) => {
    results += entry.report.executions.length
    return index === mostReports || (index > 0 && results > mostResults)
  })
  return line.splice(0, end === -1 ? line.length : end)
}

const stop = ({ outcome }: Waiting): boolean => Deferred.doneUnsafe(outcome, stopped)

const stopped = Effect.fail(
  new StoreError({ operation: "ExecutionStore.append", reason: "unavailable", cause: new Error("the store is closed") })
)

const isUnavailable = (exit: Written): boolean => {
  if (Exit.isSuccess(exit)) return false
  const error = Exit.findErrorOption(exit)
  return error._tag === "Some" && error.value.reason === "unavailable"
}

const outcomeAt = (exit: Written, index: number): Effect.Effect<AppendOutcome, StoreError> => {
  if (Exit.isFailure(exit)) return Effect.failCause(exit.cause)
  const outcome = exit.value[index]
  return outcome === undefined ? Effect.die(new Error("a report has no outcome")) : Effect.succeed(outcome)
}
