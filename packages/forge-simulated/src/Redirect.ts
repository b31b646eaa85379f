/**
 * Redirects of repositories that were renamed, or transferred to another owner.
 *
 * **Details**
 *
 * A request for the earlier name is answered with 301 for reads and 307 for writes, and the address of the repository by its id, which
 * it keeps (developer.github.com, changes of 2015-04-17: "either a 301 or 307 HTTP redirect, depending on the type of request";
 * mislav/hub#1178 for writes; postmark-town/postmark#1179: "Location: https://api.github.com/repositories/1267945395/pulls"), until
 * another repository takes the name (orgs/community#22669).
 */
import type { Matched } from "./Description.ts"
import * as Hub from "./Hub.ts"
import { refusal, type Reply } from "./operations/Operation.ts"

/** A path in which a repository has its name instead of its id; no description has the path with the id. */
export const named = ({ repositories }: Hub.Hub, pathname: string): string =>
  pathname.replace(/^\/repositories\/(\d+)(?=\/|$)/u, (path, id) => {
    const repository = repositories.find((each) => each.id === Number(id))
    return repository === undefined ? path : `/repos/${repository.owner}/${repository.name}`
  })

/** A request: the platform at its address, and the path with the query. */
interface Request {
  readonly hub: Hub.Hub
  readonly origin: string
  readonly url: string
}

/** The redirect of a request, null for one of a repository that has the name. */
export const of = ({ hub, origin, url }: Request, { operation, path }: Matched): Reply | null => {
  const { owner = "", repo = "" } = path
  const repository = Hub.repositoryAt(hub, owner, repo)
  if (repository === undefined || repository === Hub.repositoryNamed(hub, owner, repo)) return null
  const location = origin + url.replace(/^\/repos\/[^/]+\/[^/?]+/u, `/repositories/${repository.id}`)
  return { ...refusal(operation.method === "GET" ? 301 : 307, "Moved Permanently"), headers: { location } }
}
