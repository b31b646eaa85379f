/**
 * What a server answers about a merge queue (interface 4.2), as far as it is shown. What else it says is kept, so that
 * programs get the answer as it came.
 *
 * @since 0.1.0
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

/**
 * The queues of a repository.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Queues = open({
  queues: Schema.Array(open({ branch: open({ name: Schema.String }), pull_requests: Schema.Array(PullRequest) }))
})

/**
 * The queues of a repository.
 *
 * @category models
 * @since 0.1.0
 */
export type Queues = typeof Queues.Type

/**
 * The pause, or none.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Pauses = open({
  queue_pause: Schema.Array(open({ reason: Schema.String, pause_date: Schema.String }))
})

/**
 * The pause, or none.
 *
 * @category models
 * @since 0.1.0
 */
export type Pauses = typeof Pauses.Type

/**
 * The answer to the end of a pause, which has no body.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Nothing = Schema.Null

/**
 * What became of a configuration file.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Kept = open({
  valid: Schema.Boolean,
  errors: Schema.Array(open({ location: Schema.String, message: Schema.String }))
})

/**
 * What became of a configuration file.
 *
 * @category models
 * @since 0.1.0
 */
export type Kept = typeof Kept.Type

/**
 * The rules in processing order.
 *
 * @category schemas
 * @since 0.1.0
 */
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

/**
 * The rules in processing order.
 *
 * @category models
 * @since 0.1.0
 */
export type Configuration = typeof Configuration.Type
