/** The rules by which job runs are read for missing tests. */
import { MissingFacts, ShardNames, Text } from "@lazaret/domain"

/** A job by its names. */
export interface Job {
  readonly pipelineName: string
  readonly jobName: string
}

/** Jobs in the groups in which they are judged, in the order of pipelines, then names. */
export const groupsOf = <J extends Job>(jobs: ReadonlyArray<J>): ReadonlyArray<ReadonlyArray<J>> =>
  [...Map.groupBy(jobs, ({ pipelineName }) => pipelineName)]
    .sort(([a], [b]) => Text.compare(a, b))
    .flatMap(([, list]) => {
      const byName = new Map(list.map((job) => [job.jobName, job]))
      return ShardNames.groups([...byName.keys()]).map((names) => names.flatMap((name) => byName.get(name) ?? []))
    })

/** The names of tests as an answer has them: in code-point order, not more than the bound. */
export const namesOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.toSorted(Text.compare).slice(0, MissingFacts.bounds.names)

/** The jobs with the latest runs, not more than the bound; those without a run are left out. */
export const latest = <J extends Job>(jobs: ReadonlyArray<J>, lastOf: (job: J) => number | null): ReadonlyArray<J> =>
  jobs
    .flatMap((job) => {
      const last = lastOf(job)
      return last === null ? [] : [{ job, last }]
    })
    .sort(
      (a, b) =>
        b.last - a.last ||
        Text.compare(a.job.pipelineName, b.job.pipelineName) ||
        Text.compare(a.job.jobName, b.job.jobName)
    )
    .slice(0, MissingFacts.bounds.jobs)
    .map(({ job }) => job)
