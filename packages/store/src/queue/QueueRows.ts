/** The tables of merge queues. */
import { type MergeQueue, QueueCheck, QueueEvent } from "@lazaret/queue"
import { Schema } from "effect"
import type { Table } from "../driver/Table.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

/** A queue event with the fields that it is found by. */
export interface QueueEventRow extends Pick<QueueEvent.QueueEvent, "id" | "at" | "branch"> {
  readonly event: QueueEvent.QueueEvent
}

/** The logs of merge queues. */
export const queueEvents: Table<QueueEventRow> = {
  name: "queue_events",
  scope: "repository",
  columns: { id: "text", at: "instant", branch: "text", event: "json" },
  key: ["id"],
  ...rowsOf(Schema.Struct({ id: Str, at: Num, branch: Str, event: Schema.toType(QueueEvent.QueueEvent) }))
}

/** A merge queue as the fold has left it after the older events, and the version of the rules that folded it. */
export interface QueueBaseRow {
  readonly rules: number
  readonly queue: MergeQueue.MergeQueue
}

const CheckRun = Schema.Struct({
  round: Schema.NullOr(Str),
  checkType: QueueEvent.CheckType,
  pullRequest: Num,
  startedAt: Num,
  endedAt: Schema.NullOr(Num),
  endState: Schema.NullOr(QueueCheck.EndState),
  checks: Schema.Array(Schema.toType(QueueCheck.QueueCheck)),
  evaluatedConditions: Str
})

const BranchQueue = Schema.Struct({
  branch: Str,
  pullRequests: Schema.Array(
    Schema.Struct({ number: Num, queueRule: Str, priority: Num, queuedAt: Num, run: Schema.NullOr(CheckRun) })
  ),
  completed: Schema.Array(Schema.Struct({ pullRequest: Num, startedAt: Num, endedAt: Num }))
})

/** The starts of the folds of merge queues. */
export const queueBases: Table<QueueBaseRow> = {
  name: "queue_bases",
  scope: "repository",
  columns: { rules: "integer", queue: "json" },
  key: [],
  ...rowsOf(
    Schema.Struct({
      rules: Num,
      queue: Schema.Struct({
        last: Schema.NullOr(Schema.Struct({ at: Num, id: Str })),
        branches: Schema.Array(BranchQueue)
      })
    })
  )
}

/** The pause of a merge queue. */
export interface PauseRow {
  readonly reason: string
  readonly pausedAt: number
}

/** Pauses of merge queues. */
export const pauses: Table<PauseRow> = {
  name: "queue_pauses",
  scope: "repository",
  columns: { reason: "text", pausedAt: "instant" },
  key: [],
  ...rowsOf(Schema.Struct({ reason: Str, pausedAt: Num }))
}

/** The text of a configuration of merge queues, and the last valid one; null: none was, or it is not known. */
export interface ConfigurationRow {
  readonly configuration: string
  readonly lastValid: string | null
}

/** Configurations of merge queues. */
export const configurations: Table<ConfigurationRow> = {
  name: "queue_configurations",
  scope: "repository",
  columns: { configuration: "text", lastValid: "text" },
  key: [],
  ...rowsOf(Schema.Struct({ configuration: Str, lastValid: Schema.NullOr(Str) }))
}
