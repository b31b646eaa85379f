/**
 * The run that the environment of a CI system describes: repository, pipeline, job, commit, branches, pull request.
 *
 * Only documented variables are read. A flag wins over the environment.
 */
import * as Reference from "./Reference.ts"

/**
 * A run as its environment describes it; null where the system does not say.
 *
 * **Details**
 *
 * - `repository`: `owner/repository`.
 * - `branch`: in a pull request, its own branch; `baseBranch` is its target.
 * - `pullRequest`: the whole pull request as JSON, where the system knows it; `pullNumber` its number.
 */
export interface CiRun {
  readonly system: string
  readonly repository: string | null
  readonly pipeline: string | null
  readonly job: string | null
  readonly commit: string | null
  readonly branch: string | null
  readonly baseBranch: string | null
  readonly pullNumber: string | null
  readonly pullRequest: string | null
  readonly runId: string | null
  readonly runAttempt: string | null
  readonly jobUrl: string | null
}

/** The value of a variable, null when it is not set or empty. */
export type Lookup = (name: string) => string | null

/**
 * A CI system.
 *
 * **Details**
 *
 * - `sign`: the variable that only this system sets. `variables`: the others that are read.
 * - `run`: the run of the values; `event` is the content of the event file that the system names, null without one.
 */
export interface System {
  readonly name: string
  readonly sign: string
  readonly variables: ReadonlyArray<string>
  readonly run: (of: Lookup, event: unknown) => Omit<CiRun, "system">
}

const gitHubActions: System = {
  name: "GitHub Actions",
  sign: "GITHUB_ACTIONS",
  variables: [
    "GITHUB_REPOSITORY",
    "GITHUB_WORKFLOW",
    "GITHUB_JOB",
    "GITHUB_SHA",
    "GITHUB_REF",
    "GITHUB_REF_NAME",
    "GITHUB_HEAD_REF",
    "GITHUB_BASE_REF",
    "GITHUB_RUN_ID",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_SERVER_URL",
    "GITHUB_EVENT_PATH"
  ],
  run: (of, event) => {
    const pull = Reference.pullOfGitHub(event)
    const run = `${of("GITHUB_SERVER_URL")}/${of("GITHUB_REPOSITORY")}/actions/runs/${of("GITHUB_RUN_ID")}`
    return {
      repository: of("GITHUB_REPOSITORY"),
      pipeline: of("GITHUB_WORKFLOW"),
      job: of("GITHUB_JOB"),
      commit: pull?.commit ?? of("GITHUB_SHA"),
      branch: of("GITHUB_HEAD_REF") ?? of("GITHUB_REF_NAME"),
      baseBranch: of("GITHUB_BASE_REF"),
      pullNumber: /^refs\/pull\/(\d+)\//.exec(of("GITHUB_REF") ?? "")?.[1] ?? pull?.number ?? null,
      pullRequest: pull?.json ?? null,
      runId: of("GITHUB_RUN_ID"),
      runAttempt: of("GITHUB_RUN_ATTEMPT"),
      jobUrl:
        of("GITHUB_SERVER_URL") === null || of("GITHUB_RUN_ID") === null
          ? null
          : `${run}/attempts/${of("GITHUB_RUN_ATTEMPT") ?? 1}`
    }
  }
}

const gitLabCi: System = {
  name: "GitLab CI",
  sign: "GITLAB_CI",
  variables: [
    "CI_PROJECT_PATH",
    "CI_PIPELINE_NAME",
    "CI_JOB_NAME",
    "CI_COMMIT_SHA",
    "CI_COMMIT_REF_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CI_MERGE_REQUEST_IID",
    "CI_PIPELINE_ID",
    "CI_JOB_URL"
  ],
  run: (of) => ({
    repository: of("CI_PROJECT_PATH"),
    pipeline: of("CI_PIPELINE_NAME") ?? "GitLab CI",
    // The jobs of `parallel: 3` are one job in three parts.
    job: of("CI_JOB_NAME")?.replace(/ \d+\/\d+$/, "") ?? null,
    commit: of("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") ?? of("CI_COMMIT_SHA"),
    branch: of("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME") ?? of("CI_COMMIT_REF_NAME"),
    baseBranch: of("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
    pullNumber: of("CI_MERGE_REQUEST_IID"),
    pullRequest: null,
    runId: of("CI_PIPELINE_ID"),
    runAttempt: null,
    jobUrl: of("CI_JOB_URL")
  })
}

const circleCi: System = {
  name: "CircleCI",
  sign: "CIRCLECI",
  variables: [
    "CIRCLE_PROJECT_USERNAME",
    "CIRCLE_PROJECT_REPONAME",
    "CIRCLE_JOB",
    "CIRCLE_SHA1",
    "CIRCLE_BRANCH",
    "CIRCLE_TAG",
    "CIRCLE_PR_NUMBER",
    "CIRCLE_PULL_REQUEST",
    "CIRCLE_WORKFLOW_ID",
    "CIRCLE_BUILD_URL"
  ],
  run: (of) => ({
    repository: joined(of("CIRCLE_PROJECT_USERNAME"), of("CIRCLE_PROJECT_REPONAME")),
    pipeline: "CircleCI",
    job: of("CIRCLE_JOB"),
    commit: of("CIRCLE_SHA1"),
    branch: of("CIRCLE_BRANCH") ?? of("CIRCLE_TAG"),
    baseBranch: null,
    pullNumber: of("CIRCLE_PR_NUMBER") ?? /\/(\d+)$/.exec(of("CIRCLE_PULL_REQUEST") ?? "")?.[1] ?? null,
    pullRequest: null,
    runId: of("CIRCLE_WORKFLOW_ID"),
    runAttempt: null,
    jobUrl: of("CIRCLE_BUILD_URL")
  })
}

const jenkins: System = {
  name: "Jenkins",
  sign: "JENKINS_URL",
  variables: [
    "GIT_URL",
    "JOB_NAME",
    "BRANCH_NAME",
    "STAGE_NAME",
    "GIT_COMMIT",
    "GIT_BRANCH",
    "CHANGE_BRANCH",
    "CHANGE_TARGET",
    "CHANGE_ID",
    "BUILD_TAG",
    "BUILD_URL"
  ],
  run: (of) => ({
    repository: Reference.repositoryOfUrl(of("GIT_URL")),
    pipeline: Reference.withoutBranch(of("JOB_NAME"), of("BRANCH_NAME")),
    job: of("STAGE_NAME") ?? "build",
    commit: of("GIT_COMMIT"),
    branch: of("CHANGE_BRANCH") ?? of("BRANCH_NAME") ?? of("GIT_BRANCH")?.replace(/^origin\//, "") ?? null,
    baseBranch: of("CHANGE_TARGET"),
    pullNumber: of("CHANGE_ID"),
    pullRequest: null,
    // The build number alone is the same on every branch of a multibranch pipeline.
    runId: of("BUILD_TAG"),
    runAttempt: null,
    jobUrl: of("BUILD_URL")
  })
}

const buildkite: System = {
  name: "Buildkite",
  sign: "BUILDKITE",
  variables: [
    "BUILDKITE_REPO",
    "BUILDKITE_PIPELINE_SLUG",
    "BUILDKITE_STEP_KEY",
    "BUILDKITE_LABEL",
    "BUILDKITE_COMMIT",
    "BUILDKITE_BRANCH",
    "BUILDKITE_PULL_REQUEST",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "BUILDKITE_BUILD_ID",
    "BUILDKITE_RETRY_COUNT",
    "BUILDKITE_BUILD_URL",
    "BUILDKITE_JOB_ID"
  ],
  run: (of) => {
    const number = /^\d+$/.exec(of("BUILDKITE_PULL_REQUEST") ?? "")?.[0] ?? null
    return {
      repository: Reference.repositoryOfUrl(of("BUILDKITE_REPO")),
      pipeline: of("BUILDKITE_PIPELINE_SLUG"),
      job: of("BUILDKITE_STEP_KEY") ?? of("BUILDKITE_LABEL"),
      commit: of("BUILDKITE_COMMIT"),
      branch: of("BUILDKITE_BRANCH"),
      baseBranch: number === null ? null : of("BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
      pullNumber: number,
      pullRequest: null,
      runId: of("BUILDKITE_BUILD_ID"),
      runAttempt: String(Number(of("BUILDKITE_RETRY_COUNT") ?? 0) + 1),
      jobUrl: of("BUILDKITE_BUILD_URL") === null ? null : `${of("BUILDKITE_BUILD_URL")}#${of("BUILDKITE_JOB_ID") ?? ""}`
    }
  }
}

const azurePipelines: System = {
  name: "Azure Pipelines",
  sign: "TF_BUILD",
  variables: [
    "BUILD_REPOSITORY_NAME",
    "SYSTEM_TEAMPROJECT",
    "BUILD_DEFINITIONNAME",
    "SYSTEM_JOBDISPLAYNAME",
    "AGENT_JOBNAME",
    "BUILD_SOURCEVERSION",
    "BUILD_SOURCEBRANCH",
    "SYSTEM_PULLREQUEST_SOURCECOMMITID",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER",
    "SYSTEM_PULLREQUEST_PULLREQUESTID",
    "BUILD_BUILDID",
    "SYSTEM_JOBATTEMPT",
    "SYSTEM_JOBID",
    "SYSTEM_COLLECTIONURI"
  ],
  run: (of) => {
    const name = of("BUILD_REPOSITORY_NAME")
    return {
      repository: name === null || name.includes("/") ? name : joined(of("SYSTEM_TEAMPROJECT"), name),
      pipeline: of("BUILD_DEFINITIONNAME"),
      job: of("SYSTEM_JOBDISPLAYNAME") ?? of("AGENT_JOBNAME"),
      commit: of("SYSTEM_PULLREQUEST_SOURCECOMMITID") ?? of("BUILD_SOURCEVERSION"),
      branch: Reference.branchOf(of("SYSTEM_PULLREQUEST_SOURCEBRANCH") ?? of("BUILD_SOURCEBRANCH")),
      baseBranch: Reference.branchOf(of("SYSTEM_PULLREQUEST_TARGETBRANCH")),
      pullNumber: of("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER") ?? of("SYSTEM_PULLREQUEST_PULLREQUESTID"),
      pullRequest: null,
      runId: of("BUILD_BUILDID"),
      runAttempt: of("SYSTEM_JOBATTEMPT"),
      jobUrl: Reference.jobUrlOfAzure(of)
    }
  }
}

/**
 * The known CI systems in the order of detection. Jenkins is last: people set its sign by hand, too.
 */
export const systems: ReadonlyArray<System> = [gitHubActions, gitLabCi, circleCi, buildkite, azurePipelines, jenkins]

/** The run of an environment; null outside of the known CI systems. */
export const of = (lookup: Lookup, event: unknown): CiRun | null => {
  const system = systems.find(({ sign }) => !["", "false", "0"].includes((lookup(sign) ?? "").toLowerCase()))
  return system === undefined ? null : { system: system.name, ...system.run(lookup, event) }
}

const joined = (owner: string | null, name: string | null): string | null =>
  owner === null || name === null ? null : `${owner}/${name}`
