/** The documented routes that the dashboard reads, by what they are for. */
import type { Repository } from "../Places.ts"

type Query = Readonly<Record<string, string | number | ReadonlyArray<string> | null | undefined>>

const withQuery = (path: string, query: Query): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === null || value === undefined ? [] : [value].flat()) search.append(name, String(each))
  }
  const text = search.toString()
  return text === "" ? path : `${path}?${text}`
}

/** Where everything about the tests of a repository is. */
export const ci = ({ owner, repository }: Repository): string =>
  `/v1/ci/${encodeURIComponent(owner)}/repositories/${encodeURIComponent(repository)}`

/** Where everything about the merge queue of a repository is. */
export const queueOf = ({ owner, repository }: Repository): string =>
  `/v1/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`

export const repositories = (query: Query = {}): string => withQuery("/v1/repositories", query)

export const searchTests = (of: Repository, query: Query | URLSearchParams): string =>
  query instanceof URLSearchParams
    ? `${ci(of)}/search/tests?${query.toString()}`
    : withQuery(`${ci(of)}/search/tests`, query)

export const repositoryStatistic = (of: Repository, stat: string): string => `${ci(of)}/tests/stats/${stat}`

export const test = (of: Repository, testId: string): string => `${ci(of)}/tests/${testId}`

export const testStatistic = (of: Repository, testId: string, stat: string, query: Query): string =>
  withQuery(`${test(of, testId)}/stats/${stat}`, query)

export const transitions = (of: Repository, testId: string, query: Query): string =>
  withQuery(`${test(of, testId)}/health-transitions`, query)

export const failures = (of: Repository, testId: string): string => `${test(of, testId)}/failures`

export const failure = (of: Repository, testId: string, failureId: string): string =>
  `${failures(of, testId)}/${failureId}`

export const executions = (of: Repository, testId: string, query: Query): string =>
  withQuery(`${test(of, testId)}/executions`, query)

export const explain = (of: Repository, testId: string): string => `${test(of, testId)}/explain`

export const quarantines = (of: Repository, query: Query = {}): string => withQuery(`${ci(of)}/quarantines`, query)

export const quarantine = (of: Repository, id: string): string => `${ci(of)}/quarantines/${id}`

export const events = (of: Repository, query: Query): string => withQuery(`${ci(of)}/events`, query)

export const checkQuarantines = (of: Repository): string => `${ci(of)}/quarantines/check`

export const settings = (of: Repository): string => `${ci(of)}/settings`

export const queues = (of: Repository): string => `${queueOf(of)}/queues`

export const queueRules = (of: Repository): string => `${queueOf(of)}/queues/configuration`

export const queuePause = (of: Repository): string => `${queueOf(of)}/merge-queue/pause`

/** The public picture of a repository, or of one of its tests. */
export const badge = ({ owner, repository }: Repository, testId?: string): string => {
  const path = `/badges/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`
  return testId === undefined ? `${path}.svg` : `${path}/tests/${testId}.svg`
}
