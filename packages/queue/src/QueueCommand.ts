/**
 * Commands to the merge queue in the comments of people, such as `@lazaret queue` (our choice, see
 * `docs/how-to/merge-queue.md`).
 *
 * **Rules**
 *
 * - A command is a line that begins with `@lazaret`, in any case of letters. Lines in quotes, in blocks of code and in HTML
 *   comments do not count: they repeat the words of others.
 * - Commands of one comment count in their order, the first ten.
 */
import { Option } from "effect"

/** The names of commands. */
export const names = ["queue", "dequeue", "rerun", "priority", "why", "help"] as const

/** The name of a command. */
export type Name = (typeof names)[number]

/** A command; `name` is null for one that does not exist, `words` are what follows `@lazaret`. */
export interface QueueCommand {
  readonly name: Name | null
  readonly words: ReadonlyArray<string>
}

/** The most that is read of a comment: its commands, their words, and the characters of a word. */
export const limits = { commands: 10, words: 5, characters: 100 } as const

/**
 * The commands in a comment.
 *
 * @example
 * ```ts
 * import { QueueCommand } from "@lazaret/queue"
 *
 * QueueCommand.parse("> @lazaret queue\n@lazaret why") // => [{ name: "why", words: ["why"] }]
 * ```
 */
export const parse = (comment: string): ReadonlyArray<QueueCommand> =>
  prose(comment)
    .flatMap((line) => Option.toArray(commandIn(line)))
    .slice(0, limits.commands)

/** A command as it is written, in one line. */
export const written = ({ words }: QueueCommand): string => ["@lazaret", ...words].join(" ")

/** Three blanks at most: a line that begins with four is code. */
const mention = /^ {0,3}@lazaret(?![^\s])(.*)$/iu

const commandIn = (line: string): Option.Option<QueueCommand> => {
  const [, rest] = mention.exec(line) ?? []
  if (rest === undefined) return Option.none()
  const words = rest
    .split(/\s+/u)
    .filter((word) => word !== "")
    .slice(0, limits.words)
    .map((word) => Array.from(word).slice(0, limits.characters).join(""))
  const [first = "help"] = words
  return Option.some({ name: names.find((name) => name === first.toLowerCase()) ?? null, words })
}

/** The lines of a comment outside of HTML comments and blocks of code. A mark that nothing ends goes to the end. */
const prose = (comment: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let fence: string | null = null
  for (const line of comment.replaceAll(/<!--[\s\S]*?(?:-->|$)/gu, " ").split(/\r\n|[\r\n]/u)) {
    const [, mark, rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/su.exec(line) ?? []
    if (fence === null && mark === undefined) lines.push(line)
    else if (fence === null) fence = mark ?? null
    else if (mark?.startsWith(fence) === true && rest.trim() === "") fence = null
  }
  return lines
}
