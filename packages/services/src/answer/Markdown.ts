/**
 * Text of other people in Markdown: it is shown as it is, and changes nothing around it.
 *
 * Names of tests, jobs and branches come from the author of the pull request. They could break a table, close an HTML
 * element, load an image, or send a notification to everybody whose name they mention.
 */
import { Text } from "@lazaret/domain"

/** A text in one line, as code, cut after a number of characters. */
export const code = (text: string, most = 160): string => {
  const line = cut(oneLine(text), most)
  if (line === "") return "` `"
  const fence = "`".repeat(longestRun(line) + 1)
  const padding = line.startsWith("`") || line.endsWith("`") || line.startsWith(" ") ? " " : ""
  // A table ends a cell at a bar, in code as well.
  return `${fence}${padding}${line.replaceAll("|", "\\|")}${padding}${fence}`
}

/** A text in one line, as prose: nothing in it is Markdown, HTML, a mention or a reference. */
export const prose = (text: string, most = 300): string =>
  cut(oneLine(text), most)
    .replaceAll(/[\\`*_{}[\]<>()#+\-.!|~&:]/gu, (mark) => (/[\w]/u.test(mark) ? mark : `\\${mark}`))
    .replaceAll("\\<", "&lt;")
    .replaceAll("\\&", "&amp;")
    .replaceAll(/[@#/]/gu, (mark) => `${mark}\u200b`)

/**
 * A text of several lines as a block of code, cut after a number of characters.
 *
 * No line begins with a slash: GitLab takes such a line of a note for a command, such as `/merge`, and looks for blocks of code
 * with an expression that a fence in the text ends.
 */
export const block = (text: string, most = 2000): string => {
  const body = cut(text.replaceAll(control, " "), most).replaceAll(/^(\s*)\//gmu, "$1\u200b/")
  const fence = "`".repeat(Math.max(3, longestRun(body) + 1))
  return `${fence}text\n${body}\n${fence}`
}

/** A link; without an address only its text. The text is Markdown already. */
export const link = (text: string, url: string | null): string =>
  url === null || !/^https?:\/\/[^\s<>"'()]+$/u.test(url) ? text : `[${text}](${url})`

// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

const oneLine = (text: string): string => text.replaceAll(control, " ").replaceAll(/\s+/gu, " ").trim()

const cut = (text: string, most: number): string =>
  Text.length(text) <= most
    ? text
    : `${Array.from(text)
        .slice(0, most - 1)
        .join("")}…`

const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length))
