/** The key of a request, for operations that accept no other credential. */
import { Principal, Problem } from "@lazaret/api"
import type { ApplicationKey } from "@lazaret/domain"
import { Effect } from "effect"

/** The key of the request. */
export const key = Effect.flatMap(
  Principal,
  (caller): Effect.Effect<ApplicationKey.ApplicationKey, Problem.Forbidden> =>
    caller.key === null ? Effect.fail(Problem.forbidden) : Effect.succeed(caller.key)
)
