/**
 * The routes that the dashboard reads and writes. A path carries the type of its operation: path template, query and
 * response follow from the definition of the API, so that a wrong pair does not compile.
 */
import type { Operations } from "@lazaret/api"
import type { Repository, Subject } from "../Places.ts"

declare const operation: unique symbol

/** The address of an operation, typed by its id. */
export type Path<Op extends keyof Operations> = string & { readonly [operation]: Op }

type Names<Template extends string> = Template extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : Template extends `${string}:${infer Name}`
    ? Name
    : never

type Params<Op extends keyof Operations> = { readonly [Name in Names<Operations[Op]["path"]>]: string }

type Value = string | number | ReadonlyArray<string> | null | undefined

type Query<Op extends keyof Operations> = { readonly [Name in keyof Operations[Op]["query"]]?: Value }

/** Fills the template of an operation's path, and appends the parameters of its query that have a value. */
export const route = <Op extends keyof Operations>(
  template: Operations[Op]["path"],
  params: Params<Op>,
  query: Query<Op> | URLSearchParams = {}
): Path<Op> => {
  const values: { readonly [name: string]: string } = params
  const path = template.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(values[name] ?? ""))
  const text = (query instanceof URLSearchParams ? query : searchOf(query)).toString()
  // The mark exists in types only.
  return (text === "" ? path : `${path}?${text}`) as Path<Op>
}

const searchOf = (query: { readonly [name: string]: Value }): URLSearchParams => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === null || value === undefined ? [] : [value].flat()) search.append(name, String(each))
  }
  return search
}

/** The prefix of every address of a repository's tests. */
export const ci = ({ owner, repository }: Repository): string =>
  `/v1/ci/${encodeURIComponent(owner)}/repositories/${encodeURIComponent(repository)}`

/** The prefix of every address of a repository's merge queue. */
export const queueOf = ({ owner, repository }: Repository): string =>
  `/v1/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`

export const application = route<"getApplication">("/v1/application", {})

export const signIn = route<"signIn">("/session", {})

export const signInWays = route<"getSignInWays">("/session", {})

export const signOut = route<"signOut">("/session", {})

export const repositories = (query: Query<"listRepositories"> = {}) =>
  route<"listRepositories">("/v1/repositories", {}, query)

export const removeRepository = (of: Repository) =>
  route<"removeRepository">("/v1/ci/:owner/repositories/:repository", of)

export const searchTests = (of: Repository, query: Query<"searchTests"> | URLSearchParams) =>
  route<"searchTests">("/v1/ci/:owner/repositories/:repository/search/tests", of, query)

export const tests = (of: Repository, query: Query<"listTests"> | URLSearchParams) =>
  route<"listTests">("/v1/ci/:owner/repositories/:repository/tests", of, query)

export const summary = (of: Repository) => route<"getSummary">("/v1/ci/:owner/repositories/:repository/summary", of)

export const trend = (of: Repository) => route<"getTrend">("/v1/ci/:owner/repositories/:repository/trend", of)

export const outages = (of: Repository, query: Query<"listOutages">) =>
  route<"listOutages">("/v1/ci/:owner/repositories/:repository/outages", of, query)

export const causes = (of: Repository, query: Query<"listCauses">) =>
  route<"listCauses">("/v1/ci/:owner/repositories/:repository/causes", of, query)

export const slower = (of: Repository) => route<"listSlower">("/v1/ci/:owner/repositories/:repository/slower", of)
export const losses = (of: Repository, query: Query<"listLosses">) =>
  route<"listLosses">("/v1/ci/:owner/repositories/:repository/losses", of, query)

export const costs = (of: Repository, query: Query<"listCosts">) =>
  route<"listCosts">("/v1/ci/:owner/repositories/:repository/costs", of, query)

export const cause = (of: Repository, cause_id: string) =>
  route<"getCause">("/v1/ci/:owner/repositories/:repository/causes/:cause_id", { ...of, cause_id })

export const causeChange = (of: Repository, cause_id: string) =>
  route<"getCauseChange">("/v1/ci/:owner/repositories/:repository/causes/:cause_id/change", { ...of, cause_id })

export const changeCause = (of: Repository, cause_id: string) =>
  route<"changeCause">("/v1/ci/:owner/repositories/:repository/causes/:cause_id", { ...of, cause_id })

export const quarantineCause = (of: Repository, cause_id: string) =>
  route<"quarantineCause">("/v1/ci/:owner/repositories/:repository/causes/:cause_id/quarantine", { ...of, cause_id })

export const branchTests = (of: Repository, query: Query<"listBranchTests">) =>
  route<"listBranchTests">("/v1/ci/:owner/repositories/:repository/branch-tests", of, query)

export const test = (of: Repository, test_id: string) =>
  route<"getTest">("/v1/ci/:owner/repositories/:repository/tests/:test_id", { ...of, test_id })

export const ownerList = (of: Repository) => route<"listOwners">("/v1/ci/:owner/repositories/:repository/owners", of)

export const removeTest = (of: Repository, test_id: string) =>
  route<"removeTest">("/v1/ci/:owner/repositories/:repository/tests/:test_id", { ...of, test_id })

export const testAliases = (of: Repository, query: Query<"listTestAliases">) =>
  route<"listTestAliases">("/v1/ci/:owner/repositories/:repository/test-aliases", of, query)

export const createTestAliases = (of: Repository) =>
  route<"createTestAliases">("/v1/ci/:owner/repositories/:repository/test-aliases", of)

export const revokeTestAlias = (of: Repository, alias_id: string) =>
  route<"revokeTestAlias">("/v1/ci/:owner/repositories/:repository/test-aliases/:alias_id", { ...of, alias_id })

export const owners = (of: Repository, test_id: string) =>
  route<"getTestOwners">("/v1/ci/:owner/repositories/:repository/tests/:test_id/owners", { ...of, test_id })

export const issues = (of: Repository, query: Query<"listIssues"> = {}) =>
  route<"listIssues">("/v1/ci/:owner/repositories/:repository/issues", of, query)

export const testStatistic = (
  of: Repository,
  { stat, testId }: { readonly testId: string; readonly stat: string },
  query: Query<"getTestStatistic">
) =>
  route<"getTestStatistic">(
    "/v1/ci/:owner/repositories/:repository/tests/:test_id/stats/:stat",
    { ...of, test_id: testId, stat },
    query
  )

export const transitions = (of: Repository, test_id: string, query: Query<"getHealthTransitions">) =>
  route<"getHealthTransitions">(
    "/v1/ci/:owner/repositories/:repository/tests/:test_id/health-transitions",
    { ...of, test_id },
    query
  )

export const failures = (of: Repository, test_id: string) =>
  route<"listTestFailures">("/v1/ci/:owner/repositories/:repository/tests/:test_id/failures", { ...of, test_id })

export const failure = (of: Repository, test_id: string, failure_id: string) =>
  route<"getTestFailure">("/v1/ci/:owner/repositories/:repository/tests/:test_id/failures/:failure_id", {
    ...of,
    test_id,
    failure_id
  })

export const executions = (of: Repository, test_id: string, query: Query<"listTestExecutions">) =>
  route<"listTestExecutions">(
    "/v1/ci/:owner/repositories/:repository/tests/:test_id/executions",
    { ...of, test_id },
    query
  )

export const testChange = (of: Repository, test_id: string) =>
  route<"getTestChange">("/v1/ci/:owner/repositories/:repository/tests/:test_id/change", { ...of, test_id })

export const stressRuns = (of: Repository, test_id: string) =>
  route<"listStressRuns">("/v1/ci/:owner/repositories/:repository/tests/:test_id/stress-runs", { ...of, test_id })

export const explain = (of: Repository, test_id: string) =>
  route<"explainTest">("/v1/ci/:owner/repositories/:repository/tests/:test_id/explain", { ...of, test_id })

/** The verdicts on the failures of a commit, a run or a pull request; the three operations answer alike. */
export const judgedFailures = (of: Repository, { id, kind }: Subject, query: Query<"listCommitFailures">) => {
  switch (kind) {
    case "commit":
      return route<"listCommitFailures">(
        "/v1/ci/:owner/repositories/:repository/commits/:commit/failures",
        { ...of, commit: id },
        query
      )
    case "run":
      return route<"listRunFailures">(
        "/v1/ci/:owner/repositories/:repository/runs/:run_id/failures",
        { ...of, run_id: id },
        query
      )
    case "pull":
      return route<"listPullRequestFailures">(
        "/v1/ci/:owner/repositories/:repository/pulls/:number/failures",
        { ...of, number: id },
        query
      )
  }
}

/** The commits, or the latest commit of each pull request; both operations answer alike. */
export const commits = (of: Repository, kind: "commits" | "pulls", query: Query<"listCommits">) =>
  kind === "commits"
    ? route<"listCommits">("/v1/ci/:owner/repositories/:repository/commits", of, query)
    : route<"listPullRequests">("/v1/ci/:owner/repositories/:repository/pulls", of, query)

export const verdictPrecision = (of: Repository) =>
  route<"getVerdictPrecision">("/v1/ci/:owner/repositories/:repository/failures/precision", of)

export const markFailure = (of: Repository, test_id: string, execution_id: string) =>
  route<"markFailure">("/v1/ci/:owner/repositories/:repository/tests/:test_id/executions/:execution_id/mark", {
    ...of,
    test_id,
    execution_id
  })

export const quarantines = (of: Repository, query: Query<"listQuarantines"> = {}) =>
  route<"listQuarantines">("/v1/ci/:owner/repositories/:repository/quarantines", of, query)

export const createQuarantine = (of: Repository) =>
  route<"createQuarantine">("/v1/ci/:owner/repositories/:repository/quarantines", of)

export const deleteQuarantine = (of: Repository, quarantine_id: string) =>
  route<"deleteQuarantine">("/v1/ci/:owner/repositories/:repository/quarantines/:quarantine_id", {
    ...of,
    quarantine_id
  })

export const lifeOf = (of: Repository, quarantine_id: string) =>
  route<"getQuarantineLife">("/v1/ci/:owner/repositories/:repository/quarantines/:quarantine_id/life", {
    ...of,
    quarantine_id
  })

export const quarantineLife = (of: Repository, quarantine_id: string) =>
  route<"changeQuarantineLife">("/v1/ci/:owner/repositories/:repository/quarantines/:quarantine_id/life", {
    ...of,
    quarantine_id
  })

export const quarantineDebt = (of: Repository) =>
  route<"getQuarantineDebt">("/v1/ci/:owner/repositories/:repository/quarantine-debt", of)

export const events = (of: Repository, query: Query<"listEvents">) =>
  route<"listEvents">("/v1/ci/:owner/repositories/:repository/events", of, query)

export const notifiers = (of: Repository) =>
  route<"listNotifiers">("/v1/ci/:owner/repositories/:repository/notifiers", of)

export const createNotifier = (of: Repository) =>
  route<"createNotifier">("/v1/ci/:owner/repositories/:repository/notifiers", of)

export const deleteNotifier = (of: Repository, notifier_id: string) =>
  route<"deleteNotifier">("/v1/ci/:owner/repositories/:repository/notifiers/:notifier_id", { ...of, notifier_id })

export const testNotifier = (of: Repository, notifier_id: string) =>
  route<"testNotifier">("/v1/ci/:owner/repositories/:repository/notifiers/:notifier_id/test", { ...of, notifier_id })

export const settings = (of: Repository) => route<"getSettings">("/v1/ci/:owner/repositories/:repository/settings", of)

export const changeSettings = (of: Repository) =>
  route<"changeSettings">("/v1/ci/:owner/repositories/:repository/settings", of)

export const connection = (of: Repository) =>
  route<"getRepositoryConnection">("/v1/ci/:owner/repositories/:repository/connection", of)

export const backfill = (of: Repository) =>
  route<"backfillRepository">("/v1/ci/:owner/repositories/:repository/backfill", of)

export const gitHubApp = route<"getGitHubApp">("/v1/github/app", {})

export const createGitHubApp = route<"createGitHubApp">("/v1/github/app", {})

export const deleteGitHubApp = route<"deleteGitHubApp">("/v1/github/app", {})

export const applicationKeys = (query: Query<"listApplicationKeys"> = {}) =>
  route<"listApplicationKeys">("/v1/application-keys", {}, query)

export const createApplicationKey = route<"createApplicationKey">("/v1/application-keys", {})

export const revokeApplicationKey = (key_id: string) =>
  route<"revokeApplicationKey">("/v1/application-keys/:key_id", { key_id })

export const audit = (query: Query<"listAudit"> = {}) => route<"listAudit">("/v1/audit", {}, query)

export const sessions = route<"listSessions">("/v1/sessions", {})

export const roles = route<"listRoles">("/v1/roles", {})

export const wideNotifiers = route<"listWideNotifiers">("/v1/notifiers", {})

export const createWideNotifier = route<"createWideNotifier">("/v1/notifiers", {})

export const deleteWideNotifier = (notifier_id: string) =>
  route<"deleteWideNotifier">("/v1/notifiers/:notifier_id", { notifier_id })

export const testWideNotifier = (notifier_id: string) =>
  route<"testWideNotifier">("/v1/notifiers/:notifier_id/test", { notifier_id })

export const setRole = route<"setRole">("/v1/roles", {})

export const removeRole = (role_id: string) => route<"removeRole">("/v1/roles/:role_id", { role_id })

export const revokeSession = (session_id: string) => route<"revokeSession">("/v1/sessions/:session_id", { session_id })

/** The audit log as a file. */
export const auditExport = route<"exportAudit">("/v1/audit/export", {})

export const queues = (of: Repository) => route<"getQueues">("/v1/repos/:owner/:repository/queues", of)

export const queueRules = (of: Repository) =>
  route<"getQueuesConfiguration">("/v1/repos/:owner/:repository/queues/configuration", of)

export const queuePause = (of: Repository) =>
  route<"getMergeQueuePause">("/v1/repos/:owner/:repository/merge-queue/pause", of)

export const queueEngines = (of: Repository) =>
  route<"getMergeQueueEngine">("/v1/repos/:owner/:repository/merge-queue/engine", of)

export const queueLog = (of: Repository, branch: string) =>
  route<"listMergeQueueLog">("/v1/repos/:owner/:repository/merge-queue/log", of, { branch, per_page: 20 })

export const queueHistory = (of: Repository, number: string) =>
  route<"getMergeQueueHistory">("/v1/repos/:owner/:repository/merge-queue/pull/:number/history", { ...of, number })

export const pauseQueue = (of: Repository) =>
  route<"pauseMergeQueue">("/v1/repos/:owner/:repository/merge-queue/pause", of)

export const unpauseQueue = (of: Repository) =>
  route<"unpauseMergeQueue">("/v1/repos/:owner/:repository/merge-queue/pause", of)

/** The public picture of a repository, or of one of its tests. */
export const badge = ({ owner, repository }: Repository, testId?: string): string => {
  const path = `/badges/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`
  return testId === undefined ? `${path}.svg` : `${path}/tests/${testId}.svg`
}
