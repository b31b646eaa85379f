/**
 * The addresses at which the hosting platform shows the commits, pull requests and files of a repository (our choice).
 *
 * The addresses follow from that of a CI job, which uploads from GitHub Actions and GitLab CI carry, or from the page of the
 * repository.
 */
import type { RepositoryRef } from "./Repository.ts"

/** Addresses with `{commit}`, `{number}`, `{path}`, `{base}` and `{head}` as places for values, which callers have to escape. */
export interface SourceLinks {
  readonly commit: string
  readonly comparison: string
  readonly pullRequest: string
  readonly file: string
}

/**
 * The addresses of a repository; null when the job is of another CI system, or of another repository.
 *
 * **Details**
 *
 * Owner and name match in any case. At GitLab the name alone has to match, since groups are nested there.
 *
 * @example
 * ```ts
 * import { SourceLinks } from "@lazaret/domain"
 *
 * const widgets = { owner: "acme", repository: "widgets" }
 * SourceLinks.ofJob("https://github.com/acme/widgets/actions/runs/7", widgets)?.commit
 * // => "https://github.com/acme/widgets/commit/{commit}"
 * SourceLinks.ofJob("https://gitlab.example/acme/web/widgets/-/jobs/7", widgets)?.pullRequest
 * // => "https://gitlab.example/acme/web/widgets/-/merge_requests/{number}"
 * SourceLinks.ofJob("https://ci.example/job/7", widgets) // => null
 * ```
 */
export const ofJob = (jobUrl: string, { owner, repository }: RepositoryRef): SourceLinks | null => {
  if (!/^https?:$/u.test(URL.parse(jobUrl)?.protocol ?? "")) return null
  const { origin = "", pathname = "" } = URL.parse(jobUrl) ?? {}
  const github = /^\/([^/]+)\/([^/]+)\/actions\/runs\//u.exec(pathname)
  if (github !== null) {
    const [, ownerThere = "", nameThere = ""] = github
    if (!isSame(ownerThere, owner) || !isSame(nameThere, repository)) return null
    return ofGitHub(`${origin}/${ownerThere}/${nameThere}`)
  }
  const [, path = "", nameThere = ""] = /^\/(.+\/([^/]+))\/-\/(?:jobs|pipelines)\//u.exec(pathname) ?? []
  if (!isSame(nameThere, repository)) return null
  return ofGitLab(`${origin}/${path}`)
}

/**
 * The addresses of a repository by that of its page.
 *
 * **Details**
 *
 * They are those of GitLab when a part of the host name is `gitlab`, or when the address ends in `/-`, as the pages of GitLab
 * have it; else those of GitHub, which Gitea and Forgejo share for commits.
 *
 * @example
 * ```ts
 * import { SourceLinks } from "@lazaret/domain"
 *
 * SourceLinks.ofRepository("https://github.com/acme/widgets")?.pullRequest
 * // => "https://github.com/acme/widgets/pull/{number}"
 * SourceLinks.ofRepository("https://git.example/web/widgets/-")?.commit
 * // => "https://git.example/web/widgets/-/commit/{commit}"
 * ```
 */
export const ofRepository = (url: string): SourceLinks | null => {
  const { hostname = "", origin = "", pathname = "" } = URL.parse(url) ?? {}
  const path = pathname.replace(/\/+$/u, "").replace(/\.git$/u, "")
  const page = path.replace(/\/-$/u, "")
  if (page === "") return null
  return page !== path || hostname.split(".").includes("gitlab")
    ? ofGitLab(`${origin}${page}`)
    : ofGitHub(`${origin}${page}`)
}

/** The addresses of a repository: by its page where it is set, else by the first address of a job that yields some. */
export const of = (page: string | null, jobUrls: ReadonlyArray<string>, ref: RepositoryRef): SourceLinks | null => {
  if (page !== null) return ofRepository(page)
  const found = jobUrls.map((url) => ofJob(url, ref)).find((links) => links !== null)
  return found ?? null
}

/**
 * The address of the changes after one commit up to another one; that of the last commit alone where the first is null.
 *
 * @example
 * ```ts
 * import { SourceLinks } from "@lazaret/domain"
 *
 * const links = SourceLinks.ofRepository("https://github.com/acme/widgets")
 * links === null ? null : SourceLinks.comparisonOf(links, "a1", "b2") // => "https://github.com/acme/widgets/compare/a1...b2"
 * ```
 */
export const comparisonOf = ({ commit, comparison }: SourceLinks, base: string | null, head: string): string =>
  base === null
    ? commit.replace("{commit}", () => encodeURIComponent(head))
    : comparison.replace("{base}", () => encodeURIComponent(base)).replace("{head}", () => encodeURIComponent(head))

const ofGitHub = (base: string): SourceLinks => ({
  commit: `${base}/commit/{commit}`,
  comparison: `${base}/compare/{base}...{head}`,
  pullRequest: `${base}/pull/{number}`,
  file: `${base}/blob/{commit}/{path}`
})

const ofGitLab = (base: string): SourceLinks => ({
  commit: `${base}/-/commit/{commit}`,
  comparison: `${base}/-/compare/{base}...{head}`,
  pullRequest: `${base}/-/merge_requests/{number}`,
  file: `${base}/-/blob/{commit}/{path}`
})

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
