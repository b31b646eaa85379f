/** The workflow that publishes a release, and the tests that the action and the component bring. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"

const root = new URL("../../../", import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8")

/** The fields of a workflow that are read here. */
interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Readonly<Record<string, string>>
        readonly steps: ReadonlyArray<{ readonly run?: string; readonly uses?: string }>
      }
    >
  >
}

describe("the workflow of a release", () => {
  const { jobs } = parse(textOf(".github/workflows/release.yml")) as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps)

  it("runs scripts and commands that exist", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> }
    const commands = steps.flatMap(({ run = "" }) => [...run.matchAll(/npm run (\S+)(?: -- (\S+))?/g)])
    assert.isAbove(commands.length, 2)
    for (const [, script = "", argument = ""] of commands) {
      assert.property(scripts, script)
      assert.include(textOf("packages/tools/src/release.ts"), `command === "${argument}"`)
    }
  })

  it("only the job that publishes may write, and it proves where it ran", () => {
    assert.strictEqual(jobs["publish"]?.permissions?.["id-token"], "write")
    assert.isUndefined(jobs["files"]?.permissions)
  })

  it("names a version of every action", () => {
    const actions = steps.flatMap(({ uses }) => uses ?? [])
    assert.deepStrictEqual(
      actions.filter((each) => !/@v\d+$/.test(each)),
      []
    )
  })
})

describe("the pieces for CI systems", () => {
  it.each(["github-action", "gitlab"])("%s passes its own tests", (name) => {
    const cwd = new URL(`packages/integrations/${name}/`, root)
    const { LAZARET_TOKEN: _, LAZARET_URL: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
    const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd, env, encoding: "utf8" })
    assert.strictEqual(status, 0, stdout)
  })
})
