/** The issues of GitHub as an issue tracker, and the times of commits. */
import type { Instant, Repository } from "@lazaret/domain"
import { type CommitTimes, type ForgeError, type IssueDraft, IssueTracker, type TrackedIssue } from "@lazaret/services"
import { Cache, Effect, Exit, Option, Ref as Reference } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef

/** The issues of one page, and the most pages that are read: a thousand issues. */
const issuesAtOnce = 100
const mostPages = 10

/** GitHub takes ten assignees. */
const mostAssignees = 10

/** The issues at a connection. */
export const make = Effect.fnUntraced(function* (connection: GitHubClient.Connection, client: Client) {
  const login = yield* loginOf(connection, client)

  const list = Effect.fnUntraced(function* (ref: Ref, marker: string) {
    const creator = yield* login(ref)
    const found: Array<TrackedIssue> = []
    for (let page = 1; page <= mostPages; page += 1) {
      const { data } = yield* client.ask("issues", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/issues", {
          ...named(ref),
          creator,
          state: "all",
          sort: "updated",
          direction: "desc",
          per_page: issuesAtOnce,
          page,
          ...options
        })
      )
      for (const issue of data) {
        // GitHub lists pull requests as issues, too.
        if (issue.pull_request !== undefined || issue.user?.login !== creator) continue
        if (issue.body?.startsWith(marker) === true) found.push(trackedOf(issue, creator))
      }
      if (data.length < issuesAtOnce) return { issues: found, isWhole: true }
    }
    return { issues: found, isWhole: false }
  })

  const get = (ref: Ref, id: string) =>
    Effect.flatMap(login(ref), (creator) =>
      client
        .ask("issue", ref, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/issues/{issue_number}", {
            ...named(ref),
            issue_number: Number(id),
            ...options
          })
        )
        .pipe(
          // A moved issue is answered with its number in the other repository.
          Effect.map(({ data }) => (`${data.number}` === id ? Option.some(trackedOf(data, creator)) : Option.none())),
          Effect.catchIf(isGone, () => Effect.succeedNone)
        )
    )

  const create = Effect.fnUntraced(function* (ref: Ref, { assignees, body, labels, title }: IssueDraft) {
    const creator = yield* login(ref)
    const able = yield* Effect.filter(assignees.slice(0, mostAssignees), (each) => isAssignable(client, ref, each))
    const { data } = yield* client.write("createIssue", ref, (kit, options) =>
      kit.request("POST /repos/{owner}/{repo}/issues", {
        ...named(ref),
        title,
        body,
        labels: [...labels],
        assignees: able,
        ...options
      })
    )
    return trackedOf(data, creator)
  })

  return IssueTracker.of({
    list,
    get,
    create,
    edit: (ref, id, { body, reason, state, title }) =>
      client
        .write("editIssue", ref, (kit, options) =>
          kit.request("PATCH /repos/{owner}/{repo}/issues/{issue_number}", {
            ...named(ref),
            issue_number: Number(id),
            ...(title === undefined ? {} : { title }),
            ...(body === undefined ? {} : { body }),
            ...(state === undefined ? {} : { state }),
            ...(reason === undefined ? {} : { state_reason: reason }),
            ...options
          })
        )
        .pipe(
          Effect.as(true),
          Effect.catchIf(isGone, () => Effect.succeed(false))
        )
  })
})

/** The times of commits at a connection: a commit never changes its time. */
export const commitTimes = Effect.fnUntraced(function* (client: Client) {
  const kept = yield* Cache.makeWith(
    ({ commit, owner, repository }: Ref & { readonly commit: string }) =>
      client
        .ask("commit", { owner, repository }, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/git/commits/{commit_sha}", {
            owner,
            repo: repository,
            commit_sha: commit,
            ...options
          })
        )
        .pipe(
          Effect.map(({ data }) => instantOf(data.committer.date)),
          // GitHub refuses a short name of a commit with 422.
          Effect.catchIf(
            ({ status }) => status === 404 || status === 409 || status === 422,
            () => Effect.succeed(null)
          )
        ),
    { capacity: 10_000, timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== null ? "1 day" : "1 minute") }
  )
  return {
    of: ({ owner, repository }, commit) => Effect.map(Cache.get(kept, { owner, repository, commit }), Option.fromNullOr)
  } satisfies CommitTimes
})

const named = ({ owner, repository }: Ref) => ({ owner, repo: repository })

/** Deleted issues are answered with 410; so are all issues of a repository that has none, when they are listed or written. */
const isGone = ({ message, status }: ForgeError): boolean =>
  status === 404 || (status === 410 && !/disabled/iu.test(message))

const isAssignable = (client: Client, ref: Ref, assignee: string) =>
  client
    .ask("assignable", ref, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/assignees/{assignee}", { ...named(ref), assignee, ...options })
    )
    .pipe(
      Effect.as(true),
      Effect.catchIf(
        ({ status }) => status === 404,
        () => Effect.succeed(false)
      )
    )

interface Answer {
  readonly number: number
  readonly html_url: string
  readonly state: string
  readonly body?: string | null
  readonly closed_at: string | null
  readonly closed_by?: { readonly login: string } | null
}

const trackedOf = (
  { body, closed_at, closed_by, html_url: url, number, state }: Answer,
  ours: string
): TrackedIssue => {
  const closer = closed_by?.login ?? null
  return {
    id: `${number}`,
    url,
    body: body ?? "",
    isOpen: state === "open",
    closedAt: closed_at === null ? null : instantOf(closed_at),
    closedBy: closer === null ? null : { name: closer, isOurs: closer === ours }
  }
}

const instantOf = (text: string): Instant.Instant | null => {
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

/** The account that writes: the bot of the app, or the owner of the token. It is asked for once. */
const loginOf = Effect.fnUntraced(function* ({ credentials }: GitHubClient.Connection, client: Client) {
  const ask = (ref: Ref) =>
    credentials._tag === "App"
      ? Effect.map(
          client.ask("app", ref, (kit, options) => kit.request("GET /app", { ...options })),
          ({ data }) => `${data?.slug ?? ""}[bot]`
        )
      : Effect.map(
          client.ask("user", ref, (kit, options) => kit.request("GET /user", { ...options })),
          ({ data }) => data.login
        )
  const known = yield* Reference.make<string | null>(null)
  return (ref: Ref): Effect.Effect<string, ForgeError> =>
    Effect.flatMap(Reference.get(known), (login) =>
      login === null ? Effect.tap(ask(ref), (found) => Reference.set(known, found)) : Effect.succeed(login)
    )
})
