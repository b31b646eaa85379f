/** The version of everything that is stored of a repository. */
import { Repository } from "@lazaret/domain"
import { Deferred, Effect, Option } from "effect"
import type { Sql } from "./Session.ts"

/**
 * The version of a repository, none when it does not exist. One statement reads its parts at one moment.
 *
 * It holds the number of the repository, which another repository of the same name, created after a removal, does not have.
 */
export const select = (sql: Sql, repositoryId: number) =>
  Effect.map(
    sql<{ readonly executions: number; readonly rows: number }>`
      SELECT coalesce(h.version, 0) AS executions, coalesce(e.version, 0) AS rows
      FROM repositories r
      LEFT JOIN repository_heads h ON h.repository_id = ${repositoryId}
      LEFT JOIN event_heads e ON e.repository_id = ${repositoryId}
      WHERE r.repository_id = ${repositoryId}`,
    ([row]) =>
      Option.map(Option.fromUndefinedOr(row), ({ executions, rows }) => `${repositoryId}.${executions}.${rows}`)
  )

/**
 * Shares reads between questions about the same repository: a question that comes while a read runs waits for the next one, with
 * all others that come until that begins. So every read begins after the questions that it answers.
 *
 * **Details**
 *
 * A read that takes longer than a second delays no other one: its connection may be dead.
 */
export const sharing = <A, E>(read: Read<A, E>): Read<A, E> => {
  /** The repositories of which a read runs or is about to; the answer of the next one, null while nobody waits for it. */
  const next = new Map<string, Deferred.Deferred<A, E> | null>()

  const serve = Effect.fnUntraced(function* (key: string, statement: Effect.Effect<A, E>) {
    for (let asked = next.get(key); asked !== undefined && asked !== null; asked = next.get(key)) {
      const answer = asked
      // The questions that arrived in the same turn of the event loop come first.
      yield* Effect.yieldNow
      next.set(key, null)
      yield* Effect.forkDetach(Effect.onExit(statement, (exit) => Deferred.done(answer, exit)))
      yield* Effect.timeoutOption(Effect.exit(Deferred.await(answer)), "1 second")
    }
    next.delete(key)
  })

  return (operation, ref) =>
    Effect.withFiber(({ context }) => {
      const key = Repository.key(ref)
      const waiting = next.get(key)
      if (waiting !== undefined && waiting !== null) return Deferred.await(waiting)
      const answer = Deferred.makeUnsafe<A, E>()
      next.set(key, answer)
      // In the same step: an interruption of this question must not leave the others without a read.
      if (waiting === undefined) Effect.runForkWith(context)(serve(key, read(operation, ref)))
      return Deferred.await(answer)
    })
}

type Read<A, E> = (operation: string, ref: Repository.RepositoryRef) => Effect.Effect<A, E>
