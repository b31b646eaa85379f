/** Why one identity of a test has its status. */
import {
  Contradiction,
  Explanation,
  type HealthPolicy,
  HealthStatus,
  type Instant,
  TestIdentity,
  JobRunEvents
} from "@lazaret/domain"
import type { IdentityHistory, OutageRun, RecordedExecution } from "@lazaret/store"

/** How many of its latest executions an explained identity has. */
const recentExecutions = 30

/** Why one identity has its status, how sure that is, and its latest executions, oldest first. */
export interface ExplainedIdentity
  extends
    TestIdentity.TestIdentity,
    Explanation.Certainty,
    Explanation.Explanation<RecordedExecution | Contradiction.Found> {
  readonly since: Instant.Instant | null
  readonly recent: ReadonlyArray<RecordedExecution>
  readonly notes: ReadonlyArray<string>
}

/** Explains an identity by its history; `known` are the outages of the repository. */
export const explained = (
  { base, contradictions, executions, identity }: IdentityHistory,
  known: ReadonlyArray<OutageRun>,
  now: Instant.Instant,
  policy: HealthPolicy.HealthPolicy
): ExplainedIdentity => {
  const items = Contradiction.merged(executions, contradictions)
  const why = Explanation.explain(base, items, policy)
  const since = why.changes.at(-1)?.trigger.at ?? base.trigger?.at ?? null
  const recent = executions.slice(-recentExecutions)
  const outages = executions.filter(({ outage }) => outage)
  const runs = known.filter((one) => isOutageOf(one, identity, outages)).map(JobRunEvents.outageSentence)
  const notes = Explanation.notesOf({
    elsewhere: why.elsewhere,
    outages,
    runs,
    failures: why.status === "broken" ? (why.failing?.failures ?? 0) : 0
  })
  return { ...identity, ...why, ...Explanation.certainty(base, items, now, policy), since, recent, notes }
}

const isOutageOf = (
  { jobName, pipelineName, runId }: OutageRun,
  identity: TestIdentity.TestIdentity,
  outages: ReadonlyArray<RecordedExecution>
): boolean =>
  pipelineName === identity.pipelineName &&
  jobName === identity.jobName &&
  outages.some((execution) => execution.runId === runId)

/** The order of identities: the worst first. */
export const worstFirst = (a: ExplainedIdentity, b: ExplainedIdentity): number =>
  HealthStatus.order(b.status, a.status) || TestIdentity.IdentityOrder(a, b)
