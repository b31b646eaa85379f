/** Names of repositories, branches and pull requests as CI systems write them. */
import { Option, Schema } from "effect"

/** `owner/repository` of the address of a git repository; null when it has another form. */
export const repositoryOfUrl = (url: string | null): string | null => {
  if (url === null) return null
  const path = /^(?:[\w.+-]+:\/\/[^/]+\/|[^@/\s]+@[^:/\s]+:\/?)(.+?)(?:\.git)?\/?$/.exec(url)?.[1]
  return path !== undefined && /^[^/]+\/[^/]+$/.test(path) ? path : null
}

/** The branch of a git reference: `refs/heads/main` is `main`; other text is a branch already. */
export const branchOf = (reference: string | null): string | null =>
  reference === null ? null : reference.replace(/^refs\/(?:heads|tags)\//, "")

/** The name of a Jenkins job without the branch at its end, which multibranch pipelines add. */
export const withoutBranch = (job: string | null, branch: string | null): string | null => {
  if (job === null || branch === null) return job
  const ending = [`/${encodeURIComponent(branch)}`, `/${branch}`].find((each) => job.endsWith(each))
  return ending === undefined || ending.length === job.length ? job : job.slice(0, -ending.length)
}

/** The URL of the log of a job of Azure Pipelines. */
export const jobUrlOfAzure = (of: (name: string) => string | null): string | null => {
  const [collection, project, build, job] = [
    of("SYSTEM_COLLECTIONURI"),
    of("SYSTEM_TEAMPROJECT"),
    of("BUILD_BUILDID"),
    of("SYSTEM_JOBID")
  ]
  if (collection === null || project === null || build === null) return null
  const page = `${collection.replace(/\/$/, "")}/${encodeURIComponent(project)}/_build/results?buildId=${build}&view=logs`
  return job === null ? page : `${page}&j=${job}`
}

/** The fields of a pull request that uploads take (interface 2.2). */
const pullRequest = {
  id: Schema.Int,
  number: Schema.Int,
  title: Schema.String,
  user: Schema.Struct({ id: Schema.Int, login: Schema.String })
}

const Event = Schema.Struct({
  pull_request: Schema.Struct({ ...pullRequest, head: Schema.Struct({ sha: Schema.String }) })
})

/** Whether a text is a pull request as uploads take it: JSON with its fields, or its number. */
export const isPullRequest = (text: string): boolean => /^\d+$/.test(text) || Option.isSome(decodePullRequest(text))

const decodePullRequest = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct(pullRequest)))

/**
 * The pull request of the event that started a run of GitHub Actions: its number, its newest commit, and all of it as
 * uploads take it; null when the event is of another kind.
 */
export const pullOfGitHub = (
  event: unknown
): { readonly number: string; readonly commit: string; readonly json: string } | null =>
  Option.getOrNull(
    Option.map(Schema.decodeUnknownOption(Event)(event), ({ pull_request: { head, id, number, title, user } }) => ({
      number: String(number),
      commit: head.sha,
      json: JSON.stringify({ id, number, title, user: { id: user.id, login: user.login } })
    }))
  )
