/** Checks of a queued pull request and the states they can be in (interface 2.11, 3.1). */
import { Schema } from "effect"
import { Text } from "@lazaret/domain"

/** The states of a check that has come to an end (interface 3.1 without `pending`). */
export const EndState = Schema.Literals([
  "failure",
  "error",
  "cancelled",
  "action_required",
  "timed_out",
  "neutral",
  "skipped",
  "stale",
  "success"
])

/** The state of a check that has come to an end. */
export type EndState = typeof EndState.Type

/** The states of a check (interface 3.1). */
export const State = Schema.Literals([...EndState.literals, "pending"])

/** The state of a check (interface 3.1). */
export type State = typeof State.Type

/**
 * Schemas of the fields of a check (interface 2.11).
 *
 * **Details**
 *
 * `url` is the check's own page, `detailsUrl` the one of an external integrator, which not every feed knows.
 */
export const fields = {
  name: Text.between(1, 1000),
  description: Text.between(0, 10_000),
  url: Schema.NullOr(Text.Address),
  detailsUrl: Schema.optionalKey(Schema.NullOr(Text.Address)),
  state: State,
  avatarUrl: Schema.NullOr(Text.Address)
}

/** Schema of a check in a queue event; the log keeps the keys of the feeds. */
export const QueueCheck = Schema.Struct(fields).pipe(
  Schema.encodeKeys({ detailsUrl: "details_url", avatarUrl: "avatar_url" })
)

/** A check (interface 2.11). */
export type QueueCheck = typeof QueueCheck.Type

const severity: Record<State, number> = {
  skipped: 0,
  neutral: 1,
  success: 2,
  pending: 3,
  stale: 4,
  cancelled: 5,
  action_required: 6,
  timed_out: 7,
  error: 8,
  failure: 9
}

/**
 * The state of several checks together: the one that weighs most.
 *
 * **Details**
 *
 * `failure` > `error` > `timed_out` > `action_required` > `cancelled` > `stale` > `pending` > `success` > `neutral` >
 * `skipped`: one failure decides before the others are in, and one that runs keeps the rest open. No check at all is
 * `pending`: nothing has been reported yet (our choice, see `docs/explanation/what-is-not-specified.md`).
 *
 * @example
 * ```ts
 * import { QueueCheck } from "@lazaret/queue"
 *
 * QueueCheck.combine(["success", "skipped"]) // => "success"
 * QueueCheck.combine(["success", "pending"]) // => "pending"
 * QueueCheck.combine(["pending", "failure"]) // => "failure"
 * QueueCheck.combine([]) // => "pending"
 * ```
 */
export const combine = (states: ReadonlyArray<State>): State =>
  states.length === 0
    ? "pending"
    : states.reduce((worst, state) => (severity[state] > severity[worst] ? state : worst), "skipped")
