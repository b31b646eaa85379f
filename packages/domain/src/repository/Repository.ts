/** Repositories: how they are named, and what can be set for each (interface 2.1). */
import { Schema } from "effect"
import * as AutoQuarantine from "../quarantine/AutoQuarantine.ts"
import * as FailureGate from "../failure/FailureGate.ts"
import * as HealthPolicy from "../health/HealthPolicy.ts"
import * as CostPolicy from "../insight/CostPolicy.ts"
import * as IssuePolicy from "../issue/IssuePolicy.ts"
import type { Instant } from "../time/Instant.ts"
import * as Outage from "../health/Outage.ts"
import type { Place } from "../quarantine/Life.ts"
import * as Quarantine from "../quarantine/Quarantine.ts"
import { isFork, type RunContext } from "../report/Report.ts"
import * as TestIssue from "../issue/TestIssue.ts"
import * as Text from "../text/Text.ts"

/** Schema of an owner: 1 to 40 letters, digits and hyphens (interface 2.1). */
export const Owner = Schema.String.check(
  Schema.isBetweenLength(1, 40),
  Schema.isPattern(/^[a-zA-Z0-9-]+$/u, { expected: "letters, digits and hyphens only" })
)

/** Schema of a repository name: 1 to 100 letters, digits, underscores, hyphens and dots (interface 2.1). */
export const RepositoryName = Schema.String.check(
  Schema.isBetweenLength(1, 100),
  Schema.isPattern(/^[\w.-]+$/u, { expected: "letters, digits, underscores, hyphens and dots only" })
)

/** The name of a repository as a caller writes it. */
export interface RepositoryRef {
  readonly owner: string
  readonly repository: string
}

/**
 * A text that is equal for the same repository only: owner and name match without regard to case (our choice).
 *
 * @example
 * ```ts
 * import { Repository } from "@lazaret/domain"
 *
 * Repository.key({ owner: "Acme", repository: "Widgets" }) // => "acme/widgets"
 * ```
 */
export const key = (ref: RepositoryRef): string => `${ref.owner.toLowerCase()}/${ref.repository.toLowerCase()}`

/**
 * Schema of what can be set for a repository.
 *
 * **Details**
 *
 * - `defaultBranch`: null means `main` or `master`, whichever has the earliest execution.
 * - `repositoryUrl` (null): the page of the repository at its hosting platform (`SourceLinks.ofRepository`); null follows the
 *   jobs of its uploads.
 * - `flakyDetection` (on): whether reporters may rerun tests to find flaky ones; shown as `flaky_detection_enabled`.
 * - `pullRequestComments` (`failures`): when there is a comment on a pull request: when a test failed, always, or never.
 * - `flakinessEvidence` (`every_branch`): whether contradictions on other branches are evidence of flakiness.
 * - `badge` (off): whether everyone may see badges of the repository and its tests, without a credential.
 * - `artifacts` (null): the names of the artifacts whose reports are read when a run completes, with `*` and `?`, in any case.
 *   Null stands for common names while no job uploads by itself; an empty list reads none.
 * - `autoQuarantine`, `autoRemoval`: see `AutoQuarantine`; removal null follows `autoQuarantine`.
 * - `gate`: which failures let a CI job pass (`FailureGate`).
 * - `quarantineReason` (`optional`): whether a new quarantine must have a reason.
 * - `issues` (off): which unhealthy tests get an issue in the tracker; `issueLabels`: the labels of new issues.
 * - `issuesBy`, `notificationsBy` (`cause`): whether tests with one cause share an issue, and a line of a message, and follow what people
 *   decide about the cause.
 * - the policies hold only the fields that differ from the defaults.
 */
export const RepositorySettings = Schema.Struct({
  defaultBranch: Schema.NullOr(Text.between(1, 255)),
  repositoryUrl: Schema.NullOr(Text.Address),
  flakyDetection: Schema.Boolean,
  autoQuarantine: Schema.Literals(["off", "flaky", "flaky_and_broken"]),
  autoRemoval: Schema.NullOr(Schema.Boolean),
  flakinessEvidence: Schema.Literals(["every_branch", "default_branch"]),
  badge: Schema.Boolean,
  gate: FailureGate.FailureGate,
  quarantineReason: Schema.Literals(["optional", "required"]),
  pullRequestComments: Schema.Literals(["off", "failures", "always"]),
  artifacts: Schema.NullOr(Schema.Array(Text.between(1, 255)).check(Schema.isMaxLength(50))),
  issues: TestIssue.Wanted,
  issueLabels: Schema.Array(TestIssue.Label).check(Schema.isMaxLength(10)),
  issuesBy: Schema.Literals(["cause", "test"]),
  notificationsBy: Schema.Literals(["cause", "test"]),
  health: Schema.Struct(optional(HealthPolicy.HealthPolicy.fields)),
  outage: Schema.Struct(optional(Outage.OutagePolicy.fields)),
  quarantine: Schema.Struct(optional(Quarantine.QuarantinePolicy.fields)),
  autoQuarantinePolicy: Schema.Struct(optional(AutoQuarantine.AutoQuarantinePolicy.fields)),
  issuePolicy: Schema.Struct(optional(IssuePolicy.IssuePolicy.fields)),
  costPolicy: Schema.Struct(optional(CostPolicy.CostPolicy.fields))
})

/** The settings of a repository. */
export type RepositorySettings = typeof RepositorySettings.Type

/**
 * The default settings: flaky detection on, nothing automatic, nothing public, every policy with its defaults.
 */
export const defaultSettings: RepositorySettings = {
  defaultBranch: null,
  repositoryUrl: null,
  flakyDetection: true,
  autoQuarantine: "off",
  autoRemoval: null,
  flakinessEvidence: "every_branch",
  badge: false,
  gate: FailureGate.defaults,
  quarantineReason: "optional",
  pullRequestComments: "failures",
  artifacts: null,
  issues: "off",
  issueLabels: ["lazaret"],
  issuesBy: "cause",
  notificationsBy: "cause",
  health: {},
  outage: {},
  quarantine: {},
  autoQuarantinePolicy: {},
  issuePolicy: {},
  costPolicy: {}
}

/** All policies of a repository with its overrides applied. */
export interface Policies {
  readonly health: HealthPolicy.HealthPolicy
  readonly outage: Outage.OutagePolicy
  readonly quarantine: Quarantine.QuarantinePolicy
  readonly autoQuarantine: AutoQuarantine.AutoQuarantinePolicy
  readonly issues: IssuePolicy.IssuePolicy
  readonly cost: CostPolicy.CostPolicy
}

/**
 * The policies that hold for a repository with these settings.
 *
 * @example
 * ```ts
 * import { Repository } from "@lazaret/domain"
 *
 * const settings = { ...Repository.defaultSettings, health: { cleanPasses: 20 } }
 * Repository.policies(settings).health.cleanPasses // => 20
 * Repository.policies(settings).health.cleanDays // => 7
 * ```
 */
export const policies = (settings: RepositorySettings): Policies => ({
  health: { ...HealthPolicy.defaults, ...settings.health },
  outage: { ...Outage.defaults, ...settings.outage },
  quarantine: { ...Quarantine.defaults, ...settings.quarantine },
  autoQuarantine: { ...AutoQuarantine.defaults, ...settings.autoQuarantinePolicy },
  issues: { ...IssuePolicy.defaults, ...settings.issuePolicy },
  cost: { ...CostPolicy.defaults, ...settings.costPolicy }
})

/** A repository as stored: `owner` and `repository` as first written. */
export interface Repository extends RepositoryRef {
  readonly createdAt: Instant
  readonly settings: RepositorySettings
}

/**
 * The default branch that is in force.
 *
 * **Details**
 *
 * The setting, where there is one. Else `main` or `master`, whichever has the earliest execution (`main` when both
 * start at the same instant, or neither is known), so that the answer does not depend on the order of arrival.
 *
 * @example
 * ```ts
 * import { Repository } from "@lazaret/domain"
 *
 * Repository.defaultBranch(Repository.defaultSettings, { main: null, master: 5 }) // => "master"
 * Repository.defaultBranch(Repository.defaultSettings, { main: null, master: null }) // => "main"
 * ```
 */
export const defaultBranch = (
  settings: RepositorySettings,
  earliest: { readonly main: Instant | null; readonly master: Instant | null }
): string => {
  if (settings.defaultBranch !== null) return settings.defaultBranch
  if (earliest.master === null) return "main"
  return earliest.main === null || earliest.master < earliest.main ? "master" : "main"
}

/**
 * Whether a run counts as one of the default branch.
 *
 * **Details**
 *
 * A run without a branch does; a run of a pull request (a base branch is named) never does, whatever its head is
 * called; branches of merge queues and of forks never do.
 *
 * @example
 * ```ts
 * import { Repository } from "@lazaret/domain"
 *
 * Repository.isDefaultBranch({ branch: null, baseBranch: null }, "main") // => true
 * Repository.isDefaultBranch({ branch: "main", baseBranch: "main" }, "main") // => false
 * Repository.isDefaultBranch({ branch: "topic", baseBranch: null }, "main") // => false
 * ```
 */
export const isDefaultBranch = (run: Pick<RunContext, "branch" | "baseBranch">, branch: string): boolean =>
  run.baseBranch === null &&
  (run.branch === null || (run.branch === branch && !isMergeQueueBranch(run.branch) && !isFork(run)))

/** Whether a branch was made by a merge queue: `gh-readonly-queue/*`, `mergify/merge-queue/*`, `trunk-merge/*`, `lazaret/queue/*`. */
export const isMergeQueueBranch = (branch: string): boolean =>
  /^(?:gh-readonly-queue|mergify\/merge-queue|trunk-merge|lazaret\/queue)\//u.test(branch)

/**
 * The place of a run for quarantines: `branch` is the one that they are looked up for, `head` the branch of the run itself.
 *
 * @example
 * ```ts
 * import { Repository } from "@lazaret/domain"
 *
 * Repository.placeOf("gh-readonly-queue/main/pr-7-0a1b").queue // => { base: "main" }
 * Repository.placeOf("main").queue // => null
 * Repository.placeOf("main", "trunk-merge/pr-7/0a1b").queue // => { base: null }
 * ```
 */
export const placeOf = (branch: string, head: string = branch): Place => ({
  branch,
  queue: isMergeQueueBranch(head) ? { base: /^gh-readonly-queue\/(.+)\/pr-\d+-/u.exec(head)?.[1] ?? null } : null
})

function optional<F extends Schema.Struct.Fields>(fields: F): { readonly [K in keyof F]: Schema.optionalKey<F[K]> } {
  const entries = Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(field)])
  // The keys are those of `fields`, and each value is its field made optional.
  return Object.fromEntries(entries) as { readonly [K in keyof F]: Schema.optionalKey<F[K]> }
}
