/** The tables of the engines of merge queues. */
import { EngineEvent, type EngineState } from "@lazaret/queue"
import { Schema } from "effect"
import type { Table } from "../driver/Table.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

/** An event of an engine with the base branch of the engine. */
export interface EngineEventRow extends EngineEvent.Logged {
  readonly branch: string
}

/** The logs of engines. */
export const engineEvents: Table<EngineEventRow> = {
  name: "engine_events",
  scope: "repository",
  columns: { branch: "text", seq: "integer", at: "instant", event: "json" },
  key: ["branch", "seq"],
  ...rowsOf(Schema.Struct({ branch: Str, seq: Num, at: Num, event: Schema.toType(EngineEvent.EngineEvent) }))
}

/** The fold of the log of an engine by the rules of a version. */
export interface EngineStateRow {
  readonly branch: string
  readonly rules: number
  readonly state: EngineState.EngineState
}

/** A snapshot is as the fold of the version in its row has made it; those of other versions are not used. */
const Snapshot = Schema.declare(
  (value): value is EngineState.EngineState => typeof value === "object" && value !== null
)

/** The snapshots of engines. */
export const engineStates: Table<EngineStateRow> = {
  name: "engine_states",
  scope: "repository",
  columns: { branch: "text", rules: "integer", state: "json" },
  key: ["branch"],
  ...rowsOf(Schema.Struct({ branch: Str, rules: Num, state: Snapshot }))
}

/** An engine: when it is due (null: not before it is woken), until when it acts, and the holder and end of its lease. */
export interface EngineRow {
  readonly branch: string
  readonly nextAt: number | null
  readonly actingUntil: number
  readonly lease: string | null
  readonly leasedUntil: number
}

/** Engines. */
export const engines: Table<EngineRow> = {
  name: "engines",
  scope: "repository",
  columns: {
    branch: "text",
    nextAt: "instant",
    actingUntil: "instant",
    lease: "text",
    leasedUntil: "instant"
  },
  key: ["branch"],
  ...rowsOf(
    Schema.Struct({
      branch: Str,
      nextAt: Schema.NullOr(Num),
      actingUntil: Num,
      lease: Schema.NullOr(Str),
      leasedUntil: Num
    })
  )
}
