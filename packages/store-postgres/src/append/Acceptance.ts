/** What a report must be to be stored. */
import type { Report } from "@lazaret/domain"
import { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import { ordinalOf } from "./Uploads.ts"

/**
 * Refuses a report with an execution whose id is not that of the report with an ordinal (`Report.make`): ids are kept as
 * what they are made of.
 */
export const check = (operation: string, report: Report.Report): Effect.Effect<void, StoreError> =>
  Effect.suspend(() => {
    const foreign = report.executions.find((execution) => ordinalOf(report, execution) === null)
    if (foreign === undefined) return Effect.void
    const cause = new Error(`the id of an execution is not that of its report with an ordinal: ${foreign.id}`)
    return Effect.fail(new StoreError({ operation, reason: "invalid", cause }))
  })
