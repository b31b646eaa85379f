/** The version of everything that is stored of a repository. */
import { Repository } from "@lazaret/domain"
import { Clock, Context, Deferred, Effect, Option } from "effect"
import type { RepositoryDirectory } from "./RepositoryDirectory.ts"
import type { Sql } from "./Session.ts"

/**
 * The version of a repository, none when it does not exist.
 *
 * **Details**
 *
 * It holds the number of the repository, which another repository of the same name, created after a removal, does not have. A number
 * that belongs to no repository any more is deleted from the cache, so that a repository that another server has created again
 * is found at once.
 */
export const find = (sql: Sql, directory: RepositoryDirectory["Service"], ref: Repository.RepositoryRef) => {
  const versionOf = Effect.flatMap(
    directory.find(ref),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (repositoryId) => Effect.asSome(select(sql, repositoryId))
    })
  )
  return Effect.flatMap(versionOf, (found) =>
    Option.exists(found, Option.isNone)
      ? Effect.map(Effect.andThen(directory.forget(ref), versionOf), Option.flatten)
      : Effect.succeed(Option.flatten(found))
  )
}

/**
 * One statement reads the parts at one moment. A database that a standby has taken over from may have lost transactions, and count them
 * again: the start of the server that answers is a part.
 */
const select = (sql: Sql, repositoryId: number) =>
  Effect.map(
    sql<{ readonly executions: number; readonly rows: number; readonly started: number }>`
      SELECT coalesce(h.version, 0) AS executions, coalesce(e.version, 0) AS rows,
        extract(epoch FROM pg_postmaster_start_time())::float8 AS started
      FROM repositories r
      LEFT JOIN repository_heads h ON h.repository_id = ${repositoryId}
      LEFT JOIN event_heads e ON e.repository_id = ${repositoryId}
      WHERE r.repository_id = ${repositoryId}`,
    ([row]) =>
      Option.map(
        Option.fromUndefinedOr(row),
        ({ executions, rows, started }) => `${repositoryId}.${executions}.${rows}.${started}`
      )
  )

/**
 * Shares reads between questions about the same repository: a question that comes while a read runs waits for the next one, with
 * all others that come until that begins. So every read begins after the questions that it answers.
 *
 * **Details**
 *
 * A read that takes longer than two seconds delays no other one: its connection may be dead.
 */
export const sharing = <A, E>(read: Read<A, E>): Read<A, E> => {
  const lines = new Map<string, Line<A, E>>()

  /** Reads for the questions that wait, and for those that callers with an answer of this turn of the event loop send next. */
  const serve = ({ context, statement }: Group<A, E>, line: Line<A, E>): void => {
    const reading = Effect.flatMap(Effect.andThen(Effect.yieldNow, Effect.yieldNow), () => {
      const group = line.waiting
      line.running = group
      line.waiting = null
      return Effect.onExit(statement, (exit) =>
        Effect.sync(() => {
          if (line.running === group) advance(line)
          if (group !== null) Deferred.doneUnsafe(group.answer, exit)
        })
      )
    })
    Effect.runForkWith(context)(reading)
  }

  const advance = (line: Line<A, E>): void => {
    line.running = null
    if (line.waiting === null) lines.delete(line.key)
    else serve(line.waiting, line)
  }

  /** Looks every second whether the same read still runs: the questions that wait for it go on without it. */
  const watch = (line: Line<A, E>, context: Context.Context<never>): void => {
    if (line.isWatched) return
    line.isWatched = true
    const look = Effect.suspend(() => {
      const slow = line.running
      return Effect.map(Effect.sleep("1 second"), () => {
        if (slow !== null && line.running === slow) advance(line)
        line.isWatched = lines.get(line.key) === line
        return line.isWatched
      })
    })
    const clock = Context.make(Clock.Clock, Context.get(context, Clock.Clock))
    Effect.runForkWith(clock)(Effect.repeat(look, { while: (isBusy) => isBusy }))
  }

  return (operation, ref) =>
    Effect.withFiber(({ context }) => {
      const key = Repository.key(ref)
      const line = lines.get(key) ?? { key, running: null, waiting: null, isWatched: false }
      if (line.waiting !== null) return Deferred.await(line.waiting.answer)
      const group = { answer: Deferred.makeUnsafe<A, E>(), context, statement: read(operation, ref) }
      line.waiting = group
      // In the same step: an interruption of this question must not leave the others without a read.
      if (line.running === null) {
        lines.set(key, line)
        serve(group, line)
      } else watch(line, context)
      return Deferred.await(group.answer)
    })
}

type Read<A, E> = (operation: string, ref: Repository.RepositoryRef) => Effect.Effect<A, E>

/** Questions that one read answers, in the context of the first of them. */
interface Group<A, E> {
  readonly answer: Deferred.Deferred<A, E>
  readonly context: Context.Context<never>
  readonly statement: Effect.Effect<A, E>
}

/** The questions about a repository: those whose read runs, and those that wait for the next one. */
interface Line<A, E> {
  readonly key: string
  running: Group<A, E> | null
  waiting: Group<A, E> | null
  isWatched: boolean
}
