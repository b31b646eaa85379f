/** Ways to the hosting platform, where the server knows it. */
import { useResource } from "../data/Resource.ts"
import * as Routes from "../data/Routes.ts"
import type * as Places from "../Places.ts"

interface Props {
  readonly repository: Places.Repository
}

/** The addresses of a repository at its hosting platform; null while they are not known. */
const useLinks = (repository: Places.Repository) => {
  const found = useResource(Routes.summary(repository))
  return found.status === "ready" ? found.answer.body.links : null
}

const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    (values[name] ?? "").split("/").map(encodeURIComponent).join("/")
  )

const Arrow = ({ to, what }: { readonly to: string; readonly what: string }) => (
  <a
    class="outside"
    href={to}
    rel="noreferrer"
    aria-label={`${what} at the hosting platform`}
    title={`${what} at the hosting platform`}
  >
    ↗
  </a>
)

export const CommitSource = ({ commit, repository }: Props & { readonly commit: string }) => {
  const links = useLinks(repository)
  return links === null ? null : <Arrow to={filled(links.commit, { commit })} what="Commit" />
}

export const PullSource = ({ number, repository }: Props & { readonly number: number }) => {
  const links = useLinks(repository)
  return links === null ? null : (
    <Arrow to={filled(links.pull_request, { number: String(number) })} what="Pull request" />
  )
}

/** The line of a file that a stack names, null where it names none: `cart.ts:12:5`, `File "cart.py", line 12`. */
export const lineIn = (stack: string | null, path: string): number | null => {
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
  const found = stack === null ? null : new RegExp(`${name}(?::|", line |, line |\\()(\\d+)`, "u").exec(stack)
  return found === null ? null : Number(found[1])
}

/** Whether a path is one within a repository. */
const isRelative = (path: string): boolean => !/^(?:[a-z]+:|[/\\~])/iu.test(path) && !path.split("/").includes("..")

/** A file, as a link to its text on a commit, where both can be known. */
export const FileLink = (
  props: Props & { readonly path: string; readonly commit: string | null; readonly line: number | null }
) => {
  const { commit, line, path, repository } = props
  const links = useLinks(repository)
  const name = line === null ? path : `${path}:${line}`
  if (links === null || commit === null || !isRelative(path)) return <span>{name}</span>
  const to = filled(links.file, { commit, path: path.replace(/^\.\//u, "") })
  return (
    <a href={line === null ? to : `${to}#L${line}`} rel="noreferrer">
      {name}
    </a>
  )
}
