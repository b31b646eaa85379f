/**
 * The steps of the action, in a shell, as GitHub runs them. `LAZARET_URL` and `LAZARET_TOKEN` name a running server; without
 * them only the case of a server that is away is tested: `node --test`.
 */
import assert from "node:assert"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"

const [, script = ""] =
  /^ +run: \|\n([^]*)$/m.exec(readFileSync(new URL("../action.yml", import.meta.url), "utf8")) ?? []
const { LAZARET_TOKEN: token = "", LAZARET_URL: url } = process.env
const away = "http://127.0.0.1:9"

const report = `<testsuite name="s"><testcase classname="s" name="passes"/><testcase classname="s" name="fails"><failure/></testcase></testsuite>`

/** Runs the action in an empty folder; the tests write a report and end with a code. */
const run = (address, code, inputs = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-action-"))
  try {
    const { status, stdout } = spawnSync("bash", ["-e", "-c", script], {
      cwd: folder,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        RUNNER_TEMP: folder,
        GITHUB_ACTIONS: "true",
        GITHUB_REPOSITORY: "acme/action",
        GITHUB_WORKFLOW: "CI",
        GITHUB_JOB: "unit",
        GITHUB_SHA: "0123456789abcdef0123456789abcdef01234567",
        GITHUB_REF: "refs/heads/main",
        GITHUB_REF_NAME: "main",
        GITHUB_RUN_ID: "1",
        GITHUB_RUN_ATTEMPT: "1",
        GITHUB_SERVER_URL: "https://github.com",
        LAZARET_COMMAND: `printf '%s' '${report}' > junit.xml; exit ${code}`,
        LAZARET_JOB: "",
        LAZARET_REPORTS: "",
        LAZARET_STRICT: "false",
        LAZARET_TOKEN: token,
        LAZARET_URL: address,
        ...inputs
      }
    })
    return { status, stdout }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test("without a server the step ends as the tests do, and warns", () => {
  for (const code of [0, 7]) {
    const { status, stdout } = run(away, code)
    assert.strictEqual(status, code)
    assert.match(stdout, /::warning::/)
  }
})

test("without a server a strict step fails", () => {
  assert.strictEqual(run(away, 0, { LAZARET_STRICT: "true" }).status, 4)
})

test("with a server the report is uploaded, and the failure fails the step", { skip: url === undefined }, () => {
  const { status, stdout } = run(url, 1)
  assert.strictEqual(status, 10)
  assert.match(stdout, /s\.fails/)
})
