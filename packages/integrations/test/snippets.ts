/** The snippets of the CI page and the files for CI systems, as shell scripts that a test can run. */
import { readFileSync } from "node:fs"
import { parse, parseAllDocuments } from "yaml"

const root = new URL("../../../", import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8")

const page = textOf("docs/how-to/ci.md")

/** The code of the nth fence below a heading of the page. */
const fence = (heading: string, at = 0): string => {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ""
  const code = [...section.matchAll(/^```\w+\n([^]*?)^```$/gm)][at]?.[1]
  if (code === undefined) throw new Error(`docs/how-to/ci.md has no snippet ${at} below "${heading}"`)
  return code
}

/**
 * A script as a CI system runs it.
 *
 * **Details**
 *
 * - `shell`: the command that the system starts for it, before the script.
 * - `env`: what the system sets, in addition to the address and the key of the server.
 */
export interface Snippet {
  readonly shell: ReadonlyArray<string>
  readonly script: string
  readonly env: Readonly<Record<string, string>>
}

const commit = "0123456789abcdef0123456789abcdef01234567"

const gitHub = {
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/github",
  GITHUB_WORKFLOW: "CI",
  GITHUB_JOB: "unit",
  GITHUB_SHA: commit,
  GITHUB_REF: "refs/heads/main",
  GITHUB_REF_NAME: "main",
  GITHUB_RUN_ID: "77",
  GITHUB_RUN_ATTEMPT: "1",
  GITHUB_SERVER_URL: "https://github.com"
}

const gitLab = {
  GITLAB_CI: "true",
  CI_PROJECT_PATH: "acme/gitlab",
  CI_JOB_NAME: "unit",
  CI_COMMIT_SHA: commit,
  CI_COMMIT_REF_NAME: "main",
  CI_PIPELINE_ID: "5",
  CI_JOB_URL: "https://gitlab.com/j/6"
}

/** GitHub replaces expressions before the shell starts. */
const expanded = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the snippet names ${name}`)
    return value
  })

interface Step {
  readonly run?: string
  readonly bash?: string
  readonly env?: Readonly<Record<string, string>>
}

const stepOf = (steps: ReadonlyArray<Step>): Step => {
  const step = steps.find((each) => (each.run ?? each.bash) !== undefined)
  if (step === undefined) throw new Error("there is no step that runs something")
  return step
}

/** Every snippet of the page that runs tests, by the system. */
export const snippets: Readonly<Record<string, Snippet>> = {
  "GitHub Actions": {
    shell: ["bash", "-e"],
    script: expanded(stepOf(parse(fence("GitHub Actions")).jobs.unit.steps).run ?? "", { "matrix.node": "24" }),
    env: gitHub
  },
  "GitLab CI": {
    shell: ["sh", "-e"],
    script: parse(fence("GitLab CI")).unit.script.join("\n"),
    env: gitLab
  },
  CircleCI: {
    shell: ["bash", "-eo", "pipefail"],
    script: stepOf(parse(fence("CircleCI")).jobs.unit.steps).run ?? "",
    env: {
      CIRCLECI: "true",
      CIRCLE_PROJECT_USERNAME: "acme",
      CIRCLE_PROJECT_REPONAME: "circleci",
      CIRCLE_JOB: "unit",
      CIRCLE_SHA1: commit,
      CIRCLE_BRANCH: "main",
      CIRCLE_WORKFLOW_ID: "w1",
      CIRCLE_BUILD_URL: "https://circleci.com/b/1"
    }
  },
  Jenkins: {
    shell: ["sh", "-xe"],
    script: /sh '''([^]*?)'''/.exec(fence("Jenkins"))?.[1] ?? "",
    env: {
      JENKINS_URL: "https://jenkins.example.com/",
      GIT_URL: "https://github.com/acme/jenkins.git",
      JOB_NAME: "widgets/main",
      BRANCH_NAME: "main",
      STAGE_NAME: "unit",
      GIT_COMMIT: commit,
      BUILD_TAG: "jenkins-widgets-main-5",
      BUILD_URL: "https://jenkins.example.com/job/5/"
    }
  },
  Buildkite: {
    shell: ["bash", "-e"],
    // The agent replaces variables when it uploads the pipeline; `$$` stays for the shell.
    script: parse(fence("Buildkite"))
      .steps[0].command.replaceAll(/(?<!\$)\$\w+/g, "")
      .replaceAll("$$", "$"),
    env: {
      BUILDKITE: "true",
      BUILDKITE_REPO: "git@github.com:acme/buildkite.git",
      BUILDKITE_PIPELINE_SLUG: "widgets",
      BUILDKITE_STEP_KEY: "unit",
      BUILDKITE_COMMIT: commit,
      BUILDKITE_BRANCH: "main",
      BUILDKITE_PULL_REQUEST: "false",
      BUILDKITE_BUILD_ID: "b1",
      BUILDKITE_RETRY_COUNT: "0",
      BUILDKITE_BUILD_URL: "https://buildkite.com/acme/widgets/builds/1",
      BUILDKITE_JOB_ID: "j1"
    }
  },
  "Azure Pipelines": {
    shell: ["bash", "--noprofile", "--norc", "-e"],
    script: stepOf(parse(fence("Azure Pipelines")).steps).bash ?? "",
    env: {
      TF_BUILD: "True",
      BUILD_REPOSITORY_NAME: "acme/azure",
      BUILD_DEFINITIONNAME: "CI",
      SYSTEM_JOBDISPLAYNAME: "unit",
      BUILD_SOURCEVERSION: commit,
      BUILD_SOURCEBRANCH: "refs/heads/main",
      BUILD_BUILDID: "5",
      SYSTEM_JOBATTEMPT: "1",
      SYSTEM_JOBID: "j1",
      SYSTEM_COLLECTIONURI: "https://dev.azure.com/acme/",
      SYSTEM_TEAMPROJECT: "acme"
    }
  },
  "any other system": { shell: ["sh", "-e"], script: fence("Any other system"), env: {} },
  "one line": {
    shell: ["sh", "-e"],
    script: fence("With the command line in one file"),
    env: { ...gitLab, CI_PROJECT_PATH: "acme/line" }
  },
  "the action of GitHub": {
    shell: ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
    ...actionOf({ command: "npm test", job: "unit (24)", reports: "reports\nbuild/**/*.xml" })
  },
  "the component of GitLab": { shell: ["sh", "-e"], ...componentOf({ job: "unit", command: "npm test" }) }
}

/** The upload without any tool. */
export const upload = fence("With curl alone")

/** The step of the action with these inputs; the others have their defaults. */
function actionOf(given: Readonly<Record<string, string>>): Omit<Snippet, "shell"> {
  const { inputs, runs } = parse(textOf("packages/integrations/github-action/action.yml"))
  const names = Object.keys(inputs)
  const values = Object.fromEntries(names.map((name) => [`inputs.${name}`, given[name] ?? inputs[name].default ?? ""]))
  const { env = {}, run = "" } = stepOf(runs.steps)
  const own = Object.entries(env).map(([name, text]) => [name, expanded(text, values)] as const)
  const ofServer = new Set(["LAZARET_URL", "LAZARET_TOKEN"])
  return {
    script: run,
    env: {
      ...gitHub,
      GITHUB_REPOSITORY: "acme/action",
      ...Object.fromEntries(own.filter(([name]) => !ofServer.has(name)))
    }
  }
}

/** The job of the component with these inputs; the others have their defaults. */
function componentOf(given: Readonly<Record<string, string>>): Omit<Snippet, "shell"> {
  const text = textOf("packages/integrations/gitlab/templates/tests/template.yml")
  const { inputs } = parseAllDocuments(text)[0]?.toJS().spec ?? {}
  const filled = text.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => given[name] ?? inputs[name].default)
  const jobs = parseAllDocuments(filled)[1]?.toJS()
  const { script, variables } = jobs[given["job"] ?? ""]
  return { script: script.join("\n"), env: { ...gitLab, CI_PROJECT_PATH: "acme/component", ...variables } }
}
