/** The look-ups of the hosting platform: what a token may do, the merge request of a commit, the text of a file. */
import { PullRef, type Repository } from "@lazaret/domain"
import { type ForgeError, HostingPlatform, type Permission } from "@lazaret/services"
import { Cache, Duration, Effect, Exit, Option, Schema } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabGroups from "./GitLabGroups.ts"

/** The time limits of look-ups, the time for which answers are cached, and their number. */
export const limits = {
  permission: { timeout: Duration.seconds(5), timeToLive: Duration.seconds(60) },
  pull: { timeout: Duration.seconds(3), timeToLive: Duration.hours(1) },
  file: { timeout: Duration.seconds(5), characters: 1_000_000 },
  /** The pause before the next request to a platform that failed. */
  afterFailure: Duration.seconds(5),
  kept: 10_000
}

/**
 * The look-ups at a connection.
 *
 * **Details**
 *
 * - A token has the permission `write` with the scope `api` and the role of a developer or above, `read` with the role of a
 *   reporter, or in a project that is not private. A token whose scopes are unknown, such as one of OAuth, reads at most.
 * - The merge request of a commit is the merged one whose merge commit or squash commit it is, else any merged one that
 *   contains it.
 */
export const make = Effect.fnUntraced(function* (
  connection: GitLabClient.Connection,
  client: GitLabClient.GitLabClient
) {
  const http = yield* GitLabClient.http

  const permissions = yield* Cache.makeWith(
    ({ owner, repository, token }: TokenAndRepository) => {
      const as = (path: string) =>
        http.execute(
          HttpClientRequest.get(`${connection.url}/api/v4${path}`).pipe(HttpClientRequest.bearerToken(token))
        )
      const path = GitLabGroups.pathOf(connection.groups, { owner, repository })
      return Effect.gen(function* () {
        const project = yield* as(`/projects/${encodeURIComponent(path)}`)
        if (!isAnswer(project.status)) return yield* Effect.fail("busy")
        if (project.status !== 200) return "none"
        const granted = permissionOf(yield* HttpClientResponse.schemaBodyJson(Access)(project))
        if (granted !== "write") return granted
        const self = yield* as("/personal_access_tokens/self")
        if (!isAnswer(self.status)) return yield* Effect.fail("busy")
        const scopes = self.status === 200 ? (yield* HttpClientResponse.schemaBodyJson(Self)(self)).scopes : []
        return scopes.includes("api") ? "write" : "read"
      }).pipe(Effect.timeout(limits.permission.timeout))
    },
    { capacity: limits.kept, timeToLive: keep(limits.permission.timeToLive) }
  )

  const pulls = yield* Cache.makeWith(
    ({ commit, owner, repository }: CommitAndRepository) =>
      client
        .ask(
          "pullOf",
          { owner, repository },
          { path: `/repository/commits/${commit}/merge_requests`, query: merged },
          Merged
        )
        .pipe(
          Effect.map(({ body }) => mergedPull(body, commit)),
          Effect.catchIf(isFinal, () => Effect.succeedNone),
          Effect.timeout(limits.pull.timeout)
        ),
    { capacity: limits.kept, timeToLive: keep(limits.pull.timeToLive) }
  )

  return HostingPlatform.of({
    isConnected: Effect.succeed(true),
    permission: (token, { owner, repository }) =>
      isToken(token)
        ? Effect.orElseSucceed(Cache.get(permissions, { token, owner, repository }), (): Permission => "none")
        : Effect.succeed("none"),
    pullOf: ({ owner, repository }, commit) =>
      isCommit(commit)
        ? Effect.orElseSucceed(Cache.get(pulls, { owner, repository, commit }), Option.none<PullRef.PullRef>)
        : Effect.succeedNone,
    file: (ref, path) => Effect.orElseSucceed(fileOf(client, ref, path), Option.none<string>)
  })
})

const merged = { state: "merged", per_page: 100 }

/** The text of a file of at most a megabyte, at the head of the default branch. */
const fileOf = (client: GitLabClient.GitLabClient, ref: Repository.RepositoryRef, path: string) =>
  client.open("file", ref, `/repository/files/${encodeURIComponent(path)}/raw?ref=HEAD`).pipe(
    Effect.flatMap((response) => response.text),
    Effect.timeout(limits.file.timeout),
    Effect.map((text) => (text.length > limits.file.characters ? Option.none() : Option.some(text)))
  )

interface TokenAndRepository extends Repository.RepositoryRef {
  readonly token: string
}

interface CommitAndRepository extends Repository.RepositoryRef {
  readonly commit: string
}

const isToken = (token: string): boolean => /^[\x21-\x7e]{1,1000}$/u.test(token)

const isCommit = (commit: string): boolean => /^[0-9a-f]{7,64}$/iu.test(commit)

/** Whether the platform has decided: asked again soon, it would decide the same. */
const isAnswer = (status: number): boolean => status < 500 && status !== 408 && status !== 429

const isFinal = ({ reason }: ForgeError): boolean => reason === "refused" || reason === "not_installed"

const keep =
  (timeToLive: Duration.Duration) =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Duration =>
    Exit.isSuccess(exit) ? timeToLive : limits.afterFailure

const Level = Schema.optionalKey(Schema.NullOr(Schema.Struct({ access_level: Schema.Int })))

const Access = Schema.Struct({
  visibility: Schema.optionalKey(Schema.String),
  permissions: Schema.optionalKey(Schema.NullOr(Schema.Struct({ project_access: Level, group_access: Level })))
})

const Self = Schema.Struct({ scopes: Schema.Array(Schema.String) })

/** The roles of GitLab as numbers. */
const roles = { reporter: 20, developer: 30 }

const permissionOf = ({ permissions, visibility }: typeof Access.Type): Permission => {
  const levels = [permissions?.project_access?.access_level, permissions?.group_access?.access_level]
  const level = Math.max(0, ...levels.map((each) => each ?? 0))
  if (level >= roles.developer) return "write"
  return level >= roles.reporter || visibility === "public" || visibility === "internal" ? "read" : "none"
}

const Merged = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    iid: Schema.Int,
    title: Schema.String,
    state: Schema.String,
    author: Schema.NullOr(Schema.Struct({ id: Schema.Int, username: Schema.String })),
    sha: Schema.NullOr(Schema.String),
    merge_commit_sha: Schema.NullOr(Schema.String),
    squash_commit_sha: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

const mergedPull = (found: typeof Merged.Type, commit: string): Option.Option<PullRef.PullRef> => {
  const all = found.filter(({ state }) => state === "merged")
  const isBrought = (sha: string | null | undefined) => sha?.toLowerCase() === commit.toLowerCase()
  const best =
    all.find(({ merge_commit_sha: merge, squash_commit_sha: squash }) => isBrought(merge) || isBrought(squash)) ??
    all[0]
  if (best === undefined || best.author === null) return Option.none()
  const { author, id, iid, title } = best
  return decodePull({ id, number: iid, title, user: { id: author.id, login: author.username } })
}

const decodePull = Schema.decodeUnknownOption(PullRef.PullRef)
