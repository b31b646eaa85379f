/** The look-ups of the hosting platform: what a token may do, the pull request of a commit, the text of a file. */
import type { PullRef, Repository } from "@lazaret/domain"
import { type ForgeError, HostingPlatform, type Permission } from "@lazaret/services"
import { Cache, Duration, Effect, Exit, Option } from "effect"
import * as GitHubClient from "./GitHubClient.ts"

/** The time limits of look-ups, the time for which answers are cached, and their number. */
export const limits = {
  permission: { timeout: Duration.seconds(5), timeToLive: Duration.seconds(60) },
  pull: { timeout: Duration.seconds(3), timeToLive: Duration.hours(1) },
  file: { timeout: Duration.seconds(5) },
  /** The pause before the next request to a platform that failed. */
  afterFailure: Duration.seconds(5),
  kept: 10_000
}

/**
 * The look-ups at a connection.
 *
 * **Details**
 *
 * - A token that can push has the permission `write`, one that can pull `read`. A failure grants `none`.
 * - The pull request of a commit is the merged one whose merge commit it is, else any merged one that contains it.
 *
 * **Gotchas**
 *
 * GitHub redirects from the old name of a repository to the new one. An answer about another repository than the one in
 * the request is discarded: otherwise the new owner of a name could read what was uploaded under it.
 */
export const make = Effect.fnUntraced(function* (
  { apiUrl }: GitHubClient.Connection,
  client: GitHubClient.GitHubClient
) {
  const octokit = GitHubClient.bare(apiUrl)

  const permissions = yield* Cache.makeWith(
    ({ owner, repository, token }: TokenAndRepository) =>
      Effect.tryPromise((signal) =>
        octokit.request("GET /repos/{owner}/{repo}", {
          owner,
          repo: repository,
          headers: { authorization: `Bearer ${token}` },
          request: { signal }
        })
      ).pipe(
        Effect.map(({ data }) => permissionOf(data, `${owner}/${repository}`)),
        Effect.catch(({ cause }) => (isAnswer(cause) ? Effect.succeed<Permission>("none") : Effect.fail("busy"))),
        Effect.timeout(limits.permission.timeout)
      ),
    { capacity: limits.kept, timeToLive: keep(limits.permission.timeToLive) }
  )

  const pulls = yield* Cache.makeWith(
    ({ commit, owner, repository }: CommitAndRepository) =>
      client
        .ask("pullOf", { owner, repository }, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", {
            owner,
            repo: repository,
            commit_sha: commit,
            ...options
          })
        )
        .pipe(
          Effect.map(({ data }) => mergedPull(data, commit)),
          Effect.catchIf(isFinal, () => Effect.succeedNone),
          Effect.timeout(limits.pull.timeout)
        ),
    { capacity: limits.kept, timeToLive: keep(limits.pull.timeToLive) }
  )

  return HostingPlatform.of({
    isConnected: Effect.succeed(true),
    permission: (token, { owner, repository }) =>
      isSafe(repository) && isToken(token)
        ? Effect.orElseSucceed(Cache.get(permissions, { token, owner, repository }), (): Permission => "none")
        : Effect.succeed("none"),
    pullOf: ({ owner, repository }, commit) =>
      isSafe(repository) && isCommit(commit)
        ? Effect.orElseSucceed(Cache.get(pulls, { owner, repository, commit }), Option.none<PullRef.PullRef>)
        : Effect.succeedNone,
    file: (ref, path) =>
      isSafe(ref.repository) ? Effect.orElseSucceed(fileOf(client, ref, path), Option.none<string>) : Effect.succeedNone
  })
})

/** The text of a file of at most a megabyte; folders, links and larger files have other answers. */
const fileOf = (client: GitHubClient.GitHubClient, ref: Repository.RepositoryRef, path: string) =>
  client
    .ask("file", ref, (kit, options) =>
      kit.request(`GET /repos/{owner}/{repo}/contents/${path.split("/").map(encodeURIComponent).join("/")}`, {
        owner: ref.owner,
        repo: ref.repository,
        ...options
      })
    )
    .pipe(
      Effect.timeout(limits.file.timeout),
      Effect.map(({ data }: { readonly data: File }) =>
        data.type === "file" && data.encoding === "base64"
          ? Option.some(Buffer.from(data.content ?? "", "base64").toString("utf8"))
          : Option.none()
      )
    )

interface File {
  readonly type?: string
  readonly encoding?: string
  readonly content?: string
}

interface TokenAndRepository extends Repository.RepositoryRef {
  readonly token: string
}

interface CommitAndRepository extends Repository.RepositoryRef {
  readonly commit: string
}

/** In a path these two names stand for other folders. */
const isSafe = (repository: string): boolean => repository !== "." && repository !== ".."

const isToken = (token: string): boolean => /^[\x21-\x7e]{1,1000}$/u.test(token)

const isCommit = (commit: string): boolean => /^[0-9a-f]{7,64}$/iu.test(commit)

/** Whether the platform has decided: asked again soon, it would decide the same. */
const isAnswer = (error: unknown): boolean => {
  const status = typeof error === "object" && error !== null && "status" in error ? Number(error.status) : 0
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

const isFinal = ({ reason }: ForgeError): boolean => reason === "refused" || reason === "not_installed"

const keep =
  (timeToLive: Duration.Duration) =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Duration =>
    Exit.isSuccess(exit) ? timeToLive : limits.afterFailure

interface RepositoryAnswer {
  readonly full_name?: string
  readonly permissions?: { readonly pull?: boolean; readonly push?: boolean }
}

const permissionOf = ({ full_name: name, permissions }: RepositoryAnswer, asked: string): Permission => {
  if (name !== undefined && name.toLowerCase() !== asked.toLowerCase()) return "none"
  if (permissions?.push === true) return "write"
  return permissions?.pull === true ? "read" : "none"
}

interface PullAnswer {
  readonly id: number | bigint
  readonly number: number
  readonly title: string
  readonly user: { readonly id: number | bigint; readonly login: string } | null
  readonly merged_at: string | null
  readonly merge_commit_sha: string | null
}

const mergedPull = (found: ReadonlyArray<PullAnswer>, commit: string): Option.Option<PullRef.PullRef> => {
  const merged = found.filter((pull) => pull.merged_at !== null)
  const best = merged.find((pull) => pull.merge_commit_sha?.toLowerCase() === commit.toLowerCase()) ?? merged[0]
  if (best === undefined || best.user === null) return Option.none()
  const { id, number, title, user } = best
  return Option.some({ id: Number(id), number, title, user: { id: Number(user.id), login: user.login } })
}
