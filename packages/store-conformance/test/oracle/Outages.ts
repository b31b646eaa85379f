/** The oracle on outages (3.3): which failures say nothing about their test. */
import { Outage } from "@lazaret/domain"
import { compareText, defaultRuns, type Facts, type Run } from "./Facts.ts"

type Policy = Outage.OutagePolicy

/** All uploads of one pipeline, job, run id, attempt, commit and branch are one report. */
interface Whole {
  readonly name: string
  readonly sample: Run
  readonly members: ReadonlyArray<Run>
  readonly finish: number
}

const nameOf = ({ run }: Run): string =>
  [run.pipelineName, run.jobName, run.runId, String(run.runAttempt), run.commit, run.branch ?? ""].join("\0")

const wholesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<Whole> => {
  const named = runs.map((run) => ({ name: nameOf(run), run }))
  return Array.from(new Map(named.map(({ name, run }) => [name, run])), ([name, sample]) => {
    const members = named.filter((other) => other.name === name).map(({ run }) => run)
    return { name, sample, members, finish: Math.max(...members.map(({ execution }) => execution.at)) }
  }).toSorted((a, b) => a.finish - b.finish || compareText(a.name, b.name))
}

const isOutage = ({ members }: Whole, policy: Policy): boolean => {
  const failed = members.filter(({ execution }) => execution.conclusion === "failed").length
  const passed = members.filter(({ execution }) => execution.conclusion === "passed").length
  const isMany = failed >= policy.failedTests && failed / (passed + failed) >= policy.failedShare
  return isMany || (passed === 0 && failed >= policy.allFailed)
}

/** The report before it, by finish, of the same pipeline and job, on another commit. */
const predecessorOf = ({ name, sample }: Whole, inOrder: ReadonlyArray<Whole>): Whole | undefined =>
  inOrder
    .slice(
      0,
      inOrder.findIndex((other) => other.name === name)
    )
    .filter(({ sample: { run } }) => run.pipelineName === sample.run.pipelineName && run.jobName === sample.run.jobName)
    .findLast(({ sample: { run } }) => run.commit !== sample.run.commit)

/** The failed executions of the default branch that do not count in health. */
export const excusedOf = (facts: Facts): ReadonlySet<Run["execution"]> => {
  const policy = { ...Outage.defaults, ...facts.settings.outage }
  const wholes = wholesOf(defaultRuns(facts))
  const excused = wholes.filter((whole) => {
    const predecessor = predecessorOf(whole, wholes)
    return isOutage(whole, policy) && (predecessor === undefined || !isOutage(predecessor, policy))
  })
  const executions = excused.flatMap(({ members }) => members.map(({ execution }) => execution))
  return new Set(executions.filter(({ conclusion }) => conclusion === "failed"))
}
