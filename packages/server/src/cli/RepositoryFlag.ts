/**
 * The flag that names a repository.
 *
 * @since 0.1.0
 */
import { Option } from "effect"
import { Flag } from "effect/cli"

/**
 * `--repo owner/repository`.
 *
 * @category flags
 * @since 0.1.0
 */
export const flag = Flag.String("repo").pipe(
  Flag.withMetavar("owner/repository"),
  Flag.withDescription("Repository, such as acme/widgets"),
  Flag.filterMap(parse, (text) => `"${text}" is no repository: write it as owner/repository, such as acme/widgets`)
)

/** The rules of interface 2.1; the domain is not loaded for them, so that the command line starts fast. */
function parse(text: string) {
  const [, owner, repository] = /^([a-zA-Z0-9-]{1,40})\/([\w.-]{1,100})$/.exec(text) ?? []
  return owner === undefined || repository === undefined ? Option.none() : Option.some({ owner, repository })
}
