/** The roles that permissions in repositories at GitHub stand for. */
import type { Repository, Role } from "@lazaret/domain"
import { keptRoles, type Person, type PlatformRoles, withoutRefusal } from "@lazaret/services"
import { Effect } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import { webUrlOf } from "./GitHubManifest.ts"

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

  const roles = yield* keptRoles((question: Question) =>
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
        withoutRefusal
      )
  )

  const of = ({ id, login }: Person, { owner, repository }: Repository.RepositoryRef) =>
    id.startsWith(accounts) && isName(login) && repository !== "." && repository !== ".."
      ? roles({ account: id.slice(accounts.length), login, owner, repository })
      : Effect.succeed(null)

  return { of } satisfies PlatformRoles
})

interface Question extends Repository.RepositoryRef {
  readonly account: string
  readonly login: string
}

const isName = (login: string): boolean => /^[\w-]+$/u.test(login)

interface Answer {
  readonly permission?: string
  readonly user?: { readonly id: number | bigint } | null
}

const rolesOf: Readonly<Record<string, Role.Role>> = { admin: "admin", write: "member", read: "viewer" }

const roleOf = ({ permission = "none", user }: Answer, account: string): Role.Role | null =>
  String(user?.id) === account ? (rolesOf[permission] ?? null) : null
