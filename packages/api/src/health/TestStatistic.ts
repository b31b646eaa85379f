/** Statistics on the wire: of one test (interface 2.5, 4.1.3) and of a repository (interface 2.10, 4.1.12). */
import { Statistic } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

const seriesOf = <V extends Schema.Constraint>(value: V, bucket: string) => ({
  value,
  value_over_time: Schema.Array(
    Schema.Struct({ start: Timestamp, end: Timestamp, value }).annotate({ identifier: bucket })
  )
})

const counts = seriesOf(Schema.Int, "CountBucket")

/** A count over time (interface 2.5). */
export const CountStatistic = Schema.Struct({
  ...counts,
  stat: Schema.Literals(["success_count", "failure_count", "flaky_count"])
}).annotate({ identifier: "CountStatistic", description: "A count over the window and per bucket." })

/** A mean duration in seconds over time (interface 2.5). */
export const DurationStatistic = Schema.Struct({
  ...seriesOf(Schema.Finite, "DurationBucket"),
  stat: Schema.Literal("mean_duration")
}).annotate({
  identifier: "DurationStatistic",
  description: "A mean duration in seconds over the window and per bucket."
})

/** A statistic of one test, told apart by `stat` (interface 2.5). */
export const TestStatistic = Schema.Union([CountStatistic, DurationStatistic])

/** A statistic of a repository (interface 2.10). */
export const RepositoryStatistic = Schema.Struct({ ...counts, stat: Statistic.RepositoryStatistic }).annotate({
  identifier: "RepositoryStatistic",
  description: "A statistic now, and failed executions per day."
})
