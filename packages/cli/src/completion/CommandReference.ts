/** The commands as Markdown, generated from the commands themselves. */
import { type Command, Completions } from "effect/cli"

const start = "<!-- The commands are written by `npm run reference`: change them in the code. -->"

const end = "<!-- End of the commands. -->"

/** Flags of every command that asks a server: the page explains them once. */
const common = ["repo", "url", "token", "json"]

/** The text of `docs/reference/command-line.md` with its commands as they are. */
export const page = (text: string, command: Command.Command.Any): string => {
  const [before = "", rest = ""] = text.split(start)
  const [, after = ""] = rest.split(end)
  return `${before}${start}\n\n${markdown(command)}\n\n${end}${after}`
}

/** Every command with its arguments and the flags of its own. */
export const markdown = (command: Command.Command.Any): string =>
  leaves([], Completions.fromCommand(command)).join("\n\n")

function leaves(path: ReadonlyArray<string>, each: Completions.CommandDescriptor): ReadonlyArray<string> {
  const names = [...path, each.name]
  return each.subcommands.length === 0
    ? [section(names, each)]
    : each.subcommands.flatMap((subcommand) => leaves(names, subcommand))
}

function section(names: ReadonlyArray<string>, each: Completions.CommandDescriptor): string {
  const own = each.flags.filter(({ name }) => !common.includes(name))
  const shared = each.flags.filter(({ name }) => common.includes(name)).map(({ name }) => `\`--${name}\``)
  const rows = [
    ...each.arguments.map((arg) => `| \`${argumentOf(arg)}\` | ${cell(arg.description)} |`),
    ...own.map((flag) => `| \`--${flag.name}${valueOf(flag)}\` | ${cell(flag.description)} |`)
  ]
  return [
    `### ${names.join(" ")}`,
    "",
    `${each.description ?? ""}.${shared.length === 0 ? "" : ` Takes ${shared.join(", ")}.`}`,
    ...(rows.length === 0 ? [] : ["", "| Argument or flag | Meaning |", "| --- | --- |", ...rows])
  ].join("\n")
}

function argumentOf({ name, required, variadic }: Completions.ArgumentDescriptor): string {
  const shown = variadic ? `${name}…` : name
  return required ? shown : `[${shown}]`
}

function valueOf({ type }: Completions.FlagDescriptor): string {
  if (type._tag === "Boolean") return ""
  return type._tag === "Choice" ? ` ${type.values.join("\\|")}` : " …"
}

function cell(description: string | undefined): string {
  return (description ?? "").replaceAll("|", "\\|")
}
