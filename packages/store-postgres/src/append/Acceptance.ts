/** The conditions that a report must meet to be stored. */
import type { Report } from "@lazaret/domain"
import { Slices, StoreError } from "@lazaret/store"
import { Effect } from "effect"
import { ordinalsOf } from "./Uploads.ts"

/**
 * Refuses a report with an execution whose id is not `{report id}.{ordinal}` (`Report.make`): the store keeps the two
 * parts, not the id.
 */
export const check = Effect.fnUntraced(function* (operation: string, report: Report.Report) {
  const ordinalOf = ordinalsOf(report)
  const isOwn = yield* Slices.every(report.executions, 16_384, (execution) => ordinalOf(execution) !== null)
  if (isOwn) return
  const cause = new Error(`the id of an execution is not that of its report with an ordinal: ${report.id}`)
  return yield* new StoreError({ operation, reason: "invalid", cause })
})
