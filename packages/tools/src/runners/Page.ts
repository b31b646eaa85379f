/** The settings of runners, as the page shows them. */

/**
 * A section of the page.
 *
 * **Details**
 *
 * - `files`: the content of each file that a paragraph names alone (``In `jest.config.js`:``) before a code block.
 * - `command`: the first block of `sh`.
 */
export interface Section {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  readonly command: string
}

/** The sections of a page, by its headings of the second level. */
export const sections = (markdown: string): ReadonlyArray<Section> =>
  markdown
    .split(/^## /m)
    .slice(1)
    .map((text) => ({
      title: text.slice(0, text.indexOf("\n")).trim(),
      files: Object.fromEntries(
        [...text.matchAll(/^In `([^`]+)`:\n\n```\w+\n([^]*?)^```/gm)].map(([, name = "", content = ""]) => [
          name,
          content
        ])
      ),
      command: /^```sh\n([^]*?)^```/m.exec(text)?.[1] ?? ""
    }))

/** The section with a title; it must have a command. */
export const sectionOf = (all: ReadonlyArray<Section>, title: string): Section => {
  const found = all.find((section) => section.title === title)
  if (found === undefined || found.command === "") throw new Error(`the page has no section "${title}" with a command`)
  return found
}
