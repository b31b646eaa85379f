/** Scripts that complete commands, flags, and the names that a server knows. */
import { type Command, Completions } from "effect/cli"

/**
 * The script for a shell.
 *
 * **Details**
 *
 * The generator of Effect knows fixed choices only. Here an argument `test` and a flag `--repo` have one choice, a mark, and the
 * script asks `lazaret names` where the mark stands. PowerShell completes commands and flags only.
 */
export const of = (root: Command.Command.Any, shell: Completions.Shell): string => {
  const known = Completions.fromCommand(root)
  if (shell === "powershell") return Completions.generate("lazaret", shell, known)
  return asking[shell](Completions.generate("lazaret", shell, marked(known)))
}

const mark = { tests: "@lazaret-tests@", repositories: "@lazaret-repositories@" } as const

type Subject = keyof typeof mark

const marked = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  arguments: command.arguments.map((each) => (each.name === "test" ? { ...each, type: choice("tests") } : each)),
  flags: command.flags.map((each) => (each.name === "repo" ? { ...each, type: choice("repositories") } : each)),
  subcommands: command.subcommands.map(marked)
})

const choice = (subject: Subject) => ({ _tag: "Choice", values: [mark[subject]] }) as const

const replaced = (script: string, textOf: (subject: Subject) => readonly [from: string, to: string]): string =>
  (["tests", "repositories"] as const).reduce((text, subject) => text.replaceAll(...textOf(subject)), script)

/** A name may hold every character that a shell reads as its own: names are words of an array, never text of the script. */
const bashNames = `_lazaret_names()
{
  local _of="$1" _name _names=()
  while IFS= read -r _name; do _names+=("$_name"); done < <(lazaret names "$_of" -- "$cur" "\${words[@]:0:cword}" 2>/dev/null)
  _lazaret--choices "$cur" "$_comp_word" "\${_names[@]}"
}

`

const zshNames = `_lazaret_names() {
  local -a names
  names=("\${(@f)$(lazaret names "$1" -- "\${(Q)PREFIX}" "\${words[@]:0:$((CURRENT - 1))}" 2>/dev/null)}")
  [[ -n "$names" ]] && compadd -a names
}

`

const asking: { readonly [shell in "bash" | "zsh" | "fish"]: (script: string) => string } = {
  bash: (script) =>
    replaced(script, (subject) => [
      `_lazaret--choices "$cur" "$_comp_word" '${mark[subject]}'`,
      `_lazaret_names ${subject}`
    ]).replace("_lazaret()\n", `${bashNames}_lazaret()\n`),
  zsh: (script) =>
    replaced(script, (subject) => [`(${mark[subject]})`, `{_lazaret_names ${subject}}`]).replace(
      "_lazaret() {\n",
      `${zshNames}_lazaret() {\n`
    ),
  fish: (script) =>
    replaced(script, (subject) => [
      `'${mark[subject]}'`,
      `'(lazaret names ${subject} -- (commandline -ct) (commandline -opc) 2>/dev/null)'`
    ])
}
