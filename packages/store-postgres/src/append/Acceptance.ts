/** The conditions that a report must meet to be stored. */
import type { Report } from "@lazaret/domain"
import { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import { ordinalOf } from "./Uploads.ts"

/**
 * Refuses a report with an execution whose id is not `{report id}.{ordinal}` (`Report.make`): the store keeps the two
 * parts, not the id.
 */
export const check = (operation: string, report: Report.Report): Effect.Effect<void, StoreError> =>
  Effect.suspend(() => {
    const foreign = report.executions.find((execution) => ordinalOf(report, execution) === null)
    if (foreign === undefined) return Effect.void
    const cause = new Error(`the id of an execution is not that of its report with an ordinal: ${foreign.id}`)
    return Effect.fail(new StoreError({ operation, reason: "invalid", cause }))
  })
