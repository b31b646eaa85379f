/** Repositories as the claims of tokens name them. */
import { Repository } from "@lazaret/domain"
import { Option, Schema } from "effect"

/** The repository of a path such as `acme/widgets`; none for a path that no repository can have here, such as one of a subgroup. */
export const repositoryOf = (path: string): Option.Option<Repository.RepositoryRef> => {
  const slash = path.indexOf("/")
  return decode({ owner: path.slice(0, Math.max(slash, 0)), repository: path.slice(slash + 1) })
}

const decode = Schema.decodeUnknownOption(
  Schema.Struct({ owner: Repository.Owner, repository: Repository.RepositoryName })
)
