import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { serve } from "./lazaretProcess.ts"

const page = readFileSync(new URL("../../../docs/tutorial/from-a-report-to-a-verdict.md", import.meta.url), "utf8")

interface Step {
  readonly commands: string
  readonly printed: string | null
}

/** The blocks marked `sh`, each with the unmarked block that follows it. */
const steps: ReadonlyArray<Step> = [...page.matchAll(/^```sh\n([^]*?)^```\n(?:\n```\n([^]*?)^```$)?/gm)].map(
  ([, commands = "", printed]) => ({ commands, printed: printed ?? null })
)

/** Removes the parts that differ from run to run, and the width of columns that follows from them. */
const settled = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: UTC|Z))?/g, "<time>")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "<server>")
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "<id>")
    .replace(/key [\da-f]{6}/g, "key <id>")
    .replace(/ +/g, " ")
    .replace(/ $/gm, "")
    .trimEnd()

describe("the tutorial", () => {
  it("every command of the tutorial prints the text of the page", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lazaret-tutorial-"))
    await using server = await serve({ cwd: folder, env: { LAZARET_ADMIN_KEY: "the-key-of-the-tutorial" } })
    const command = fileURLToPath(new URL("../bin/lazaret.js", import.meta.url))
    writeFileSync(join(folder, "lazaret"), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`, {
      mode: 0o755
    })
    const env = {
      PATH: `${folder}:${process.env["PATH"]}`,
      LAZARET_URL: server.url,
      LAZARET_TOKEN: "the-key-of-the-tutorial"
    }
    assert.lengthOf(steps, 8)
    for (const { commands, printed } of steps) {
      const { status, stderr, stdout } = spawnSync("sh", ["-e", "-c", commands], { cwd: folder, env, encoding: "utf8" })
      assert.strictEqual(status, 0, `${commands}${stderr}`)
      if (printed !== null) assert.strictEqual(settled(stdout), settled(printed), commands)
    }
    rmSync(folder, { recursive: true })
  })
})
