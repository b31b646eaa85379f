/** The order of the outages of a repository. */
import { Text } from "@lazaret/domain"
import type { OutageRun } from "./TestStore.ts"

/** The latest first; of one instant in the order of pipeline, job, run, attempt and commit. */
export const order = (a: OutageRun, b: OutageRun): number =>
  b.at - a.at ||
  Text.compare(a.pipelineName, b.pipelineName) ||
  Text.compare(a.jobName, b.jobName) ||
  Text.compare(a.runId, b.runId) ||
  a.runAttempt - b.runAttempt ||
  Text.compare(a.commit, b.commit)
