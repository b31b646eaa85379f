/** The roles that access levels in projects at GitLab stand for. */
import type { Repository, Role } from "@lazaret/domain"
import { keptRoles, type Person, type PlatformRoles, withoutRefusal } from "@lazaret/services"
import { Effect, Schema } from "effect"
import type * as GitLabClient from "./GitLabClient.ts"

/**
 * The roles at a connection, of people who signed in with the same GitLab as provider of OpenID Connect.
 *
 * **Details**
 *
 * - A maintainer (40) or an owner (50) is an admin of the repository, a developer (30) a member, a reporter (20) a viewer; inherited
 *   memberships count. A guest or a planner has no role: GitLab does not show them the code of a private project.
 * - Everybody views a public project whose code is not for members alone. An internal one gives no role: GitLab hides it from
 *   external users, and does not tell who they are.
 * - Only the token of the server can ask for members: without one nobody has a role.
 */
export const make = Effect.fnUntraced(function* (
  { token, url }: GitLabClient.Connection,
  client: GitLabClient.GitLabClient
) {
  const accounts = `${url.replace(/\/+$/u, "")}#`

  const membership = ({ account, owner, repository }: Question) =>
    client.ask("roleOf", { owner, repository }, { path: `/members/all/${account}` }, Member).pipe(
      Effect.map(({ body }) => (body.id === Number(account) && body.state === "active" ? roleOf(body) : null)),
      withoutRefusal
    )

  const visibility = ({ owner, repository }: Question) =>
    client.ask("roleOf", { owner, repository }, { path: "" }, Project).pipe(
      Effect.map(({ body }): Role.Role | null => (isReadByAll(body) ? "viewer" : null)),
      withoutRefusal
    )

  const roles = yield* keptRoles((question: Question) =>
    Effect.flatMap(membership(question), (role) => (role === null ? visibility(question) : Effect.succeed(role)))
  )

  const of = ({ id }: Person, { owner, repository }: Repository.RepositoryRef) => {
    const account = id.startsWith(accounts) ? id.slice(accounts.length) : ""
    return token !== null && /^\d{1,15}$/u.test(account) ? roles({ account, owner, repository }) : Effect.succeed(null)
  }

  return { of } satisfies PlatformRoles
})

interface Question extends Repository.RepositoryRef {
  readonly account: string
}

const Member = Schema.Struct({ id: Schema.Int, state: Schema.String, access_level: Schema.Int })

const Project = Schema.Struct({
  visibility: Schema.optionalKey(Schema.String),
  repository_access_level: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** Whether everybody may read the code: a public project can keep it to its members, or have none. */
const isReadByAll = ({ repository_access_level: level, visibility }: typeof Project.Type): boolean =>
  visibility === "public" && (level ?? "enabled") === "enabled"

/** The least level of each role, the highest role first. */
const levels = [
  ["admin", 40],
  ["member", 30],
  ["viewer", 20]
] as const satisfies ReadonlyArray<readonly [Role.Role, number]>

const roleOf = ({ access_level }: typeof Member.Type): Role.Role | null =>
  levels.find(([, least]) => access_level >= least)?.[0] ?? null
