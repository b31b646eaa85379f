/** The facts that the recomputation starts from. */
import type { Execution, Report } from "@lazaret/domain"

/** One execution together with its run; `isForgotten` since retention forgot its test in this job. */
export interface Fact {
  readonly execution: Execution.Execution
  readonly run: Report.RunContext
  isForgotten: boolean
}

/** The name by which tests in jobs are distinct. */
export const nameOf = (
  testName: string,
  { jobName, pipelineName }: Pick<Report.RunContext, "jobName" | "pipelineName">
): string => JSON.stringify([testName, pipelineName, jobName])
