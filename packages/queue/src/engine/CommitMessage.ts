/** Messages of the commits that a driven queue makes. */
import type { MergeMethod } from "../QueueRule.ts"

/** An author of commits, as git names one. */
export interface Author {
  readonly name: string
  readonly email: string
}

/**
 * The facts about a pull request that a message is made of.
 *
 * **Details**
 *
 * `reference` is how the platform writes the number: `#7`, or `!7` at GitLab. `login` is the account that opened it. `authors` are
 * those of its commits, the first one first, each once.
 */
export interface Facts {
  readonly number: number
  readonly reference: string
  readonly title: string
  readonly body: string
  readonly login: string
  readonly url: string
  readonly authors: ReadonlyArray<Author>
}

/** The message of a commit, and its author; null: the account that makes it. */
export interface Message {
  readonly title: string
  readonly body: string
  readonly author: Author | null
}

/** The names that a template may use. */
export const names = ["title", "body", "number", "author", "co_authors", "url"] as const

type Name = (typeof names)[number]

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/gu

/**
 * The names in a template that do not exist.
 *
 * @example
 * ```ts
 * import { CommitMessage } from "@lazaret/queue"
 *
 * CommitMessage.unknownNames("{{ title }} (#{{ nummer }})") // => ["nummer"]
 * ```
 */
export const unknownNames = (template: string): ReadonlyArray<string> =>
  [...template.matchAll(placeholder)].map(([, name = ""]) => name).filter((name) => !isName(name))

const isName = (text: string): text is Name => names.some((name) => name === text)

/**
 * The message of the commit for a pull request.
 *
 * **Details**
 *
 * Without a template: that of a merge names the pull request, that of a squash is its title and text, with the authors of
 * its commits as co-authors, as GitHub writes them. A squash has the author of the first commit. Commands to the queue are left out.
 */
export const of = (facts: Facts, template: string | null, method: MergeMethod): Message => {
  const [author = null] = facts.authors
  const isSquash = method === "squash"
  const text = template === null ? (isSquash ? squash(facts) : merge(facts)) : render(template, facts)
  const [title = "", ...rest] = text.trim().split("\n")
  return { title: title === "" ? facts.title : title, body: rest.join("\n").trim(), author: isSquash ? author : null }
}

const merge = ({ reference, title }: Facts): string =>
  `Merge ${reference.startsWith("!") ? "merge" : "pull"} request ${reference}\n\n${title}`

const squash = (facts: Facts): string =>
  [`${facts.title} (${facts.reference})`, plain(facts.body), coAuthors(facts)]
    .filter((part) => part !== "")
    .join("\n\n")

const render = (template: string, facts: Facts): string => {
  const values: Readonly<Record<Name, string>> = {
    title: facts.title,
    body: plain(facts.body),
    number: String(facts.number),
    author: facts.login,
    co_authors: coAuthors(facts),
    url: facts.url
  }
  return template.replaceAll(placeholder, (written, name: string) => (isName(name) ? values[name] : written))
}

const coAuthors = ({ authors }: Facts): string =>
  authors
    .slice(1)
    .map(({ email, name }) => `Co-authored-by: ${name} <${email}>`)
    .join("\n")

/** A command in a text would be a command again where the commit is quoted. */
const plain = (body: string): string =>
  body
    .split(/\r?\n/u)
    .filter((line) => !/^ {0,3}@lazaret(?![^\s])/iu.test(line))
    .join("\n")
    .trim()
