/** `lazaret completion`. */
import { Console } from "effect"
import { Argument, Command } from "effect/cli"
import * as CompletionScript from "./CompletionScript.ts"

/** Prints the script that completes commands, flags and names in a shell; `root` is the command line without this command. */
export const of = (root: Command.Command.Any) =>
  Command.make(
    "completion",
    {
      shell: Argument.Literals("shell", ["bash", "zsh", "fish", "powershell"]).pipe(
        Argument.withDescription("The shell that the script is for")
      )
    },
    ({ shell }) => Console.log(CompletionScript.of(root, shell))
  ).pipe(
    Command.withDescription(
      "Print the script that completes commands and flags in a shell, and in bash, zsh and fish names of tests and repositories."
    ),
    Command.withShortDescription("Print a script for shell completion"),
    Command.withExamples([
      { command: "source <(lazaret completion bash)", description: "In bash, for example in ~/.bashrc" },
      { command: "lazaret completion zsh > ~/.zfunc/_lazaret", description: "In zsh, in a folder of $fpath" },
      { command: "lazaret completion fish > ~/.config/fish/completions/lazaret.fish", description: "In fish" }
    ])
  )
