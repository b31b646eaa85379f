/** Repositories on the wire: the list, and what is set for one (beyond the interface). */
import {
  AutoQuarantine,
  CostPolicy,
  FailureGate,
  HealthPolicy,
  IssuePolicy,
  Outage,
  Quarantine,
  Repository,
  SettingsChange,
  Text
} from "@lazaret/domain"
import { Schema, String } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** A page of repositories. `default_branch` is the setting; null where `main` or `master` is found by itself. */
export const RepositoriesPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  repositories: Schema.Array(
    Schema.Struct({
      owner: Schema.String,
      repository: Schema.String,
      default_branch: Schema.NullOr(Schema.String),
      created_at: Timestamp
    }).annotate({ identifier: "RepositoryRow" })
  ),
  total: Schema.Int
}).annotate({ identifier: "RepositoriesPage", description: "A page of repositories, and how many there are in all." })

/** The numbers of a policy under their names on the wire: `cleanPasses` is `clean_passes`. */
const policy = <S extends Schema.Constraint>(fields: Numbers, each: (field: Schema.Codec<number>) => S) =>
  Schema.Struct(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [String.camelToSnake(name), each(field)]))
  )

type Numbers = { readonly [name: string]: Schema.Codec<number> }

const inForce = (fields: Numbers) => policy(fields, (field) => field)

const changing = (fields: Numbers) =>
  Schema.optionalKey(Schema.NullOr(policy(fields, (field) => Schema.optionalKey(Schema.NullOr(field)))))

const {
  artifacts,
  autoQuarantine,
  autoRemoval,
  badge,
  defaultBranch,
  flakinessEvidence,
  flakyDetection,
  issueLabels,
  issues,
  issuesBy,
  notificationsBy,
  pullRequestComments,
  quarantineReason,
  repositoryUrl
} = Repository.RepositorySettings.fields

const { brokenOnBase, dependency, flaky, leastPrecision, missing, outage, quarantined, quarantineLimit } =
  FailureGate.FailureGate.fields

const gateFields = {
  quarantined: quarantined.annotate({ description: "Whether failures of quarantined tests pass." }),
  flaky: flaky.annotate({
    description: "From which probability on failures with the verdict `flaky` pass; null: never."
  }),
  broken_on_base: brokenOnBase.annotate({
    description: "From which certainty on failures pass that the base branch has, too; null: never."
  }),
  outage: outage.annotate({ description: "From which certainty on failures of an outage pass; null: never." }),
  dependency: dependency.annotate({
    description:
      "From which certainty on failures pass whose cause is a change outside of the repository that stays, such as a release of a dependency; null: never."
  }),
  quarantine_limit: quarantineLimit.annotate({
    description:
      "The least probability of a flake from which a quarantine holds for a failure that was not known at its beginning; null: it holds for every failure."
  }),
  least_precision: leastPrecision.annotate({
    description:
      "Below which share of right `flaky` verdicts nothing passes by its verdict; 0: the share does not matter."
  }),
  missing: missing.annotate({
    description:
      "Whether a run passes in which tests did not run that ran in most of the latest runs of its job: `pass`, or `block`."
  })
}

const autoRemovalDescribed = autoRemoval.annotate({
  description: "Whether recovered tests are released by themselves; null follows `auto_quarantine`."
})

const defaultBranchDescribed = defaultBranch.annotate({
  description: "The default branch; null means `main` or `master`, whichever has the earliest execution."
})

const artifactsDescribed = artifacts.annotate({
  description:
    "The names of the artifacts whose test reports are read when a CI run completes, with `*` and `?`, in any case. Null: " +
    "common names, while no job of the repository uploads. An empty list: none."
})

const repositoryUrlDescribed = repositoryUrl.annotate({
  description:
    "The page of the repository at its hosting platform, for links of the dashboard. Null: found from the jobs of GitHub Actions " +
    "and GitLab CI. An address that ends in `/-`, or a host with `gitlab` in its name, is of GitLab."
})

const issuesDescribed = issues.annotate({
  description: "Which unhealthy tests get an issue at the hosting platform."
})

const issueLabelsDescribed = issueLabels.annotate({
  description: "The labels of new issues. The platform creates a label that it does not know."
})

const issuesByDescribed = issuesBy.annotate({
  description:
    "`cause`: tests with one cause share an issue, and get none while the cause is silenced or closed or has a ticket. `test`: issues " +
    "do not follow causes."
})

const notificationsByDescribed = notificationsBy.annotate({
  description:
    "`cause`: changes of tests with one cause are one line of a message, and none while the cause is silenced. `test`: notifiers do not " +
    "follow causes."
})

/**
 * The settings of a repository.
 *
 * **Details**
 *
 * The policies show the numbers that hold; `overridden` names those that differ from the defaults, such as
 * `health.clean_passes`.
 */
export const Settings = Schema.Struct({
  default_branch: defaultBranchDescribed,
  repository_url: repositoryUrlDescribed,
  flaky_detection: flakyDetection.annotate({ description: "Whether reporters may rerun tests to find flaky ones." }),
  auto_quarantine: autoQuarantine.annotate({ description: "Which tests are quarantined by themselves." }),
  auto_removal: autoRemovalDescribed,
  artifacts: artifactsDescribed,
  badge: badge.annotate({ description: "Whether everyone may see the badges, without a credential." }),
  flakiness_evidence: flakinessEvidence.annotate({
    description: "Whether tests that fail and pass in one run of another branch can become flaky."
  }),
  issues: issuesDescribed,
  issue_labels: issueLabelsDescribed,
  issues_by: issuesByDescribed,
  notifications_by: notificationsByDescribed,
  gate: Schema.Struct(gateFields).annotate({ description: "Which failures let a CI job pass." }),
  pull_request_comments: pullRequestComments.annotate({
    description: "When there is a comment on a pull request: when a test failed, always, or never."
  }),
  quarantine_reason: quarantineReason.annotate({ description: "Whether a new quarantine must have a reason." }),
  health: inForce(HealthPolicy.HealthPolicy.fields),
  outage: inForce(Outage.OutagePolicy.fields),
  quarantine: inForce(Quarantine.QuarantinePolicy.fields),
  auto_quarantine_policy: inForce(AutoQuarantine.AutoQuarantinePolicy.fields),
  issue_policy: inForce(IssuePolicy.IssuePolicy.fields),
  cost_policy: inForce(CostPolicy.CostPolicy.fields),
  overridden: Schema.Array(Schema.String).annotate({ description: "The numbers that differ from the defaults." })
}).annotate({ identifier: "RepositorySettings", description: "What is set, with the numbers that hold." })

/** The confirmation of a removal. */
export const RemoveRepository = Schema.Struct({
  confirm: Text.between(0, 255).annotate({
    description: "The owner and the name of the repository, such as `acme/widgets`, in any case."
  })
}).annotate({ identifier: "RemoveRepository" })

/** The body that deletes a test. */
export const RemoveTest = Schema.Struct({
  confirm: Text.between(0, 10_000).annotate({ description: "The full name of the test." })
}).annotate({ identifier: "RemoveTest" })

/** A change of settings: what is not named stays, null brings the default back. */
export const ChangeSettings = Schema.Struct({
  default_branch: Schema.optionalKey(defaultBranchDescribed),
  repository_url: Schema.optionalKey(repositoryUrlDescribed),
  flaky_detection: Schema.optionalKey(Schema.NullOr(flakyDetection)),
  auto_quarantine: Schema.optionalKey(Schema.NullOr(autoQuarantine)),
  auto_removal: Schema.optionalKey(autoRemovalDescribed),
  artifacts: Schema.optionalKey(artifactsDescribed),
  badge: Schema.optionalKey(Schema.NullOr(badge)),
  flakiness_evidence: Schema.optionalKey(Schema.NullOr(flakinessEvidence)),
  gate: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        quarantined: Schema.optionalKey(Schema.NullOr(gateFields.quarantined)),
        flaky: Schema.optionalKey(gateFields.flaky),
        broken_on_base: Schema.optionalKey(gateFields.broken_on_base),
        outage: Schema.optionalKey(gateFields.outage),
        dependency: Schema.optionalKey(gateFields.dependency),
        quarantine_limit: Schema.optionalKey(gateFields.quarantine_limit),
        least_precision: Schema.optionalKey(Schema.NullOr(gateFields.least_precision)),
        missing: Schema.optionalKey(Schema.NullOr(gateFields.missing))
      })
    )
  ),
  issues: Schema.optionalKey(Schema.NullOr(issuesDescribed)),
  issue_labels: Schema.optionalKey(Schema.NullOr(issueLabelsDescribed)),
  issues_by: Schema.optionalKey(Schema.NullOr(issuesByDescribed)),
  notifications_by: Schema.optionalKey(Schema.NullOr(notificationsByDescribed)),
  pull_request_comments: Schema.optionalKey(Schema.NullOr(pullRequestComments)),
  quarantine_reason: Schema.optionalKey(Schema.NullOr(quarantineReason)),
  health: changing(HealthPolicy.HealthPolicy.fields),
  outage: changing(Outage.OutagePolicy.fields),
  quarantine: changing(Quarantine.QuarantinePolicy.fields),
  auto_quarantine_policy: changing(AutoQuarantine.AutoQuarantinePolicy.fields),
  issue_policy: changing(IssuePolicy.IssuePolicy.fields),
  cost_policy: changing(CostPolicy.CostPolicy.fields)
}).annotate({ identifier: "ChangeRepositorySettings" })

/** The settings as the wire shows them. */
export const settingsOf = (settings: Repository.RepositorySettings): typeof Settings.Type => {
  const policies = Repository.policies(settings)
  return {
    default_branch: settings.defaultBranch,
    repository_url: settings.repositoryUrl,
    flaky_detection: settings.flakyDetection,
    auto_quarantine: settings.autoQuarantine,
    auto_removal: settings.autoRemoval,
    artifacts: settings.artifacts,
    badge: settings.badge,
    flakiness_evidence: settings.flakinessEvidence,
    issues: settings.issues,
    issue_labels: settings.issueLabels,
    issues_by: settings.issuesBy,
    notifications_by: settings.notificationsBy,
    gate: {
      quarantined: settings.gate.quarantined,
      flaky: settings.gate.flaky,
      broken_on_base: settings.gate.brokenOnBase,
      outage: settings.gate.outage,
      dependency: settings.gate.dependency,
      quarantine_limit: settings.gate.quarantineLimit,
      least_precision: settings.gate.leastPrecision,
      missing: settings.gate.missing
    },
    pull_request_comments: settings.pullRequestComments,
    quarantine_reason: settings.quarantineReason,
    health: snake(policies.health),
    outage: snake(policies.outage),
    quarantine: snake(policies.quarantine),
    auto_quarantine_policy: snake(policies.autoQuarantine),
    issue_policy: snake(policies.issues),
    cost_policy: snake(policies.cost),
    overridden: overridden(settings)
  }
}

/** The change that a body asks for. */
export const changeOf = (body: typeof ChangeSettings.Type): SettingsChange.SettingsChange => {
  const camel = (fields: object): object =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        String.snakeToCamel(name),
        typeof value === "object" && value !== null && !Array.isArray(value) ? camel(value) : value
      ])
    )
  // Each name of the schema is that of a field in the other spelling, and each value was decoded by the field.
  return camel(body) as SettingsChange.SettingsChange
}

const snake = (fields: { readonly [name: string]: number }): { readonly [name: string]: number } =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [String.camelToSnake(name), value]))

const overridden = (settings: Repository.RepositorySettings): ReadonlyArray<string> =>
  Object.entries(settings)
    .filter(([name]) => SettingsChange.isPolicy(name))
    .flatMap(([name, fields]) =>
      Object.keys(fields ?? {}).map((field) => `${String.camelToSnake(name)}.${String.camelToSnake(field)}`)
    )
