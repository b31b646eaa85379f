/** Rounds: work that is done in the background, as long as there is some, and then at intervals. */
import { Effect, Schedule, type Scope } from "effect"

/** A round yields how many pieces of work it took on. `failure` is the line of the log when a round fails. */
export interface Options<E, R> {
  readonly round: Effect.Effect<number, E, R>
  readonly every: number
  readonly failure: string
}

/** Runs rounds until the scope closes, and continues at once while they find work; a failure ends no later round. */
export const fork = <E, R>({
  every,
  failure,
  round
}: Options<E, R>): Effect.Effect<unknown, never, R | Scope.Scope> => {
  const safe = Effect.catchCause(round, (cause) => Effect.as(Effect.logWarning(failure, cause), 0))
  const rest = Effect.repeat(Effect.tap(safe, Effect.yieldNow), { while: (done) => done > 0 })
  return Effect.forkScoped(Effect.repeat(rest, Schedule.spaced(every)))
}
