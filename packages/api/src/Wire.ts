/**
 * The JSON of the API as plain types, for programs that read it without Effect.
 *
 * They are made from the schemas that write the answers, so they cannot differ from them. Import them as types: this
 * package is then not bundled into the program.
 */
import type * as Applications from "./access/Application.ts"
import type * as ApplicationKeys from "./access/ApplicationKey.ts"
import type * as Audits from "./access/Audit.ts"
import type * as Backfills from "./report/Backfill.ts"
import type * as Causes from "./insight/Cause.ts"
import type * as Slower from "./insight/Slower.ts"
import type * as Changes from "./insight/Change.ts"
import type * as Missing from "./insight/Missing.ts"
import type * as Costs from "./insight/Cost.ts"
import type * as Commits from "./failure/Commit.ts"
import type * as Events from "./events/Event.ts"
import type * as Explanations from "./health/Explanation.ts"
import type * as HostingPlatforms from "./platform/HostingPlatform.ts"
import type * as Issues from "./platform/Issue.ts"
import type * as MergeQueue from "./queue/MergeQueue.ts"
import type * as Overviews from "./health/Overview.ts"
import type * as PullRequests from "./report/PullRequest.ts"
import type * as Notifiers from "./events/Notifier.ts"
import type * as Quarantines from "./quarantine/Quarantine.ts"
import type * as Queue from "./queue/Queue.ts"
import type * as Repositories from "./repository/Repository.ts"
import type * as Details from "./health/TestDetails.ts"
import type * as Executions from "./health/TestExecutions.ts"
import type * as Failures from "./health/TestFailure.ts"
import type * as Search from "./health/TestSearch.ts"
import type * as Statistics from "./health/TestStatistic.ts"
import type * as AssignedRoles from "./access/AssignedRole.ts"
import type * as Sessions from "./access/Session.ts"
import type * as TestAliases from "./report/TestAlias.ts"
import type * as TransitionList from "./health/Transitions.ts"

type Json<S extends { readonly Encoded: unknown }> = S["Encoded"]

/** The key of a request, and what signing in answers. */
export type Application = Json<typeof Applications.Application>

/** A pull request as other answers name it (interface 2.2). */
export type PullRef = Json<typeof PullRequests.PullRef>

/** The commits among which a test or a cause began to fail. */
export type FoundChange = Json<typeof Changes.FoundChange>

/** Aliases of tests. */
export type TestAliasList = Json<typeof TestAliases.TestAliasList>

/** A page of identities (interface 4.1.1). */
export type SearchPage = Json<typeof Search.SearchPage>

/** One identity (interface 2.3). */
export type TestSearchResult = Json<typeof Search.TestSearchResult>

/** The details of a test (interface 2.4). */
export type TestDetails = Json<typeof Details.TestDetails>

/** A count over the window and per bucket (interface 2.5). */
export type CountStatistic = Json<typeof Statistics.CountStatistic>

/** A mean duration in seconds over the window and per bucket (interface 2.5). */
export type DurationStatistic = Json<typeof Statistics.DurationStatistic>

/** A statistic of a repository (interface 2.10). */
export type RepositoryStatistic = Json<typeof Statistics.RepositoryStatistic>

/** A page of the list of tests for people. */
export type TestListPage = Json<typeof Overviews.TestListPage>

/** One identity of that list. */
export type ListedTest = Json<typeof Overviews.ListedTest>

/** The owners of a test. */
export type TestOwners = Json<typeof Overviews.TestOwners>

/** Issues of tests. */
export type IssueList = Json<typeof Issues.IssueList>

/** The tests of each owner. */
export type OwnerList = Json<typeof Overviews.OwnerList>

/** An identity that has run on other branches only. */
export type BranchTest = Json<typeof Overviews.BranchTest>

/** A page of losses. */
export type LossesPage = Json<typeof Missing.LossesPage>

/** A loss. */
export type Loss = Json<typeof Missing.Loss>

/** A page of causes. */
export type CausesPage = Json<typeof Causes.CausesPage>

/** A cause. */
export type SharedCause = Json<typeof Causes.SharedCause>

/** A test or a job that became slower. */
export type SlowerLine = Json<typeof Slower.SlowerLine>

/** A page of the tests of a cause. */
export type CauseTestsPage = Json<typeof Causes.CauseTestsPage>

/** A page of a table of costs. */
export type CostsPage = Json<typeof Costs.CostsPage>

/** A row of a table of costs. */
export type CostRow = Json<typeof Costs.CostRow>

/** The figures of a table of costs. */
export type CostFigures = Json<typeof Costs.CostFigures>

/** A commit with the outcomes of its jobs. */
export type ListedCommit = Json<typeof Commits.ListedCommit>

/** A job run that is an outage. */
export type OutageRun = Json<typeof Overviews.OutageRun>

/** A repository in short. */
export type RepositorySummary = Json<typeof Overviews.RepositorySummary>

/** The last 30 days of a repository. */
export type RepositoryTrend = Json<typeof Overviews.RepositoryTrend>

/** The edges of the health series (interface 2.6). */
export type HealthTransitions = Json<typeof TransitionList.HealthTransitions>

/** The failure groups of a test (interface 4.1.5). */
export type TestFailures = Json<typeof Failures.TestFailures>

/** A failure group with its latest events (interface 4.1.6). */
export type TestFailureDetail = Json<typeof Failures.TestFailureDetail>

/** A page of the identities of a test (interface 4.1.7). */
export type ExecutionsPage = Json<typeof Executions.ExecutionsPage>

/** A quarantine (interface 2.9). */
export type QuarantinedTest = Json<typeof Quarantines.QuarantinedTest>

/** The quarantine list (interface 4.1.8). */
export type QuarantinesPage = Json<typeof Quarantines.QuarantinesPage>

/** A notifier. */
export type Notifier = Json<typeof Notifiers.Notifier>

/** A notifier of several repositories. */
export type WideNotifier = Json<typeof Notifiers.WideNotifier>

/** The debt of quarantines. */
export type QuarantineDebt = Json<typeof Quarantines.QuarantineDebt>

/** The queues of a repository (interface 4.2.6). */
export type Queues = Json<typeof Queue.Queues>

/** The rules of the queues (interface 4.2.1). */
export type QueuesConfiguration = Json<typeof Queue.QueuesConfiguration>

/** The pause of the queues, or an empty list (interface 4.2.4). */
export type QueuePauses = Json<typeof Queue.QueuePauses>

/** Why a test has its status. */
export type ExplainedTest = Json<typeof Explanations.ExplainedTest>

/** Why one identity has its status. */
export type ExplainedIdentity = Json<typeof Explanations.ExplainedIdentity>

/** One execution, as explanations show it. */
export type ExplainedExecution = Json<typeof Explanations.ExplainedExecution>

/** The tests that are asked about, by whether they are quarantined. */
export type CheckedQuarantines = Json<typeof Quarantines.CheckedQuarantines>

/** A page of the repositories that a key reaches. */
export type RepositoriesPage = Json<typeof Repositories.RepositoriesPage>

/** Something that has happened in a repository. */
export type Event = Json<typeof Events.EventBody>

/** A page of events, the newest first. */
export type EventsPage = Json<typeof Events.EventsPage>

/** The settings of a repository (beyond the interface). */
export type RepositorySettings = Json<typeof Repositories.Settings>

/** The pause of the merge queue, or null (beyond the interface). */
export type MergeQueuePause = Json<typeof MergeQueue.MergeQueuePause>

/** The engines of the merge queue (beyond the interface). */
export type MergeQueueEngines = Json<typeof MergeQueue.MergeQueueEngines>

/** The findings about the rules of a base branch (beyond the interface). */
export type MergeQueuePreflight = Json<typeof MergeQueue.MergeQueuePreflight>

/** A page of the log of the merge queue (beyond the interface). */
export type MergeQueueLog = Json<typeof MergeQueue.MergeQueueLog>

/** How a pull request left the queue or was kept in it, and the sentences about it. */
export type MergeQueueHistory = Json<typeof MergeQueue.MergeQueueHistory>

/** An application key, without its secret (beyond the interface). */
export type ApplicationKey = Json<typeof ApplicationKeys.ApplicationKey>

/** The body that makes an application key. */
export type CreateApplicationKey = Json<typeof ApplicationKeys.CreateApplicationKey>

/** The GitHub App of the server. */
export type GitHubApp = Json<typeof HostingPlatforms.GitHubApp>

/** The connection of a repository to its hosting platform. */
export type RepositoryConnection = Json<typeof HostingPlatforms.RepositoryConnection>

/** A role that a person was given by hand. */
export type AssignedRole = Json<typeof AssignedRoles.AssignedRole>

/** The body that gives a role. */
export type SetRole = Json<typeof AssignedRoles.SetRole>

/** An open session. */
export type Session = Json<typeof Sessions.Session>

/** An administrative action. */
export type AuditEntry = Json<typeof Audits.AuditEntry>

/** The outcome of a step of a backfill. */
export type BackfillStep = Json<typeof Backfills.BackfillStep>
