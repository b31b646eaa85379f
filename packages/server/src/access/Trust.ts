/** The issuers of CI tokens that the server trusts, and for whose repositories. */

/**
 * An issuer that is trusted for the repositories of an owner; `*` stands for every owner.
 *
 * `issuer` is the claim `iss` of its tokens, such as `https://token.actions.githubusercontent.com`.
 */
export interface Trust {
  readonly owner: string
  readonly issuer: string
}

/** The issuers that anybody on the internet gets tokens from, under a short name. */
const open: Readonly<Record<string, string>> = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com"
}

/**
 * The trust that a text such as `acme@github` or `*@https://gitlab.example.com` states; null for any other text.
 *
 * **Details**
 *
 * - `github` and `gitlab` stand for GitHub Actions and gitlab.com. Every owner is refused for them: anybody has a repository there.
 * - An issuer is an https address, or one of this machine. It is compared with the claim as text: no slash is added or removed.
 */
export const parse = (text: string): Trust | null => {
  const [, owner = "", name = ""] = /^(\*|[a-zA-Z0-9-]{1,40})@(\S+)$/u.exec(text.trim()) ?? []
  const issuer = open[name] ?? name
  const url = URL.parse(issuer)
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") return null
  const isLocal = url.protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(url.hostname)
  if (url.protocol !== "https:" && !isLocal) return null
  return owner === "*" && Object.values(open).includes(issuer) ? null : { owner, issuer }
}

/** Whether a trust covers the repositories of an owner. */
export const covers = (trust: Trust, owner: string): boolean =>
  trust.owner === "*" || trust.owner.toLowerCase() === owner.toLowerCase()

/** Whether an issuer is GitHub Actions, of github.com or of a GitHub Enterprise Server; the others are GitLab. */
export const isGitHub = (issuer: string): boolean =>
  issuer === open["github"] || issuer.startsWith(`${open["github"]}/`) || issuer.endsWith("/_services/token")
