/** A history in a bare repository of git, which has to be at least version 2.38 (`git merge-tree --write-tree`). */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { Commit, History } from "./History.ts"

/** A history in a new repository, which is removed with the scope. */
export const make = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "history-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder): History => {
    execFileSync("git", ["init", "--quiet", "--bare", folder])
    return over(folder)
  }
)

const nobody = { name: "nobody", email: "nobody@example.com" }

/** The environment of git: what it writes depends on its arguments alone, not on the clock, nor on the settings of this account. */
const environment = (author: Commit["author"]) => ({
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: (author ?? nobody).name,
  GIT_AUTHOR_EMAIL: (author ?? nobody).email,
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: nobody.name,
  GIT_COMMITTER_EMAIL: nobody.email,
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z"
})

const over = (folder: string): History => {
  const run = (args: ReadonlyArray<string>, input = "", author: Commit["author"] = null): string =>
    execFileSync("git", ["--git-dir", folder, ...args], {
      input,
      encoding: "utf8",
      env: environment(author),
      stdio: ["pipe", "pipe", "ignore"]
    }).trimEnd()
  const attempt = (args: ReadonlyArray<string>): string | null => {
    try {
      return run(args)
    } catch {
      return null
    }
  }
  return {
    commit: (sha) => read(attempt(["cat-file", "commit", sha])),
    write: ({ author, message, parents, tree }) =>
      run(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])], message, author),
    tree: (base, files) => {
      const entries = new Map(
        (base === null ? "" : run(["ls-tree", base]))
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => [line.slice(line.indexOf("\t") + 1), line] as const)
      )
      for (const [path, content] of Object.entries(files)) {
        entries.set(path, `100644 blob ${run(["hash-object", "-w", "--stdin"], content)}\t${path}`)
      }
      return run(["mktree"], `${[...entries.values()].join("\n")}\n`)
    },
    files: (sha) =>
      Object.fromEntries(
        run(["ls-tree", "--name-only", sha])
          .split("\n")
          .flatMap((path) => (path === "" ? [] : [[path, run(["show", `${sha}:${path}`])]]))
      ),
    merge: (ours, theirs) => attempt(["merge-tree", "--write-tree", ours, theirs])?.split("\n")[0] ?? null,
    contains: (sha, ancestor) => attempt(["merge-base", "--is-ancestor", ancestor, sha]) !== null,
    branches: () =>
      new Map(
        run(["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads"])
          .split("\n")
          .flatMap((line) => {
            const [name = "", sha = ""] = line.split(" ")
            return name === "" ? [] : [[name, sha] as const]
          })
      ),
    move: (branch, { from, to }) => {
      const name = `refs/heads/${branch}`
      const old = from === undefined ? [] : [from ?? none]
      return attempt(["update-ref", ...(to === null ? ["-d", name] : [name, to]), ...old]) !== null
    }
  }
}

/** The commit that does not exist. */
const none = "0".repeat(40)

const read = (text: string | null): Commit | null => {
  if (text === null) return null
  const end = text.indexOf("\n\n")
  const lines = text.slice(0, end).split("\n")
  const valuesOf = (key: string) =>
    lines.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []))
  const [, name = "", email = ""] = /^(.*) <(.*)> /u.exec(valuesOf("author")[0] ?? "") ?? []
  const author = email === nobody.email ? null : { name, email }
  return { tree: valuesOf("tree")[0] ?? "", parents: valuesOf("parent"), message: text.slice(end + 2), author }
}
