import { assert, describe, it } from "@effect/vitest"
import * as CiRun from "../../src/ci/CiRun.ts"

const run = (env: Readonly<Record<string, string>>, event: unknown = null) =>
  CiRun.of((name) => env[name] ?? null, event)

const gitHub = {
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/widgets",
  GITHUB_WORKFLOW: "CI",
  GITHUB_JOB: "unit",
  GITHUB_SHA: "c1",
  GITHUB_REF: "refs/heads/main",
  GITHUB_REF_NAME: "main",
  GITHUB_RUN_ID: "77",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_SERVER_URL: "https://github.com"
}

const none = { baseBranch: null, pullNumber: null, pullRequest: null }

describe("the run of the environment", () => {
  it("outside of a known CI system the environment describes no run", () => {
    assert.isNull(run({}))
    assert.isNull(run({ GITHUB_ACTIONS: "false", GITLAB_CI: "" }))
  })

  it("GitHub Actions describes a push, and a pull request by its own commit and branch", () => {
    const push = {
      system: "GitHub Actions",
      repository: "acme/widgets",
      pipeline: "CI",
      job: "unit",
      commit: "c1",
      branch: "main",
      ...none,
      runId: "77",
      runAttempt: "2",
      jobUrl: "https://github.com/acme/widgets/actions/runs/77/attempts/2"
    }
    assert.deepStrictEqual(run(gitHub), push)
    const pull = { id: 9, number: 42, title: "Pay", user: { id: 7, login: "ada" } }
    const env = {
      ...gitHub,
      GITHUB_REF: "refs/pull/42/merge",
      GITHUB_REF_NAME: "42/merge",
      GITHUB_HEAD_REF: "topic",
      GITHUB_BASE_REF: "main"
    }
    const ofPull = { ...push, branch: "topic", baseBranch: "main", pullNumber: "42" }
    assert.deepStrictEqual(run(env), ofPull)
    assert.deepStrictEqual(run(env, { pull_request: { ...pull, state: "open", head: { sha: "h1" } } }), {
      ...ofPull,
      commit: "h1",
      pullRequest: JSON.stringify(pull)
    })
  })

  it("GitLab CI describes parallel jobs as one job", () => {
    const env = {
      GITLAB_CI: "true",
      CI_PROJECT_PATH: "acme/widgets",
      CI_JOB_NAME: "unit 2/3",
      CI_COMMIT_SHA: "c1",
      CI_COMMIT_REF_NAME: "main",
      CI_PIPELINE_ID: "5",
      CI_JOB_URL: "https://gitlab.com/j/6"
    }
    const push = {
      system: "GitLab CI",
      repository: "acme/widgets",
      pipeline: "GitLab CI",
      job: "unit",
      commit: "c1",
      branch: "main",
      ...none,
      runId: "5",
      runAttempt: null,
      jobUrl: "https://gitlab.com/j/6"
    }
    assert.deepStrictEqual(run(env), push)
    const merge = {
      CI_MERGE_REQUEST_IID: "8",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "topic",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "h1"
    }
    assert.deepStrictEqual(run({ ...env, ...merge }), {
      ...push,
      commit: "h1",
      branch: "topic",
      baseBranch: "main",
      pullNumber: "8"
    })
  })

  it("CircleCI describes the pull request by the number in its address", () => {
    assert.deepStrictEqual(
      run({
        CIRCLECI: "true",
        CIRCLE_PROJECT_USERNAME: "acme",
        CIRCLE_PROJECT_REPONAME: "widgets",
        CIRCLE_JOB: "unit",
        CIRCLE_SHA1: "c1",
        CIRCLE_BRANCH: "topic",
        CIRCLE_PULL_REQUEST: "https://github.com/acme/widgets/pull/42",
        CIRCLE_WORKFLOW_ID: "w1",
        CIRCLE_BUILD_URL: "https://circleci.com/b/1"
      }),
      {
        system: "CircleCI",
        repository: "acme/widgets",
        pipeline: "CircleCI",
        job: "unit",
        commit: "c1",
        branch: "topic",
        ...none,
        pullNumber: "42",
        runId: "w1",
        runAttempt: null,
        jobUrl: "https://circleci.com/b/1"
      }
    )
  })

  it("Jenkins describes the branches of a multibranch job as one pipeline", () => {
    assert.deepStrictEqual(
      run({
        JENKINS_URL: "https://ci.test/",
        GIT_URL: "git@github.com:acme/widgets.git",
        JOB_NAME: "team/widgets/feature%2Fpay",
        BRANCH_NAME: "feature/pay",
        STAGE_NAME: "unit",
        GIT_COMMIT: "c1",
        CHANGE_BRANCH: "feature/pay",
        CHANGE_TARGET: "main",
        CHANGE_ID: "42",
        BUILD_TAG: "jenkins-team-widgets-feature%2Fpay-5",
        BUILD_URL: "https://ci.test/job/5/"
      }),
      {
        system: "Jenkins",
        repository: "acme/widgets",
        pipeline: "team/widgets",
        job: "unit",
        commit: "c1",
        branch: "feature/pay",
        baseBranch: "main",
        pullNumber: "42",
        pullRequest: null,
        runId: "jenkins-team-widgets-feature%2Fpay-5",
        runAttempt: null,
        jobUrl: "https://ci.test/job/5/"
      }
    )
  })

  it('Buildkite describes a run whose pull request is "false" as a push', () => {
    const env = {
      BUILDKITE: "true",
      BUILDKITE_REPO: "https://github.com/acme/widgets.git",
      BUILDKITE_PIPELINE_SLUG: "widgets",
      BUILDKITE_LABEL: ":jest: unit",
      BUILDKITE_STEP_KEY: "unit",
      BUILDKITE_COMMIT: "c1",
      BUILDKITE_BRANCH: "main",
      BUILDKITE_PULL_REQUEST: "false",
      BUILDKITE_PULL_REQUEST_BASE_BRANCH: "",
      BUILDKITE_BUILD_ID: "b1",
      BUILDKITE_RETRY_COUNT: "1",
      BUILDKITE_BUILD_URL: "https://buildkite.com/acme/widgets/builds/1",
      BUILDKITE_JOB_ID: "j1"
    }
    const push = {
      system: "Buildkite",
      repository: "acme/widgets",
      pipeline: "widgets",
      job: "unit",
      commit: "c1",
      branch: "main",
      ...none,
      runId: "b1",
      runAttempt: "2",
      jobUrl: "https://buildkite.com/acme/widgets/builds/1#j1"
    }
    assert.deepStrictEqual(run(env), push)
    const pull = { BUILDKITE_PULL_REQUEST: "42", BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main" }
    assert.deepStrictEqual(run({ ...env, ...pull }), { ...push, baseBranch: "main", pullNumber: "42" })
  })

  it("Azure Pipelines describes a push, and a pull request by its own commit and branch", () => {
    const env = {
      TF_BUILD: "True",
      BUILD_REPOSITORY_NAME: "widgets",
      SYSTEM_TEAMPROJECT: "acme",
      BUILD_DEFINITIONNAME: "CI",
      SYSTEM_JOBDISPLAYNAME: "unit",
      BUILD_SOURCEVERSION: "c1",
      BUILD_SOURCEBRANCH: "refs/heads/feature/pay",
      BUILD_BUILDID: "5",
      SYSTEM_JOBATTEMPT: "1",
      SYSTEM_JOBID: "j1",
      SYSTEM_COLLECTIONURI: "https://dev.azure.com/acme/"
    }
    const push = {
      system: "Azure Pipelines",
      repository: "acme/widgets",
      pipeline: "CI",
      job: "unit",
      commit: "c1",
      branch: "feature/pay",
      ...none,
      runId: "5",
      runAttempt: "1",
      jobUrl: "https://dev.azure.com/acme/acme/_build/results?buildId=5&view=logs&j=j1"
    }
    assert.deepStrictEqual(run(env), push)
    const pull = {
      BUILD_REPOSITORY_NAME: "octo/cat",
      SYSTEM_PULLREQUEST_SOURCECOMMITID: "h1",
      SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/topic",
      SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
      SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: "42"
    }
    assert.deepStrictEqual(run({ ...env, ...pull }), {
      ...push,
      repository: "octo/cat",
      commit: "h1",
      branch: "topic",
      baseBranch: "main",
      pullNumber: "42"
    })
  })
})
