/** The place in own code at which an execution failed (`StackFrame.placeOf`). */

/** Adds the column, which is null for failures that were recorded before: their stack traces are not kept. */
export const frames: ReadonlyArray<string> = [
  `
    ALTER TABLE failed_executions
      ADD COLUMN frame text COLLATE "C"`
]
