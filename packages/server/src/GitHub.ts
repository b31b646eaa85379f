/** The hosting platform GitHub, through its REST interface. */
import { PullRef, type Repository } from "@lazaret/domain"
import { HostingPlatform, type Permission } from "@lazaret/services"
import { Cache, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"

/** The time limits of requests to the platform, the time for which answers are cached, and their number. */
export const limits = {
  permission: { timeout: Duration.seconds(5), timeToLive: Duration.seconds(60) },
  pull: { timeout: Duration.seconds(3), timeToLive: Duration.hours(1) },
  file: { timeout: Duration.seconds(5) },
  /** The pause before the next request to a platform that failed. */
  afterFailure: Duration.seconds(5),
  kept: 10_000
}

/**
 * The hosting platform with the REST interface of GitHub at an address, such as `https://api.github.com`.
 *
 * **Details**
 *
 * - A token that can push has the permission `write`, one that can pull `read`. A failure grants `none`.
 * - The pull request of a commit is the merged one whose merge commit it is, else any merged one that contains it.
 * - Requests for pull requests and files have no token: only those of public repositories are found.
 *
 * **Gotchas**
 *
 * GitHub redirects from the old name of a repository to the new one. An answer about another repository than the one in
 * the request is discarded: otherwise the new owner of a name could read what was uploaded under it.
 */
export const layer = (apiUrl: string): Layer.Layer<HostingPlatform, never, HttpClient.HttpClient> =>
  Layer.effect(
    HostingPlatform,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient

      const ask = <A, I>(path: string, token: string | null, schema: Schema.Codec<A, I>) =>
        HttpClientRequest.get(`${apiUrl}${path}`, { accept: "application/vnd.github+json", headers }).pipe(
          token === null ? (request) => request : HttpClientRequest.bearerToken(token),
          client.execute,
          Effect.flatMap(
            HttpClientResponse.matchStatus({
              "2xx": (response) => Effect.asSome(HttpClientResponse.schemaBodyJson(schema)(response)),
              "4xx": (response) => (isTooBusy(response.status) ? Effect.fail(busy) : Effect.succeedNone),
              orElse: () => Effect.fail(busy)
            })
          ),
          Effect.scoped
        )

      const permissions = yield* Cache.makeWith(
        Effect.fnUntraced(function* ({ owner, repository, token }: TokenAndRepository) {
          const answer = yield* ask(`/repos/${owner}/${repository}`, token, RepositoryAnswer).pipe(
            Effect.timeout(limits.permission.timeout)
          )
          return Option.isSome(answer) ? permissionOf(answer.value, `${owner}/${repository}`) : "none"
        }),
        { capacity: limits.kept, timeToLive: keep(limits.permission.timeToLive) }
      )

      const pulls = yield* Cache.makeWith(
        Effect.fnUntraced(function* ({ commit, owner, repository }: CommitAndRepository) {
          const path = `/repos/${owner}/${repository}/commits/${commit}/pulls`
          const answer = yield* ask(path, null, PullsAnswer).pipe(Effect.timeout(limits.pull.timeout))
          return Option.flatMap(answer, (found) => mergedPull(found, commit))
        }),
        { capacity: limits.kept, timeToLive: keep(limits.pull.timeToLive) }
      )

      return HostingPlatform.of({
        permission: (token, { owner, repository }) =>
          isSafe(repository) && isToken(token)
            ? Effect.orElseSucceed(Cache.get(permissions, { token, owner, repository }), (): Permission => "none")
            : Effect.succeed("none"),
        pullOf: ({ owner, repository }, commit) =>
          isSafe(repository) && isCommit(commit)
            ? Effect.orElseSucceed(Cache.get(pulls, { owner, repository, commit }), Option.none<PullRef.PullRef>)
            : Effect.succeedNone,
        file: ({ owner, repository }, path) =>
          isSafe(repository)
            ? ask(`/repos/${owner}/${repository}/contents/${encoded(path)}`, null, FileAnswer).pipe(
                Effect.timeout(limits.file.timeout),
                Effect.map(Option.map(({ content }) => Buffer.from(content, "base64").toString("utf8"))),
                Effect.orElseSucceed(Option.none<string>)
              )
            : Effect.succeedNone
      })
    })
  )

const headers = { "x-github-api-version": "2022-11-28", "user-agent": "lazaret" }

interface TokenAndRepository extends Repository.RepositoryRef {
  readonly token: string
}

interface CommitAndRepository extends Repository.RepositoryRef {
  readonly commit: string
}

const busy = "busy"

const isTooBusy = (status: number): boolean => status === 408 || status === 429

/** In a path these two names stand for other folders. */
const isSafe = (repository: string): boolean => repository !== "." && repository !== ".."

const isToken = (token: string): boolean => /^[\x21-\x7e]{1,1000}$/.test(token)

const isCommit = (commit: string): boolean => /^[0-9a-f]{7,64}$/i.test(commit)

const keep =
  (timeToLive: Duration.Duration) =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Duration =>
    Exit.isSuccess(exit) ? timeToLive : limits.afterFailure

const RepositoryAnswer = Schema.Struct({
  full_name: Schema.optionalKey(Schema.String),
  permissions: Schema.optionalKey(
    Schema.Struct({ pull: Schema.optionalKey(Schema.Boolean), push: Schema.optionalKey(Schema.Boolean) })
  )
})

const permissionOf = (answer: typeof RepositoryAnswer.Type, asked: string): Permission => {
  if (answer.full_name !== undefined && answer.full_name.toLowerCase() !== asked.toLowerCase()) return "none"
  if (answer.permissions?.push === true) return "write"
  return answer.permissions?.pull === true ? "read" : "none"
}

const PullsAnswer = Schema.Array(
  Schema.Struct({
    ...PullRef.PullRef.fields,
    merged_at: Schema.NullOr(Schema.String),
    merge_commit_sha: Schema.NullOr(Schema.String)
  })
)

/** The answer for a file of at most a megabyte; folders, links and larger files have other answers. */
const FileAnswer = Schema.Struct({
  type: Schema.Literal("file"),
  encoding: Schema.Literal("base64"),
  content: Schema.String
})

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

const mergedPull = (found: typeof PullsAnswer.Type, commit: string): Option.Option<PullRef.PullRef> => {
  const merged = found.filter((pull) => pull.merged_at !== null)
  const best = merged.find((pull) => pull.merge_commit_sha?.toLowerCase() === commit.toLowerCase()) ?? merged[0]
  if (best === undefined) return Option.none()
  const { id, number, title, user } = best
  return Option.some({ id, number, title, user: { id: user.id, login: user.login } })
}
