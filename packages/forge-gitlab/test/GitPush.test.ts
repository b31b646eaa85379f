/** The protocol of pushes and the names of objects, against git itself. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { GitObject, GitPush } from "../src/index.ts"

const committer = { name: "Lazaret <bot>", email: "bot@example.com" }

/** A bare repository of git with one commit on `main`, and pushes to it as the server of git answers them. */
const withRepository = (run: (git: Git) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), "push-"))
  try {
    const text = (args: ReadonlyArray<string>, input = ""): string =>
      execFileSync("git", ["--git-dir", folder, ...args], { input, encoding: "utf8", env, stdio: "pipe" }).trimEnd()
    text(["init", "--quiet", "--bare"])
    text(["config", "receive.advertisePushOptions", "true"])
    const blob = text(["hash-object", "-w", "--stdin"], "hello")
    const inner = text(["mktree"], `100644 blob ${blob}\tfile\n`)
    const tree = text(["mktree"], `040000 tree ${inner}\ta\n100755 blob ${blob}\ta-b\n100644 blob ${blob}\ta.c\n`)
    const first = text(["commit-tree", tree], "first")
    text(["update-ref", "refs/heads/main", first])
    const push = (given: GitPush.Push) =>
      GitPush.reportOf(
        execFileSync("git", ["receive-pack", "--stateless-rpc", folder], {
          input: GitPush.bodyOf(given),
          env,
          stdio: "pipe"
        })
      )
    run({ text, push, blob, inner, tree, first })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Git {
  readonly text: (args: ReadonlyArray<string>, input?: string) => string
  readonly push: (push: GitPush.Push) => GitPush.Report | null
  readonly blob: string
  readonly inner: string
  readonly tree: string
  readonly first: string
}

const env = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com"
}

describe("pushes without git", () => {
  it("git takes commits that were written here, and moves a branch from the commit that is named alone", () => {
    withRepository(({ first, inner, push, text, tree }) => {
      const message = { title: "Größe", body: "of it", author: { name: "Ada", email: "ada@example.com" } }
      const made = (parents: ReadonlyArray<string>, of = tree) =>
        GitObject.commit({ tree: of, parents, message, committer, at: 1_700_000_000_000 })
      const one = made([first])
      const two = made([one.id, first], inner)
      const isQuiet = true
      const taken = push({ change: { branch: "q/1", from: null, to: two.id }, commits: [one, two], isQuiet })
      assert.isNull(taken?.refusal ?? null)
      assert.strictEqual(
        text(["log", "--format=%an|%cn|%s|%b|%ct", "-1", "q/1"]),
        "Ada|Lazaret bot|Größe|of it\n|1700000000"
      )
      const landed = push({ change: { branch: "main", from: first, to: two.id }, commits: [], isQuiet: false })
      assert.deepStrictEqual([landed?.refusal, text(["rev-parse", "main"])], [null, two.id])
      const late = push({ change: { branch: "main", from: first, to: one.id }, commits: [], isQuiet: false })
      assert.deepStrictEqual([typeof late?.refusal, text(["rev-parse", "main"])], ["string", two.id])
      const unknown = GitObject.commit({ tree: "f".repeat(40), parents: [first], message, committer, at: 0 })
      const refused = push({ change: { branch: "q/2", from: null, to: unknown.id }, commits: [unknown], isQuiet })
      assert.match(refused?.refusal ?? "", /missing necessary objects|unpack/u)
    })
  })

  it("the name of a tree is that of git, in whatever order its entries are listed", () => {
    withRepository(({ blob, inner, tree }) => {
      const entries = [
        { mode: "040000", name: "a", id: inner },
        { mode: "100644", name: "a.c", id: blob },
        { mode: "100755", name: "a-b", id: blob }
      ]
      for (const listed of [entries, entries.toReversed()]) assert.strictEqual(GitObject.treeOf(listed), tree)
    })
  })

  it("an answer that is cut off anywhere is not read", () => {
    const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`
    const inner = `${line("unpack ok\n")}${line("ok refs/heads/main\n")}0000`
    const whole = `${line(`\u0001${inner}`)}0000`
    assert.deepStrictEqual(GitPush.reportOf(Buffer.from(whole)), { refusal: null, words: "" })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 5 }), (length) => {
        assert.isNull(GitPush.reportOf(Buffer.from(whole.slice(0, length))))
      })
    )
  })
})
