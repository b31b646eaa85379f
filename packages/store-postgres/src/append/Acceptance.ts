/** What a report must be to be stored. */
import type { Execution, Report } from "@lazaret/domain"
import { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import * as StorableText from "../StorableText.ts"
import { ordinalOf } from "./Uploads.ts"

/**
 * Refuses a report with a text that PostgreSQL cannot hold, or with an execution whose id is not that of the report with
 * an ordinal (`Report.make`): ids are kept as what they are made of.
 */
export const check = (operation: string, report: Report.Report): Effect.Effect<void, StoreError> =>
  Effect.suspend(() => {
    const foreign = report.executions.find((execution) => ordinalOf(report, execution) === null)
    if (foreign !== undefined) {
      const cause = new Error(`the id of an execution is not that of its report with an ordinal: ${foreign.id}`)
      return Effect.fail(new StoreError({ operation, reason: "invalid", cause }))
    }
    return StorableText.guard(operation, [...textsOfRun(report), ...unstorable(report.executions)])
  })

const textsOfRun = ({ digest, key, run }: Report.Report): ReadonlyArray<string | null> => [
  key,
  digest,
  run.pipelineName,
  run.jobName,
  run.branch,
  run.baseBranch,
  run.commit,
  run.runId,
  run.jobUrl,
  run.framework,
  run.frameworkVersion,
  run.language,
  run.pullRequest?.title ?? null,
  run.pullRequest?.user.login ?? null
]

/** The texts of executions that look unstorable: a quick look, since there may be hundreds of thousands. */
const unstorable = (executions: ReadonlyArray<Execution.Execution>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const look = (text: string | null): void => {
    if (text !== null && (text.includes("\0") || !text.isWellFormed())) found.push(text)
  }
  for (const { exception, filepath, functionName, testName } of executions) {
    look(testName)
    look(filepath)
    look(functionName)
    if (exception === null) continue
    look(exception.type)
    look(exception.message)
    look(exception.stacktrace)
  }
  return found
}
