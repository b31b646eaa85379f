/** The tip of a branch at GitHub, and whether the branch was rewritten since. */
import type { Repository } from "@lazaret/domain"
import type { BranchTip, ForgeError } from "@lazaret/services"
import { Effect, Option } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef

/** The tip of a branch; none when it does not exist. */
export const of = (client: Client, ref: Ref, branch: string, known: string | null) => {
  const at = { owner: ref.owner, repo: ref.repository }
  const tip = client.ask("tip", ref, (kit, options) =>
    kit.request("GET /repos/{owner}/{repo}/branches/{branch}", { ...at, branch, ...options })
  )
  return tip.pipe(
    Effect.flatMap(({ data: { commit } }) =>
      Effect.map(isRewritten(client, ref, known, commit.sha), (isNew): Option.Option<BranchTip> =>
        Option.some({ sha: commit.sha, tree: commit.commit.tree.sha, isRewritten: isNew })
      )
    ),
    Effect.catchIf(isMissing, () => Effect.succeedNone)
  )
}

const isMissing = ({ status }: ForgeError): boolean => status === 404

/** A commit that GitHub does not find any more was rewritten, too. */
const isRewritten = (client: Client, { owner, repository }: Ref, known: string | null, sha: string) => {
  if (known === null || known === sha) return Effect.succeed(false)
  return client
    .ask("tip", { owner, repository }, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/compare/{basehead}", {
        owner,
        repo: repository,
        basehead: `${known}...${sha}`,
        per_page: 1,
        ...options
      })
    )
    .pipe(
      Effect.map(({ data }) => data.status !== "ahead" && data.status !== "identical"),
      Effect.catchIf(isMissing, () => Effect.succeed(true))
    )
}
