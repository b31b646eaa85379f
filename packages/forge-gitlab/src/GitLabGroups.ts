/**
 * The group of GitLab that an owner stands for.
 *
 * GitLab nests groups, and an owner of the interface is one name (interface 2.1). So an owner is a group with its name, or
 * the group, nested or not, that the settings give it.
 */
import { Repository } from "@lazaret/domain"
import { Option, Schema } from "effect"

/** The owners with a group of another name: the path of the group by owner, in lower case. */
export type GitLabGroups = ReadonlyMap<string, string>

/** Every owner is the group with its name. */
export const none: GitLabGroups = new Map()

/** The path of the project of a repository, such as `acme/platform/widgets`. */
export const pathOf = (groups: GitLabGroups, { owner, repository }: Repository.RepositoryRef): string =>
  `${groups.get(owner.toLowerCase()) ?? owner}/${repository}`

/**
 * The repository of a project; none for a path that no repository can have here, such as one of a nested group without an owner.
 *
 * An owner with a group of another name is never the group with its own name: both would write into the same repositories.
 */
export const refOf = (groups: GitLabGroups, path: string): Option.Option<Repository.RepositoryRef> => {
  const slash = path.lastIndexOf("/")
  const group = path.slice(0, Math.max(slash, 0))
  const given = [...groups].find(([, each]) => each.toLowerCase() === group.toLowerCase())
  if (given === undefined && groups.has(group.toLowerCase())) return Option.none()
  return decode({ owner: given?.[0] ?? group, repository: path.slice(slash + 1) })
}

const decode = Schema.decodeUnknownOption(
  Schema.Struct({ owner: Repository.Owner, repository: Repository.RepositoryName })
)

/** The groups in a text such as `backend=acme/platform/backend,tools=acme/tools`; null for any other text. */
export const parse = (text: string): GitLabGroups | null => {
  const groups = new Map<string, string>()
  for (const each of text.split(",")) {
    const [, owner = "", path = ""] = /^\s*([a-zA-Z0-9-]{1,40})=([\w.-]+(?:\/[\w.-]+)*)\s*$/u.exec(each) ?? []
    const isKnown = groups.has(owner.toLowerCase()) || [...groups.values()].includes(path.toLowerCase())
    if (owner === "" || isKnown || path.split("/").some((part) => /^\.+$/u.test(part))) return null
    groups.set(owner.toLowerCase(), path.toLowerCase())
  }
  return groups
}
