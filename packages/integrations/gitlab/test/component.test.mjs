/**
 * The script of the component, in a shell, as GitLab runs it. `LAZARET_URL` and `LAZARET_TOKEN` name a running server; without
 * them only the case of a server that is away is tested: `node --test`.
 */
import assert from "node:assert"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"

const template = readFileSync(new URL("../templates/tests/template.yml", import.meta.url), "utf8")
const [, script = ""] = /^ +script:\n +- \|\n([^]*?)^ {2}\w/m.exec(template) ?? []
const { LAZARET_TOKEN: token = "", LAZARET_URL: url } = process.env
const away = "http://127.0.0.1:9"

const report = `<testsuite name="s"><testcase classname="s" name="passes"/><testcase classname="s" name="fails"><failure/></testcase></testsuite>`

/** Runs the component in an empty folder; the tests write a report and end with a code. */
const run = (address, code) => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-component-"))
  try {
    const { status, stdout } = spawnSync("sh", ["-e", "-c", script], {
      cwd: folder,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        GITLAB_CI: "true",
        CI_PROJECT_PATH: "acme/component",
        CI_JOB_NAME: "unit",
        CI_COMMIT_SHA: "0123456789abcdef0123456789abcdef01234567",
        CI_COMMIT_REF_NAME: "main",
        CI_PIPELINE_ID: "5",
        CI_JOB_URL: "https://gitlab.com/j/6",
        LAZARET_COMMAND: `printf '%s' '${report}' > junit.xml; exit ${code}`,
        LAZARET_REPORTS: "",
        LAZARET_TOKEN: token,
        LAZARET_URL: address
      }
    })
    return { status, stdout }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test("without a server the job ends as the tests do", () => {
  for (const code of [0, 7]) assert.strictEqual(run(away, code).status, code)
})

test("with a server the report is uploaded, and the failure fails the job", { skip: url === undefined }, () => {
  const { status, stdout } = run(url, 1)
  assert.strictEqual(status, 10)
  assert.match(stdout, /s\.fails/)
})
