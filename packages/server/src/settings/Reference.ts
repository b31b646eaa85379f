/** The table of settings for readers: as Markdown, and as the help of the command line. */
import * as Setting from "./Setting.ts"
import * as Table from "./Table.ts"

const settings: ReadonlyArray<Setting.Setting<unknown>> = Object.values(Table.table)

/** The table in `docs/reference/configuration.md`. */
export const markdown: string = [
  "| Setting | Value | Default | Secret | Meaning |",
  "| --- | --- | --- | --- | --- |",
  ...settings.map(
    ({ isSecret, kind, meaning, name, shown }) =>
      `| \`${name}\` | ${kind} | ${shown === "" ? "" : `\`${shown}\``} | ${isSecret ? "yes" : ""} | ${meaning} |`
  )
].join("\n")

/** The text of that page with the current table. */
export const page = (text: string): string => text.replace(/^\| Setting \|[^]*?\n(?=\n)/mu, () => `${markdown}\n`)

/** The settings in `lazaret serve --help`: each with its default in one line. */
export const help: string = settings
  .map(({ meaning, name, shown }) => `  ${name}${shown === "" ? "" : ` (${shown})`}: ${plain(meaning)}`)
  .join("\n")

function plain(markdownPhrase: string): string {
  return markdownPhrase.replaceAll("`", "").replaceAll(/ ?\(\[[^\]]*\]\([^)]*\)\)/gu, "")
}
