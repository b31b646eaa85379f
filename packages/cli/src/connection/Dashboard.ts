/** The pages of the dashboard, as links. */
import type { Repository } from "@lazaret/domain"

/** The page of a repository. */
export const repository = (server: string, { owner, repository: name }: Repository.RepositoryRef): string =>
  `${server}/${owner}/${encodeURIComponent(name)}`

/** The page of the failures of a commit, a run by its id, or a pull request by its number. */
export const failures = (
  server: string,
  ref: Repository.RepositoryRef,
  kind: "commits" | "runs" | "pulls",
  id: string
): string => `${repository(server, ref)}/${kind}/${encodeURIComponent(id)}`

/** The page of a test. */
export const test = (server: string, ref: Repository.RepositoryRef, testId: string): string =>
  `${repository(server, ref)}/tests/${testId}`
