/** The scripts of `lazaret completion` in the shells themselves, with a command `lazaret` that knows two tests. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import type { Completions } from "effect/cli"
import { Argument, Command, Flag } from "effect/cli"
import * as CompletionScript from "../../src/completion/CompletionScript.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-completion-"))
afterAll(() => rmSync(folder, { recursive: true }))

const names = ["Cart > adds up", `Cart > it's $5 \`or\` "more"`, "Checkout"]

writeFileSync(join(folder, "names"), `${names.join("\n")}\n`)
writeFileSync(join(folder, "lazaret"), `#!/bin/sh\nprintf '%s|' "$@" >> ${folder}/asked\ncat ${folder}/names\n`)
chmodSync(join(folder, "lazaret"), 0o755)

const root = Command.make("lazaret").pipe(
  Command.withSubcommands([
    Command.make("tests").pipe(
      Command.withSubcommands([Command.make("show", { repo: Flag.String("repo"), test: Argument.String("test") })])
    )
  ])
)

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).error === undefined

/** In zsh, the system that the script registers with. */
const prelude: { readonly [shell: string]: string } = { zsh: "compdef() { :; }\n" }

/** Runs a script after the completion script of a shell, and yields its lines and what `lazaret` was asked. */
const complete = (shell: Completions.Shell, args: ReadonlyArray<string>, script: string) => {
  rmSync(join(folder, "asked"), { force: true })
  const file = join(folder, `completion.${shell}`)
  writeFileSync(file, CompletionScript.of(root, shell))
  const { stderr, stdout } = spawnSync(shell, [...args, "-c", `${prelude[shell] ?? ""}source ${file}\n${script}`], {
    encoding: "utf8",
    env: { PATH: `${folder}:${process.env["PATH"]}`, HOME: folder }
  })
  assert.strictEqual(stderr, "")
  return { lines: stdout.trimEnd().split("\n"), asked: readFileSync(join(folder, "asked"), "utf8") }
}

describe("completion of names", () => {
  it("the scripts of bash, zsh and fish ask for names of tests and repositories, and that of PowerShell does not", () => {
    for (const shell of ["bash", "zsh", "fish"] as const) {
      const script = CompletionScript.of(root, shell)
      assert.include(script, "lazaret names", shell)
      assert.notInclude(script, "@lazaret-", shell)
    }
    assert.notInclude(CompletionScript.of(root, "powershell"), "lazaret names")
  })

  it.skipIf(!has("bash"))("bash offers the names that begin with the word, quoted", () => {
    const { asked, lines } = complete(
      "bash",
      ["--norc"],
      `COMP_WORDS=(lazaret tests show --repo acme/widgets Car); COMP_CWORD=5; COMP_LINE="\${COMP_WORDS[*]}"
       _lazaret lazaret Car acme/widgets
       for each in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $each"; done`
    )
    assert.deepStrictEqual(lines, names.slice(0, 2))
    assert.strictEqual(asked, "names|tests|--|Car|lazaret|tests|show|--repo|acme/widgets|")
  })

  it.skipIf(!has("fish"))("fish offers the names that begin with the word", () => {
    const { asked, lines } = complete("fish", ["-N"], `complete -C "lazaret tests show --repo acme/widgets Car"`)
    assert.deepStrictEqual(
      lines.map((line) => line.split("\t")[0]),
      names.slice(0, 2)
    )
    assert.strictEqual(asked, "names|tests|--|Car|lazaret|tests|show|--repo|acme/widgets|")
  })

  it.skipIf(!has("zsh"))("zsh hands the names to its completion as words", () => {
    const { asked, lines } = complete(
      "zsh",
      ["-f"],
      `compadd() { shift; print -rl -- "\${(@P)1}"; }
       words=(tests show --repo acme/widgets Car); CURRENT=5; PREFIX=Car
       _lazaret_names tests`
    )
    assert.deepStrictEqual(lines, names)
    assert.strictEqual(asked, "names|tests|--|Car|tests|show|--repo|acme/widgets|")
  })
})
