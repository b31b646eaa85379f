/** The roles that permissions in repositories at GitHub stand for. */
import type { Repository, Role } from "@lazaret/domain"
import type { ForgeError, Person, PlatformRoles } from "@lazaret/services"
import { Cache, Duration, Effect, Exit } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import { webUrlOf } from "./GitHubManifest.ts"

/** The time for which answers are kept, their number, and the limits of a request. */
export const limits = {
  timeToLive: Duration.minutes(5),
  /** The pause before the next request about the same person to a platform that failed. */
  afterFailure: Duration.seconds(10),
  timeout: Duration.seconds(5),
  kept: 50_000
}

/**
 * The roles at a connection.
 *
 * **Details**
 *
 * GitHub's `admin` is an admin, `write` (also `maintain`) a member, `read` (also `triage`) a viewer. Everybody reads a public
 * repository, as with a token.
 *
 * **Gotchas**
 *
 * The question names a login, which GitHub may have given to somebody else since the sign-in: the answer counts only for the
 * account of the person. It does not name the repository, so the redirect of a renamed one is not followed.
 */
export const make = Effect.fnUntraced(function* (
  { apiUrl }: GitHubClient.Connection,
  client: GitHubClient.GitHubClient
) {
  const accounts = `${webUrlOf(apiUrl)}#`

  const roles = yield* Cache.makeWith(
    (question: Question) =>
      client
        .ask("roleOf", question, (kit, { request }) =>
          kit.request("GET /repos/{owner}/{repo}/collaborators/{username}/permission", {
            owner: question.owner,
            repo: question.repository,
            username: question.login,
            request: { ...request, redirect: "manual" }
          })
        )
        .pipe(
          Effect.map(({ data }: { readonly data: Answer }) => roleOf(data, question.account)),
          Effect.catchIf(isFinal, () => Effect.succeed(null)),
          Effect.timeout(limits.timeout)
        ),
    {
      capacity: limits.kept,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? limits.timeToLive : limits.afterFailure)
    }
  )

  const of = ({ id, login }: Person, { owner, repository }: Repository.RepositoryRef) =>
    id.startsWith(accounts) && isName(login) && repository !== "." && repository !== ".."
      ? Effect.orElseSucceed(
          Cache.get(roles, { account: id.slice(accounts.length), login, owner, repository }),
          () => null
        )
      : Effect.succeed(null)

  return { of } satisfies PlatformRoles
})

interface Question extends Repository.RepositoryRef {
  readonly account: string
  readonly login: string
}

const isName = (login: string): boolean => /^[\w-]+$/u.test(login)

const isFinal = ({ reason }: ForgeError): boolean => reason === "refused" || reason === "not_installed"

interface Answer {
  readonly permission?: string
  readonly user?: { readonly id: number | bigint } | null
}

const rolesOf: Readonly<Record<string, Role.Role>> = { admin: "admin", write: "member", read: "viewer" }

const roleOf = ({ permission = "none", user }: Answer, account: string): Role.Role | null =>
  String(user?.id) === account ? (rolesOf[permission] ?? null) : null
