/** Commits and branches at GitLab. */
import type { Repository } from "@lazaret/domain"
import type { CommitMessage } from "@lazaret/queue"
import type { ForgeError, NamedBranch } from "@lazaret/services"
import { Effect, Option, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitObject from "./GitObject.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

/** Whether a failure has one of these statuses. */
export const hasStatus =
  (...statuses: ReadonlyArray<number>) =>
  ({ status }: ForgeError): boolean =>
    status !== null && statuses.includes(status)

/** None for what does not exist. */
export const orNone = <A>(effect: Effect.Effect<A, ForgeError>): Effect.Effect<Option.Option<A>, ForgeError> =>
  effect.pipe(
    Effect.map((found) => Option.some(found)),
    Effect.catchIf(
      ({ reason, status }) => reason !== "not_installed" && status === 404,
      () => Effect.succeedNone
    )
  )

/** The path of a commit. */
export const pathOf = (sha: string): string => `/repository/commits/${encodeURIComponent(sha)}`

const Entries = Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, mode: Schema.String }))

const Commit = Schema.Struct({ id: Schema.String, parent_ids: Schema.Array(Schema.String) })

/** The tree of a commit; none when the commit does not exist. It is computed from the entries of the root, which GitLab lists. */
export const tree = (client: Client, ref: Ref, sha: string): Effect.Effect<Option.Option<string>, ForgeError> =>
  orNone(
    Effect.map(
      GitLabClient.pages((page) =>
        client.ask("tree", ref, { path: "/repository/tree", query: { ref: sha, per_page: 100, page } }, Entries)
      ),
      GitObject.treeOf
    )
  )

/** The parents of a commit; none when it does not exist. */
export const parents = (client: Client, ref: Ref, sha: string) =>
  orNone(Effect.map(client.ask("commit", ref, { path: pathOf(sha) }, Commit), ({ body }) => body.parent_ids))

const Base = Schema.Struct({ id: Schema.optionalKey(Schema.NullOr(Schema.String)) })

/**
 * The last common ancestor of a commit and a merge of others; null when there is none.
 *
 * **Details**
 *
 * As `git merge-base` has it, the commits after the first one count as a merge of them.
 */
export const mergeBase = (client: Client, ref: Ref, sha: string, others: ReadonlyArray<string>) =>
  Effect.map(
    orNone(
      client.ask("mergeBase", ref, { path: "/repository/merge_base", query: { "refs[]": [sha, ...others] } }, Base)
    ),
    (found) => (Option.isNone(found) ? null : (found.value.body.id ?? null))
  )

/** Whether a commit is, or descends from, another one; false when one of them does not exist. */
export const contains = (client: Client, ref: Ref, sha: string, ancestor: string) =>
  sha === ancestor
    ? Effect.succeed(true)
    : mergeBase(client, ref, ancestor, [sha]).pipe(
        Effect.map((base) => base === ancestor),
        Effect.catchIf(hasStatus(400), () => Effect.succeed(false))
      )

const Branch = Schema.Struct({ name: Schema.String, commit: Schema.Struct({ id: Schema.String }) })

const branchesPath = "/repository/branches"

/** The commit of a branch; null when it does not exist. */
export const branch = (client: Client, ref: Ref, name: string) =>
  Effect.map(
    orNone(client.ask("branch", ref, { path: `${branchesPath}/${encodeURIComponent(name)}` }, Branch)),
    (found) => (Option.isNone(found) ? null : found.value.body.commit.id)
  )

/** The branches whose name begins with a prefix. GitLab searches without regard to case. */
export const branches = (client: Client, ref: Ref, prefix: string) =>
  Effect.map(
    GitLabClient.pages((page) =>
      client.ask(
        "branches",
        ref,
        { path: branchesPath, query: { search: `^${prefix}`, per_page: 100, page } },
        Schema.Array(Branch)
      )
    ),
    (found): ReadonlyArray<NamedBranch> =>
      found.flatMap(({ commit, name }) => (name.startsWith(prefix) ? [{ name, sha: commit.id }] : []))
  )

/** Creates a branch, for which GitLab starts a pipeline. */
export const createBranch = (client: Client, ref: Ref, name: string, sha: string) =>
  client.write("createBranch", ref, { method: "POST", path: branchesPath, body: { branch: name, ref: sha } })

/** Removes a branch; one that does not exist needs nothing. */
export const removeBranch = (client: Client, ref: Ref, name: string) =>
  Effect.asVoid(
    orNone(client.write("removeBranch", ref, { method: "DELETE", path: `${branchesPath}/${encodeURIComponent(name)}` }))
  )

const Described = Schema.Struct({
  title: Schema.String,
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  author: Schema.NullOr(Schema.Struct({ username: Schema.String })),
  web_url: Schema.String
})

const Authored = Schema.Array(Schema.Struct({ author_name: Schema.String, author_email: Schema.String }))

/** The facts that the message of a commit is made of; none when the merge request does not exist. */
export const describe = (client: Client, ref: Ref, number: number) =>
  orNone(
    Effect.gen(function* () {
      const path = `/merge_requests/${number}`
      const { body } = yield* client.ask("describe", ref, { path }, Described)
      const { body: commits } = yield* client.ask(
        "describe",
        ref,
        { path: `${path}/commits`, query: { per_page: 100 } },
        Authored
      )
      // GitLab lists the newest commit first.
      const authors = commits.toReversed().map(({ author_email: email, author_name: name }) => ({ name, email }))
      return {
        number,
        reference: `!${number}`,
        title: body.title,
        body: body.description ?? "",
        login: body.author?.username ?? "",
        url: body.web_url,
        authors: authors.filter(
          ({ email }, index) => email !== "" && authors.findIndex((each) => each.email === email) === index
        )
      } satisfies CommitMessage.Facts
    })
  )
