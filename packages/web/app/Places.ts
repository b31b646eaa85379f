/** The pages of the dashboard and their paths: written and read here, and nowhere else. */

/** A repository, as paths name it. */
export interface Repository {
  readonly owner: string
  readonly repository: string
}

const subjects = { commit: "commits", run: "runs", pull: "pulls" } as const

/** The subject of a page of failures: a commit, a run by its id, or a pull request by its number. */
export interface Subject {
  readonly kind: keyof typeof subjects
  readonly id: string
}

const sections = [
  "pulls",
  "commits",
  "tests",
  "causes",
  "cost",
  "slower",
  "missing",
  "quarantine",
  "queue",
  "settings",
  "outages",
  "elsewhere"
] as const

type Section = (typeof sections)[number]

/** The page of a path. */
export type Page =
  | { readonly name: "repositories" }
  | { readonly name: "signIn" | "admin" | "manual" }
  | { readonly name: "overview" | Section; readonly repository: Repository }
  | { readonly name: "test"; readonly repository: Repository; readonly testId: string }
  | { readonly name: "failures"; readonly repository: Repository; readonly subject: Subject }
  | { readonly name: "unknown" }

const root = ({ owner, repository }: Repository): string =>
  `/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`

export const repositories = "/"
/** The same, also when there is only one. */
export const allRepositories = "/?all=1"
export const manual = "/manual"
export const overview = root
export const tests = (repository: Repository, query: Readonly<Record<string, string>> = {}): string => {
  const text = new URLSearchParams(query).toString()
  return `${root(repository)}/tests${text === "" ? "" : `?${text}`}`
}
export const test = (repository: Repository, testId: string): string => `${root(repository)}/tests/${testId}`
export const failures = (repository: Repository, { id, kind }: Subject): string =>
  `${root(repository)}/${subjects[kind]}/${encodeURIComponent(id)}`
/** The pull requests, and the commits. */
export const pulls = (repository: Repository): string => `${root(repository)}/pulls`
export const commits = (repository: Repository): string => `${root(repository)}/commits`
/** The causes, those of a test (`test_id`), or one (`cause`). */
export const causes = (repository: Repository, query: Readonly<Record<string, string>> = {}): string => {
  const text = new URLSearchParams(query).toString()
  return `${root(repository)}/causes${text === "" ? "" : `?${text}`}`
}
/** The tests and jobs that became slower. */
export const slower = (repository: Repository): string => `${root(repository)}/slower`
/** Tests that did not run although they were expected. */
export const missing = (repository: Repository): string => `${root(repository)}/missing`
/** The costs of flaky tests. */
export const cost = (repository: Repository): string => `${root(repository)}/cost`
export const quarantine = (repository: Repository): string => `${root(repository)}/quarantine`
export const outages = (repository: Repository): string => `${root(repository)}/outages`
/** Tests that run on other branches only. */
export const elsewhere = (repository: Repository): string => `${root(repository)}/elsewhere`
export const queue = (repository: Repository): string => `${root(repository)}/queue`
export const settings = (repository: Repository): string => `${root(repository)}/settings`

export const admin = "/admin"

/** The page that a path below the base shows. */
export const pageOf = (path: string): Page => {
  const [first, second, third, fourth, ...rest] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded)
  if (first === undefined) return { name: "repositories" }
  if (second === undefined) return { name: alone.get(first) ?? "unknown" }
  const repository = { owner: first, repository: second }
  if (rest.length > 0) return { name: "unknown" }
  if (third === undefined) return { name: "overview", repository }
  if (third === "tests" && fourth !== undefined) return { name: "test", repository, testId: fourth }
  if (fourth !== undefined) {
    const kind = kinds.find((each) => subjects[each] === third)
    return kind === undefined ? { name: "unknown" } : { name: "failures", repository, subject: { kind, id: fourth } }
  }
  return isSection(third) ? { name: third, repository } : { name: "unknown" }
}

/** The pages of one part: an owner has none. */
const alone: ReadonlyMap<string, "signIn" | "admin" | "manual"> = new Map([
  ["sign-in", "signIn"],
  ["admin", "admin"],
  ["manual", "manual"]
])

const kinds = ["commit", "run", "pull"] as const

const isSection = (text: string): text is Section => sections.some((each) => each === text)

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
