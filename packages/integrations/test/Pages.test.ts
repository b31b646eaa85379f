/** The steps of "In five minutes" on the pages of hosting platforms, run in a shell against simulated platforms. */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { SimulatedGitLab } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import { parse } from "yaml"

/** The fences of one language in the section "In five minutes" of a page, without their indentation. */
const fences = (page: string, language: string): ReadonlyArray<string> => {
  const text = readFileSync(new URL(`../../../docs/how-to/${page}.md`, import.meta.url), "utf8")
  const section = text.split(/^## /m).find((each) => each.startsWith("In five minutes\n")) ?? ""
  return [...section.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, "gm"))].map(
    ([, indent = "", code = ""]) => code.replaceAll(new RegExp(`^${indent}`, "gm"), "")
  )
}

const lazaret = fileURLToPath(new URL("../../server/bin/lazaret.js", import.meta.url))

const commit = "0123456789abcdef0123456789abcdef01234567"

const report = `<testsuite name="cart"><testcase classname="cart" name="adds"/><testcase classname="cart" name="pays"><failure message="no"/></testcase></testsuite>`

beforeAll(() => {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../cli/build.ts", import.meta.url))])
}, 60_000)

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
)

interface Ended {
  readonly exitCode: number | null
  readonly output: string
}

/**
 * A folder in which the steps of a page run; `npm start` starts the server of this repository in the background, and `npm test`
 * writes a report with one failure. The server ends with the scope.
 */
const machine = (addresses: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "lazaret-page-"))
    const port = yield* freePort
    const url = `http://127.0.0.1:${port}`
    mkdirSync(join(folder, "bin"))
    const npm = `#!/bin/sh
if [ "$1" = start ]; then
  PORT=${port} LAZARET_STORE=memory "${process.execPath}" "${lazaret}" serve > server.log 2>&1 &
  echo $! > server.pid
  until curl -fs ${url}/health/ready > ready.txt; do kill -0 $(cat server.pid) || { cat server.log; exit 1; }; sleep 0.2; done
else
  printf '%s' '${report}' > junit.xml; exit 1
fi
`
    writeFileSync(join(folder, "bin/npm"), npm)
    writeFileSync(join(folder, "bin/node"), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`)
    for (const name of ["npm", "node"]) chmodSync(join(folder, "bin", name), 0o755)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        try {
          process.kill(Number(readFileSync(join(folder, "server.pid"), "utf8")))
        } finally {
          rmSync(folder, { recursive: true })
        }
      })
    )
    const replaced = (text: string) =>
      Object.entries({ ...addresses, "https://tests.example.com": url }).reduce(
        (all, [from, to]) => all.replaceAll(from, to),
        text
      )
    const run = (script: string, env: Readonly<Record<string, string>> = {}) =>
      Effect.promise(
        () =>
          new Promise<Ended>((resolve) => {
            const path = `${join(folder, "bin")}${delimiter}/usr/bin${delimiter}/bin`
            const child = spawn("sh", ["-e", "-c", replaced(script)], {
              cwd: folder,
              env: { PATH: path, HOME: folder, ...env }
            })
            let output = ""
            child.stdout.on("data", (text) => (output += text))
            child.stderr.on("data", (text) => (output += text))
            child.once("exit", (exitCode) => setTimeout(() => resolve({ exitCode, output }), 50))
          })
      )
    return { folder, url, run }
  })

const until = (isTrue: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isTrue() ? Effect.void : Effect.andThen(Effect.sleep(50), until(isTrue))))

describe("In five minutes", () => {
  it.live(
    "the page of GitLab leads from nothing to a note on a merge request",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const gitLab = yield* SimulatedGitLab.start
          gitLab.addAccount("glpat-0123456789abcdefghij", "lazaret")
          gitLab.addAccount("mine", "grace")
          const members = { "glpat-0123456789abcdefghij": "developer", mine: "maintainer" } as const
          const project = gitLab.addProject({ path: "acme/widgets", members })
          const mergeRequest = gitLab.open(project, { head: commit, source: "topic" })
          const { folder, run, url } = yield* machine({ "https://gitlab.example.com": gitLab.url })
          writeFileSync(join(folder, "gitlab-token"), "glpat-0123456789abcdefghij\n")

          const steps = fences("gitlab", "sh")
          assert.lengthOf(steps, 3)
          let printed = ""
          for (const step of steps) {
            const { exitCode, output } = yield* run(step, { GITLAB_TOKEN: "mine" })
            assert.strictEqual(exitCode, 0, output)
            printed = output
          }
          assert.lengthOf(project.hooks, 1)
          const hook = SimulatedGitLab.mergeRequestHook(project, mergeRequest, "open")
          assert.deepStrictEqual(yield* gitLab.emit(project, hook), [202])

          const key = printed.trim().split(/\s+/).at(-1) ?? ""
          const [job = ""] = fences("gitlab", "yaml").map((text) => parse(text).unit.script.join("\n"))
          const ended = yield* run(job, {
            LAZARET_URL: url,
            LAZARET_TOKEN: key,
            GITLAB_CI: "true",
            CI_PROJECT_PATH: "acme/widgets",
            CI_JOB_NAME: "unit",
            CI_COMMIT_SHA: commit,
            CI_COMMIT_REF_NAME: "topic",
            CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "topic",
            CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
            CI_MERGE_REQUEST_IID: "1",
            CI_PIPELINE_ID: "5"
          })
          assert.strictEqual(ended.exitCode, 10, `${printed}${ended.output}`)
          yield* until(() => project.notes.length === 1 && project.statuses.length === 1)
          assert.include(project.notes[0]?.body ?? "", "pays")
          assert.strictEqual(project.statuses[0]?.status, "failed")
        })
      ),
    120_000
  )
})
