/**
 * What a server answers about a merge queue (interface 4.2), as far as it is shown. What else it says is kept, so that
 * programs get the answer as it came.
 */
import { Schema } from "effect"
import { open } from "./Answer.ts"

const PullRequest = open({
  number: Schema.Number,
  position: Schema.Int,
  priority_alias: Schema.String,
  queue_rule: open({ name: Schema.String }),
  mergeability_check: Schema.NullOr(open({ state: Schema.String })),
  estimated_time_of_merge: Schema.NullOr(Schema.String)
})

/** The queues of a repository. */
export const Queues = open({
  queues: Schema.Array(open({ branch: open({ name: Schema.String }), pull_requests: Schema.Array(PullRequest) }))
})

/** The queues of a repository. */
export type Queues = typeof Queues.Type

/** The pause, or none. */
export const Pauses = open({
  queue_pause: Schema.Array(open({ reason: Schema.String, pause_date: Schema.String }))
})

/** The pause, or none. */
export type Pauses = typeof Pauses.Type

/** The answer to the end of a pause, which has no body. */
export const Nothing = Schema.Null

/** What became of a configuration file. */
export const Kept = open({
  valid: Schema.Boolean,
  errors: Schema.Array(open({ location: Schema.String, message: Schema.String }))
})

/** What became of a configuration file. */
export type Kept = typeof Kept.Type

/** The rules in processing order. */
export const Configuration = open({
  configuration: Schema.Array(
    open({
      name: Schema.String,
      config: open({
        batch_size: Schema.Int,
        batch_max_wait_time: Schema.Int,
        checks_timeout: Schema.NullOr(Schema.Int),
        merge_method: Schema.String
      })
    })
  )
})

/** The rules in processing order. */
export type Configuration = typeof Configuration.Type
