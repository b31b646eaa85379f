/** The flags that several commands share. */
import type { Repository } from "@lazaret/domain"
import { Option, type Redacted } from "effect"
import { Flag } from "effect/cli"

/** `--json`. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print the JSON that the server answers, for programs"),
  Flag.withDefault(false)
)

/** The flags of every command that asks a server. */
export const server = {
  url: Flag.String("url").pipe(
    Flag.withDescription("Address of the server (LAZARET_URL, else http://127.0.0.1:4180)"),
    Flag.optional
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withDescription("Key (LAZARET_TOKEN, else the one in the data folder when the server is on this machine)"),
    Flag.optional
  ),
  json
}

/** The values of {@link server}. */
export interface Server {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
  readonly json: boolean
}

/** `--repo owner/repository`. */
export const repository = Flag.String("repo").pipe(
  Flag.withMetavar("owner/repository"),
  Flag.withDescription("Repository, such as acme/widgets (LAZARET_REPO, else the one of the CI system)"),
  Flag.filterMap(parseRepository, adviceOnRepository)
)

/** {@link server}, and `--repo`, which the environment replaces when it is not given. */
export const ofRepository = { repo: Flag.optional(repository), ...server }

/** The values of {@link ofRepository}. */
export interface OfRepository extends Server {
  readonly repo: Option.Option<Repository.RepositoryRef>
}

/** `--limit`. */
export const limit = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of rows (20)"),
  Flag.filter(
    (rows) => rows >= 1 && rows <= 1_000_000,
    (rows) => `"${rows}" is not between 1 and 1000000`
  ),
  Flag.withDefault(20)
)

/** A text of at most `longest` characters that is not blank, so that no server refuses it. */
export const text = (name: string, longest: number, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (given) => given.trim() !== "" && [...given].length <= longest && !given.includes("\0"),
      (given) => {
        if (given.trim() === "") return `"${given}" is empty`
        return given.includes("\0")
          ? "the text contains a NUL character"
          : `"${[...given].slice(0, 40).join("")}…" is longer than ${longest} characters`
      }
    )
  )

/** The rules of interface 2.1. The domain is not loaded for them, so that the command line starts fast. */
export function parseRepository(given: string): Option.Option<Repository.RepositoryRef> {
  const [, owner, name] = /^([a-zA-Z0-9-]{1,40})\/([\w.-]{1,100})$/.exec(given) ?? []
  // In a path, "." and ".." name a folder instead of a repository.
  const isName = name !== undefined && name !== "." && name !== ".."
  // The pattern is the check of the brand.
  return owner === undefined || !isName ? Option.none() : Option.some({ owner, repository: name })
}

/** The sentence about a text that is not a repository. */
export function adviceOnRepository(given: string): string {
  return `"${given}" is not a repository: write owner/repository, such as acme/widgets`
}
