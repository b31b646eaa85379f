/** Pieces of Markdown that the pages of the reference are made of. */

/** A table with a heading row; cells may hold any text. */
export const table = (heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heading, heading.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

/** Text as code; a backtick in it stays one. */
export const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

/** A page: its parts, with an empty line between them; parts without text are left out. */
export const page = (parts: ReadonlyArray<string>): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`

/** The note at the top of a generated page, which must not be edited by hand. */
export const generated = "<!-- Written by `npm run reference`: change the code that it is made from. -->"

const cell = (text: string): string => text.replaceAll("\n", " ").replaceAll("|", "\\|").trim()
