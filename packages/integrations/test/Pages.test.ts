/** The steps of "In five minutes" on the pages of hosting platforms, run in a shell against simulated platforms. */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { SimulatedGitHub, SimulatedGitLab } from "@lazaret/forge-simulated"
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

/** The exit code of the failing tests: neither that of the gate nor one of curl. */
const exitOfTests = 3

/** The address of a server that is away. */
const nowhere = "http://127.0.0.1:9"

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
  printf '%s' '${report}' > junit.xml; exit ${exitOfTests}
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

/** Opens an address as a browser does, without following redirects. */
const browse = (address: string, init: RequestInit = {}) =>
  Effect.promise(() => fetch(address, { redirect: "manual", ...init }))

/**
 * Creates the app as a person does, who chooses *Create on GitHub* in the dashboard and confirms at GitHub; yields the id of the app.
 */
const createdApp = Effect.fnUntraced(function* (url: string, adminKey: string) {
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
  const body = JSON.stringify({ organization: "acme" })
  const begun = yield* browse(`${url}/v1/github/app`, { method: "POST", headers, body })
  const next: unknown = Reflect.get(Object(yield* Effect.promise(() => begun.json())), "url")
  const page = yield* browse(String(next))
  const html = yield* Effect.promise(() => page.text())
  const unescaped = (text = "") => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")
  const manifest = unescaped(/name="manifest" value="([^"]+)"/u.exec(html)?.[1])
  const form = unescaped(/action="([^"]+)"/u.exec(html)?.[1])
  const confirmed = yield* browse(form, { method: "POST", body: new URLSearchParams({ manifest }) })
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? ""
  const back = yield* browse(confirmed.headers.get("location") ?? "", { headers: { cookie } })
  assert.strictEqual(back.headers.get("location"), `${url}/admin`)
  const found = yield* browse(`${url}/v1/github/app`, { headers })
  const { app } = Object(yield* Effect.promise(() => found.json()))
  return Number(Reflect.get(Object(app), "id"))
})

describe("In five minutes", () => {
  it.live(
    "the page of GitHub leads from nothing to a check and a comment, and a server that is away leaves the exit code of the tests",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const gitHub = yield* SimulatedGitHub.start
          const repository = gitHub.addRepository({ owner: "acme", name: "widgets" })
          const pull = gitHub.openPull(repository, { head: commit })
          const { folder, run, url } = yield* machine({})
          const [start = "", key = "", ...others] = fences("github", "sh")
          assert.lengthOf(others, 0)

          const started = yield* run(start, { LAZARET_GITHUB_API_URL: gitHub.url })
          assert.strictEqual(started.exitCode, 0, started.output)
          const id = yield* createdApp(url, readFileSync(join(folder, "data/admin-key"), "utf8").trim())
          const app = gitHub.server.hub.apps.get(id)
          if (app === undefined) return assert.fail("GitHub does not know the app")
          gitHub.install("acme", app)
          gitHub.enqueue(repository, "pull-request-opened", SimulatedGitHub.pullMembers(repository, pull))
          assert.deepStrictEqual(yield* gitHub.flush(`${url}/v1/webhooks/github`, [], app), [202])

          const made = yield* run(key)
          assert.strictEqual(made.exitCode, 0, made.output)
          const [workflow = ""] = fences("github", "yaml")
          const { env, steps } = parse(workflow).jobs.unit
          assert.deepStrictEqual(env, {
            LAZARET_URL: "${{ vars.LAZARET_URL }}",
            LAZARET_TOKEN: "${{ secrets.LAZARET_TOKEN }}"
          })
          const event = join(folder, "event.json")
          writeFileSync(event, JSON.stringify(SimulatedGitHub.pullMembers(repository, pull)))
          const away = yield* run(steps.at(-1).run, { LAZARET_URL: nowhere })
          assert.strictEqual(away.exitCode, exitOfTests, away.output)
          const ended = yield* run(steps.at(-1).run, {
            LAZARET_URL: url,
            LAZARET_TOKEN: made.output.trim().split(/\s+/).at(-1) ?? "",
            GITHUB_ACTIONS: "true",
            GITHUB_REPOSITORY: "acme/widgets",
            GITHUB_WORKFLOW: parse(workflow).name,
            GITHUB_JOB: "unit",
            GITHUB_SHA: "f".repeat(40),
            GITHUB_REF: `refs/pull/${pull.number}/merge`,
            GITHUB_HEAD_REF: "topic",
            GITHUB_BASE_REF: "main",
            GITHUB_EVENT_NAME: "pull_request",
            GITHUB_EVENT_PATH: event,
            GITHUB_RUN_ID: "77",
            GITHUB_RUN_ATTEMPT: "1",
            GITHUB_SERVER_URL: "https://github.com"
          })
          assert.strictEqual(ended.exitCode, 10, `${made.output}${ended.output}`)
          yield* until(() => repository.comments.length === 1 && repository.checkRuns.length === 1)
          assert.include(repository.comments[0]?.body ?? "", "pays")
          assert.include(JSON.stringify(repository.checkRuns[0]), commit)
        })
      ),
    120_000
  )

  it.live(
    "the page of GitLab leads from nothing to a note, and a server that is away leaves the exit code of the tests",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const gitLab = yield* SimulatedGitLab.start
          gitLab.addAccount("glpat-0123456789abcdefghij", "lazaret")
          gitLab.addAccount("mine", "grace")
          const members = { "glpat-0123456789abcdefghij": "developer", mine: "maintainer" } as const
          const project = gitLab.addProject({ path: "acme/widgets", members })
          const mergeRequest = gitLab.open(project, { head: commit, source: "topic" })
          gitLab.addPipeline(project, { sha: commit, ref: "topic", status: "running", jobs: [{}] })
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
          const away = yield* run(job, { LAZARET_URL: nowhere })
          assert.strictEqual(away.exitCode, exitOfTests, away.output)
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
