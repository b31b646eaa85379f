/** Commits and branches at GitHub. */
import type { Repository } from "@lazaret/domain"
import type { CommitMessage } from "@lazaret/queue"
import type { ForgeError, NamedBranch } from "@lazaret/services"
import { Effect, Option } from "effect"
import type { GitHubClient } from "./GitHubClient.ts"
import * as Pages from "./Pages.ts"

type Ref = Repository.RepositoryRef

/** The repository in a path. */
export const at = ({ owner, repository }: Ref) => ({ owner, repo: repository })

const hasStatus =
  (...statuses: ReadonlyArray<number>) =>
  ({ status }: ForgeError): boolean =>
    status !== null && statuses.includes(status)

/** The tree of a commit; none when the commit does not exist. */
export const read = (client: GitHubClient, ref: Ref, sha: string) =>
  client
    .ask("commit", ref, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/git/commits/{commit_sha}", { ...at(ref), commit_sha: sha, ...options })
    )
    .pipe(
      Effect.map(({ data }) => Option.some({ tree: data.tree.sha })),
      Effect.catchIf(hasStatus(404, 422), () => Effect.succeedNone)
    )

/** Whether a commit is, or descends from, another one. */
export const contains = (client: GitHubClient, ref: Ref, sha: string, ancestor: string) =>
  sha === ancestor
    ? Effect.succeed(true)
    : client
        .ask("compare", ref, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/compare/{basehead}", {
            ...at(ref),
            basehead: `${ancestor}...${sha}`,
            per_page: 1,
            ...options
          })
        )
        .pipe(
          Effect.map(({ data }) => data.status === "ahead" || data.status === "identical"),
          Effect.catchIf(hasStatus(404), () => Effect.succeed(false))
        )

/** The commit of a branch; null when it does not exist. */
export const branch = (client: GitHubClient, ref: Ref, name: string) =>
  Effect.map(branches(client, ref, name), (found) => found.find((each) => each.name === name)?.sha ?? null)

const heads = "refs/heads/"

/** The branches whose name begins with a prefix. */
export const branches = (client: GitHubClient, ref: Ref, prefix: string) =>
  Effect.map(
    client.ask("branches", ref, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/git/matching-refs/{ref}", {
        ...at(ref),
        ref: `heads/${prefix}`,
        ...options
      })
    ),
    ({ data }): ReadonlyArray<NamedBranch> =>
      data.map(({ object, ref: name }) => ({ name: name.slice(heads.length), sha: object.sha }))
  )

/** Creates a branch. */
export const createBranch = (client: GitHubClient, ref: Ref, name: string, sha: string) =>
  Effect.asVoid(
    client.write("createBranch", ref, (kit, options) =>
      kit.request("POST /repos/{owner}/{repo}/git/refs", { ...at(ref), ref: `${heads}${name}`, sha, ...options })
    )
  )

/** Removes a branch; one that does not exist needs nothing. */
export const removeBranch = (client: GitHubClient, ref: Ref, name: string) =>
  client
    .write("removeBranch", ref, (kit, options) =>
      kit.request("DELETE /repos/{owner}/{repo}/git/refs/{ref}", { ...at(ref), ref: `heads/${name}`, ...options })
    )
    .pipe(
      Effect.asVoid,
      Effect.catchIf(hasStatus(404, 422), () => Effect.void)
    )

/** A merge of a commit into a branch. */
export interface Merging {
  readonly branch: string
  readonly head: string
  readonly message: CommitMessage.Message
}

/** The merge commit and its tree, or the reason for which GitHub made none: `gone` says that the commit does not exist. */
export const merge = (client: GitHubClient, ref: Ref, { branch: base, head, message }: Merging) =>
  client
    .write("build", ref, (kit, options) =>
      kit.request("POST /repos/{owner}/{repo}/merges", {
        ...at(ref),
        base,
        head,
        commit_message: textOf(message),
        ...options
      })
    )
    .pipe(
      // The types know only the answer that has a body: 204 is the one for a commit that the branch holds.
      Effect.map(({ data }: { readonly data?: Merged }) =>
        data?.sha === undefined ? ("contained" as const) : { commit: data.sha, tree: data.commit.tree.sha }
      ),
      Effect.catchIf(hasStatus(404, 409), ({ status }) =>
        Effect.succeed(status === 409 ? ("conflict" as const) : ("gone" as const))
      )
    )

interface Merged {
  readonly sha?: string
  readonly commit: { readonly tree: { readonly sha: string } }
}

const textOf = ({ body, title }: CommitMessage.Message): string => (body === "" ? title : `${title}\n\n${body}`)

/** A commit of a tree. */
export interface Creation {
  readonly tree: string
  readonly parents: ReadonlyArray<string>
  readonly message: CommitMessage.Message
}

/** Creates a commit, and yields its name. */
export const create = (client: GitHubClient, ref: Ref, { message, parents, tree }: Creation) =>
  Effect.map(
    client.write("createCommit", ref, (kit, options) =>
      kit.request("POST /repos/{owner}/{repo}/git/commits", {
        ...at(ref),
        message: textOf(message),
        tree,
        parents: [...parents],
        ...(message.author === null ? {} : { author: message.author }),
        ...options
      })
    ),
    ({ data }) => data.sha
  )

/** The facts that the message of a commit is made of; none when the pull request does not exist. */
export const describe = (client: GitHubClient, ref: Ref, number: number) =>
  Effect.gen(function* () {
    const { data: pull } = yield* client.ask("describe", ref, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", { ...at(ref), pull_number: number, ...options })
    )
    const { data: commits } = yield* client.ask("describe", ref, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/pulls/{pull_number}/commits", {
        ...at(ref),
        pull_number: number,
        per_page: Pages.size,
        ...options
      })
    )
    const authors = commits.flatMap(({ commit: { author } }) => {
      const { email = "", name = "" } = author ?? {}
      return name === "" || email === "" ? [] : [{ name, email }]
    })
    return Option.some<CommitMessage.Facts>({
      number,
      reference: `#${number}`,
      title: pull.title,
      body: pull.body ?? "",
      login: pull.user.login,
      url: pull.html_url,
      authors: authors.filter(({ email }, index) => authors.findIndex((each) => each.email === email) === index)
    })
  }).pipe(Effect.catchIf(hasStatus(404), () => Effect.succeedNone))
